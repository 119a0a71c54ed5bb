"""An operator in the playground of the console: scripts run, and each step is read from the log of the page."""

import json

from browser import Browser
from console_operator import Operator
from service import APP, Service

#: The newest step of the log, as a person reads it.
NEWEST = """
const step = document.querySelector("#play-log > li");
const texts = (root, selector) => [...root.querySelectorAll(selector)].map((e) => e.textContent);
return {
  title: step.querySelector("h3").textContent,
  state: step.querySelector(".badge").textContent,
  swift: texts(step, ".swift").join(""),
  error: step.querySelector(".error").textContent,
  calls: [...step.querySelectorAll(".call")].map((call) => {
    const [request, answer] = texts(call, "pre"), names = texts(call, "dt"), values = texts(call, "dd code");
    return {
      method: call.querySelector(".method").textContent, path: call.querySelector(".path").textContent,
      status: call.querySelector(".badge").textContent, request, answer, hints: texts(call, ".hint"),
      proof: Object.fromEntries(names.map((name, index) => [name, values[index]])),
    };
  }),
};"""


class PlaygroundUser(Operator):
    def __init__(self, browser: Browser, service: Service, url: str | None = None):
        super().__init__(browser, service, url)
        self.page.call("Emulation.setScriptExecutionDisabled", {"value": False})

    def open_playground(self) -> None:
        self.open(f"/apps/{APP}/playground")
        self.page.wait_until("document.getElementById('play-root')?.hidden === false")

    def enter(self, **fields: str) -> None:
        """Fills in fields by their names, such as `scope_code`."""
        for name, value in fields.items():
            self.fill(f"#play-{name.replace('_', '-')}", value)

    def press_button(self, button: str) -> None:
        """Presses a button by its name, or the one that submits a form by the form's name."""
        self.run(f"""
            const found = document.getElementById("play-" + {json.dumps(button)});
            (found.matches("form") ? found.querySelector("[type=submit]") : found).click();""")

    def do(self, button: str, **fields: str) -> dict:
        """Does a step, and returns it from the log when it has ended."""
        self.enter(**fields)
        self.run("globalThis.before = document.querySelector('#play-log > li');")
        self.press_button(button)
        self.wait_for_step()
        return self.newest

    def wait_for_step(self) -> None:
        self.page.wait_until("document.querySelector('#play-log > li') !== globalThis.before"
                             " && !document.getElementById('play-root').hasAttribute('aria-busy')")

    @property
    def newest(self) -> dict:
        return self.run(NEWEST)

    def take(self, field: str, button: str) -> str:
        """Takes the code from the mailbox, and returns it."""
        self.enter(**{field: ""})
        self.press_button(button)
        self.page.wait_until(f"document.getElementById('play-{field.replace('_', '-')}').value")
        return self.run(f"return document.getElementById('play-{field.replace('_', '-')}').value;")

    def sign_in_user(self, email: str) -> dict:
        """Signs a user of the app in with a code from the mailbox, and returns the last step."""
        assert self.do("start", address=email)["state"] == "done"
        self.take("code", "take")
        return self.do("check")

    @property
    def focused(self) -> str:
        return self.run("return document.activeElement.id;")

    @property
    def cards(self) -> list[str]:
        """The titles of the panels that are shown."""
        return self.run("""
            return [...document.querySelectorAll("[data-state]")].filter((card) => !card.hidden)
                .map((card) => card.querySelector("h2").textContent);""")
