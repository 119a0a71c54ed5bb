import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import SessionTokens

/// A file of the console. Its path contains its hash, so browsers keep it until it changes.
struct Asset: Sendable {
    static let stylesheet = Asset(
        "text/css; charset=utf-8", end: ".css",
        [
            Stylesheet.base, Stylesheet.frame, Stylesheet.parts, Stylesheet.playground, Stylesheet.graphs,
            Stylesheet.reference, Stylesheet.phone,
        ].joined())
    static let icon = Asset("image/svg+xml", end: ".svg", Stylesheet.icon)
    /// Keeps graphs up to date.
    static let liveScript = Asset("text/javascript; charset=utf-8", end: ".js", LiveScript.text)
    static let all = [stylesheet, icon, liveScript] + PlaygroundScripts.all

    let path: ConsolePath
    /// The last part of the path, by which a script imports another one.
    let fileName: String
    private let type: String
    private let text: String

    init(_ type: String, end: String, _ text: String) {
        (self.type, self.text) = (type, text)
        let hash = Base64URL.encode(Data(SHA256.hash(data: Data(text.utf8))).prefix(12))
        fileName = hash + end
        path = ConsolePath.home / "assets" / fileName
    }

    @Sendable func show(_ request: Request, context: some RequestContext) async throws -> Response {
        var response = Response(
            status: .ok,
            headers: [.contentType: type, .cacheControl: "public, max-age=31536000, immutable"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        response.addConsoleHeaders()
        return response
    }
}

/// The script of a page, with what it may call.
struct PageScript: Sendable {
    let asset: Asset
    /// What the script adds to the policy of all pages.
    let policy: String

    /// Keeps graphs up to date.
    static let live = PageScript(asset: .liveScript, policy: "; script-src 'self'; connect-src 'self'")

    /// A script that may call one origin. With trusted types, no text can become markup or code.
    static func calling(_ origin: String, asset: Asset) -> PageScript {
        PageScript(
            asset: asset,
            policy: "; script-src 'self'; connect-src \(origin); require-trusted-types-for 'script'; "
                + "trusted-types 'none'")
    }
}

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
