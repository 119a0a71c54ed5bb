"""An operator in front of the console: a page in Chromium that is used as a person uses it."""

import base64
import json
import pathlib

import screen_reader
from browser import Browser, Page
from service import Service

#: Checks that need the finished page: names, headings, tables, ids, contrast (WCAG 2.2 §1.4.3), width.
AUDIT = """
const found = [];
const visible = e => e.getClientRects().length > 0;
const text = e => (e.getAttribute("aria-label") || e.innerText || "").trim();
const note = (what, e) => found.push(what + ": " + e.outerHTML.slice(0, 120));
if (!document.title || document.documentElement.lang !== "en") found.push("title or language");
if (document.querySelectorAll("main").length !== 1) found.push("one main landmark");
if (document.querySelectorAll("h1").length !== 1) found.push("one first heading");
let level = 0;
for (const heading of document.querySelectorAll("h1, h2, h3, h4")) {
  const next = Number(heading.tagName[1]);
  if (next > level + 1) note("heading skips a level", heading);
  level = next;
}
const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) found.push("id twice: " + id);
for (const e of document.querySelectorAll("[aria-describedby], [aria-labelledby]"))
  for (const id of (e.getAttribute("aria-describedby") || e.getAttribute("aria-labelledby")).split(" "))
    if (!document.getElementById(id)) note("describes nothing " + id, e);
for (const e of document.querySelectorAll("input:not([type=hidden]), select, textarea"))
  if (!e.labels.length || !text(e.labels[0])) note("field without label", e);
for (const e of document.querySelectorAll("button, a[href], summary")) if (!text(e)) note("no name", e);
// People who speak to the browser say what they see (WCAG 2.2 §2.5.3).
for (const e of document.querySelectorAll("button[aria-label], a[aria-label]"))
  if (!e.ariaLabel.toLowerCase().includes(e.innerText.trim().toLowerCase())) note("name without the visible text", e);
for (const table of document.querySelectorAll("table")) {
  if (!table.caption) note("table without caption", table);
  for (const cell of table.querySelectorAll("th")) if (!cell.scope) note("header without scope", cell);
}
for (const nav of document.querySelectorAll("nav")) if (!nav.getAttribute("aria-label")) note("nav without name", nav);
if (document.querySelectorAll("script:not([src]), style, [style]").length) found.push("inline code");
const root = document.documentElement;
if (root.scrollWidth > root.clientWidth) found.push("wider than the screen: " + root.scrollWidth);
const channels = color => color.match(/[0-9.]+/g).map(Number);
const luminance = color => {
  const [r, g, b] = channels(color).map(c => (c /= 255, c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const background = e => {
  for (; e; e = e.parentElement) {
    const color = getComputedStyle(e).backgroundColor;
    if (channels(color)[3] !== 0) return color;
  }
  return "rgb(255, 255, 255)";
};
const ratio = (one, other) => {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
};
for (const e of document.body.querySelectorAll("*")) {
  const own = [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
  if (!own || !visible(e)) continue;
  const style = getComputedStyle(e), size = parseFloat(style.fontSize), bold = Number(style.fontWeight) >= 700;
  const least = size >= 24 || (bold && size >= 18.66) ? 3 : 4.5;
  const contrast = ratio(style.color, background(e));
  if (contrast < least) note("contrast " + contrast.toFixed(2), e);
}
for (const e of document.querySelectorAll("input:not([type=hidden]):not([type=checkbox]), select, textarea, button")) {
  if (!visible(e)) continue;
  const style = getComputedStyle(e);
  const edge = Math.max(ratio(style.borderTopColor, background(e.parentElement)),
    ratio(style.backgroundColor, background(e.parentElement)));
  if (edge < 3) note("edge " + edge.toFixed(2), e);
}
for (const e of document.querySelectorAll("button, .button, select, input:not([type=hidden])")) {
  const box = e.getBoundingClientRect();
  if (visible(e) && e.type !== "checkbox" && (box.width < 24 || box.height < 24)) note("smaller than 24 pixels", e);
}
return found;
"""

DESKTOP, PHONE = (1280, 900), (390, 844)


class Operator:
    """One tab with a session of its own. Scripts of pages do not run."""

    def __init__(self, browser: Browser, service: Service, url: str | None = None):
        self.url = url or service.url
        self.page: Page = browser.page(self.url + "/console", browser.profile())
        self.page.call("Emulation.setScriptExecutionDisabled", {"value": True})
        self.show()

    def show(self, size: tuple[int, int] = DESKTOP, dark: bool = False) -> None:
        self.page.call("Emulation.setDeviceMetricsOverride", {
            "width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size == PHONE})
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.page.call("Emulation.setEmulatedMedia", {"features": [scheme]})

    def sign_in(self, key: str) -> None:
        self.open("/sign-in?with=key")
        self.fill("#key", key)
        self.submit("main form")
        assert self.title != "Sign in – Prelude Session", self.text

    def open(self, path: str) -> None:
        self.page.open(f"{self.url}/console{path}")

    def run(self, script: str):
        return self.page.run(script)

    def fill(self, field: str, value: str | bool) -> None:
        """Enters a text, chooses an option, or sets a checkbox."""
        self.run(f"""
            const field = document.querySelector({json.dumps(field)});
            if (field.type === "checkbox") field.checked = {json.dumps(value)};
            else field.value = {json.dumps(value)};""")

    def submit(self, form: str, **fields: str | bool) -> None:
        """Fills fields by name, and presses the button of a form. It waits for the page that follows."""
        for name, value in fields.items():
            self.fill(f'{form} [name="{name}"]', value)
        self.click(f"{form} button[type=submit]")

    def click(self, element: str) -> None:
        self.page._wait(lambda: self.run(f"document.querySelector({json.dumps(element)}).click();"))

    def press(self, key: str, code: int = 0, shift: bool = False) -> None:
        for kind in ("keyDown", "keyUp"):
            self.page.call("Input.dispatchKeyEvent", {
                "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": 8 if shift else 0})

    @property
    def text(self) -> str:
        return self.run("return document.body.innerText;")

    @property
    def title(self) -> str:
        return self.run("return document.title;")

    @property
    def path(self) -> str:
        """The path of the page below /console, without its query."""
        return self.run("return location.pathname;").removeprefix("/console")

    @property
    def findings(self) -> list[str]:
        """What the audits have found on the page: of its elements, and of what a screen reader gets."""
        return self.run(AUDIT) + screen_reader.findings(self.page)

    def picture(self, path: pathlib.Path) -> None:
        picture = self.page.call("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": False})
        path.write_bytes(base64.b64decode(picture["data"]))
