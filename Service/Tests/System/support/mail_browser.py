"""Shows mails in headless Chromium, as pictures and as measures."""

import html
import json
import pathlib
import re
import shutil
import subprocess

#: The name of the browser differs between systems. `None`: there is none.
CHROMIUM = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
#: The same engine without windows, which needs a third of the processor time. Where it is missing, the browser. Debian's
#: command for it starts the program and waits, so that a signal would not reach it: this is the program.
SHELL = CHROMIUM and (shutil.which("/usr/lib/chromium/chromium-headless-shell") or CHROMIUM)

#: Widths of screens: the narrowest phone, a usual one, a desktop.
WIDTHS = (320, 390, 900)

#: Measures each frame: texts that do not fit, the code, and the contrast of each paragraph (WCAG 2.2 §1.4.3).
MEASURE = """
function channels(color) { return color.match(/[0-9.]+/g).map(Number); }
function luminance(color) {
  const [r, g, b] = channels(color).map(c => (c /= 255, c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function background(element) {
  for (; element; element = element.parentElement) {
    const color = element.ownerDocument.defaultView.getComputedStyle(element).backgroundColor;
    if (channels(color)[3] !== 0) return color;
  }
  return "rgb(255, 255, 255)";
}
function contrast(element) {
  const style = element.ownerDocument.defaultView.getComputedStyle(element);
  const [dark, light] = [luminance(style.color), luminance(background(element))].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}
window.onload = () => {
  const found = [...document.querySelectorAll("iframe")].map(frame => {
    const page = frame.contentDocument, root = page.documentElement, code = page.querySelector(".code");
    const box = code && code.getBoundingClientRect();
    const range = page.createRange();
    const texts = [...page.querySelectorAll("p")].map(p => {
      range.selectNodeContents(p);
      const text = range.getBoundingClientRect();
      return text.left >= 0 && text.right <= root.clientWidth && text.height > 0;
    });
    return {
      name: frame.name, overflow: root.scrollWidth > root.clientWidth || texts.includes(false),
      code: code && {text: code.innerText, size: parseFloat(page.defaultView.getComputedStyle(code).fontSize),
        lines: (range.selectNodeContents(code), range.getClientRects().length), bottom: box.bottom},
      contrast: Math.min(...[...page.querySelectorAll("p")].map(contrast)), text: page.body.innerText,
      dark: luminance(background(page.querySelector("p"))) < 0.2,
    };
  });
  const result = document.createElement("pre");
  result.id = "result";
  result.textContent = JSON.stringify(found);
  document.body.append(result);
};
"""


def _page(mails: dict[str, str], width: int, height: int) -> str:
    frames = "".join(
        f'<iframe name="{name}" width="{width}" height="{height}" style="border: 1px solid #888; margin: 4px" '
        f'srcdoc="{html.escape(mail)}"></iframe>' for name, mail in mails.items())
    return f'<!DOCTYPE html><meta charset="utf-8"><body>{frames}<script>{MEASURE}</script></body>'


def _run(page: pathlib.Path, dark: bool, *options: str) -> str:
    scheme = ["--blink-settings=preferredColorScheme=0"] if dark else ["--blink-settings=preferredColorScheme=1"]
    result = subprocess.run(
        [SHELL, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=1",
         f"--user-data-dir={page.parent / 'profile'}", *scheme, *options, page.as_uri()],
        capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    return result.stdout


def measures(directory: pathlib.Path, mails: dict[str, str], width: int, dark: bool = False) -> dict[str, dict]:
    """Returns what the browser measured of each mail, by its name."""
    page = directory / "measures.html"
    page.write_text(_page(mails, width, 640))
    output = _run(page, dark, "--dump-dom")
    found = re.search(r'<pre id="result">(.*?)</pre>', output, re.DOTALL)
    assert found, output[-500:]
    return {mail["name"]: mail for mail in json.loads(html.unescape(found[1]))}


def picture(directory: pathlib.Path, name: str, mails: dict[str, str], width: int, dark: bool = False) -> pathlib.Path:
    """Writes a picture of several mails side by side."""
    page, target = directory / f"{name}.html", directory / f"{name}.png"
    page.write_text(_page(mails, width, 520))
    _run(page, dark, f"--screenshot={target}", f"--window-size={4 * (width + 10) + 16},1080")
    return target
