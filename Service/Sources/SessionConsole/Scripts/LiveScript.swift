/// Replaces the parts of the graphs by newer ones while the page can be seen.
enum LiveScript {
    /// It asks every five seconds. New figures exist every ten seconds.
    ///
    /// - The table that is open, the place of the keyboard and a selection stay, because elements around the parts stay.
    /// - Screen readers hear only that the figures are no longer updated, and not each update.
    /// - A load balancer may ask another node. Its figures are shown only if this node no longer answers.
    static let text = """
        "use strict";
        const parts = (page) => new Map([...page.querySelectorAll("[data-live]")].map((e) => [e.dataset.live, e]));

        function isUsed(element) {
          const selection = getSelection();
          const isSelected = !selection.isCollapsed && selection.containsNode(element, true);
          return isSelected || element.contains(document.activeElement);
        }

        function show(fresh, place) {
          const [old, now] = [parts(place), parts(fresh)];
          if (old.size !== now.size) {
            // The first figures: there were no graphs before.
            if (!isUsed(place)) place.replaceChildren(...fresh.childNodes);
            return;
          }
          for (const [name, element] of now) {
            const part = old.get(name);
            if (part && !isUsed(part)) part.replaceChildren(...element.childNodes);
          }
        }

        function keepUpToDate(place) {
          let busy = false, failures = 0, others = 0;

          function say(text) {
            const state = place.querySelector("[role=status]");
            if (state.textContent !== text) state.textContent = text;
          }

          async function update() {
            if (document.hidden || busy) return;
            busy = true;
            try {
              const answer = await fetch(place.dataset.liveSource, {
                redirect: "manual", cache: "no-store", signal: AbortSignal.timeout(8000) });
              if (answer.type === "opaqueredirect" || answer.status === 403) {
                clearInterval(timer);
                say("The figures are no longer updated. Load the page again.");
                return;
              }
              if (!answer.ok) throw new Error(answer.status);
              const page = new DOMParser().parseFromString(await answer.text(), "text/html");
              const fresh = page.getElementById(place.id);
              if (fresh.dataset.liveNode !== place.dataset.liveNode && ++others < 6) return;
              [failures, others] = [0, 0];
              place.dataset.liveNode = fresh.dataset.liveNode;
              show(fresh, place);
              say("");
            } catch {
              if (++failures === 3) say("The figures are not updated now, because the service does not answer.");
            } finally {
              busy = false;
            }
          }

          const timer = setInterval(update, 5000);
          document.addEventListener("visibilitychange", update);
        }

        for (const place of document.querySelectorAll("[data-live-source]")) keepUpToDate(place);

        """
}
