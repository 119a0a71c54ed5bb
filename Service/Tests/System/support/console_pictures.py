"""Writes the pictures of the console in docs/images. Run it after a build, from the repository, with the Python of the tests:

    .build/foreign-judge/bin/python Service/Tests/System/support/console_pictures.py

It takes about eight minutes, because it shows the traffic of an hour, on a machine without other work: otherwise the graphs
have gaps. Names of pictures, such as `activity`, write these only. It needs Linux, a C compiler and Chromium.
"""

import base64
import json
import os
import pathlib
import struct
import sys
import tempfile
import zlib
from contextlib import contextmanager
from functools import partial
from unittest.mock import patch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[4] / "Tests" / "ForeignJudge"))
from browser import Browser, Page  # noqa: E402
from console_demo import DAY, FLAGS, PHONE as DEVICE, Demo  # noqa: E402
from console_operator import PHONE, Operator  # noqa: E402
from operator_api import Management  # noqa: E402
from person import Person  # noqa: E402
from playground_user import PlaygroundUser  # noqa: E402
from service import APP, ROOT, Service  # noqa: E402
from shifted_clock import ShiftedService  # noqa: E402

IMAGES = ROOT / "docs" / "images"
HOME = f"/apps/{APP}"
ADMIN = "grace@harbour.example"
OPERATORS = [
    ("margaret@harbour.example", "admin", ""), ("radia@harbour.example", "support", ""),
    ("hedy@harbour.example", "support", APP), ("audit@partner.example", "viewer", ""), (ADMIN, "admin", ""),
]


def more(demo: Demo) -> list:
    """Two more apps with their users, and the operators, with the days before today."""
    def run(*arguments: str) -> None:
        with patch.dict(os.environ, demo.service.variables):
            done = demo.service.run(*arguments)
        assert done.returncode == 0, done.stderr

    def open_app(name: str, app: str, users: int) -> None:
        run("app", "create", name, "--id", app, "--email", "--password")
        for number in range(users):
            Management(demo.service, app=app).expect(201, "POST", "/users", {
                "identifiers": [{"type": "email_address", "value": f"reader{number}@example.net"}]})

    plans = [(33, partial(open_app, "Harbour Press", "hpress1", 11)), (12, partial(open_app, "Warehouse", "depot01", 4))]
    for number, (address, role, app) in enumerate(OPERATORS):
        app = ["--app", app] if app else []
        plans.append((31 - 6 * number, partial(run, "operator", "add", address, "--role", role, *app)))
    return plans


def sign_in(operator: Operator, service: Service, address: str) -> None:
    operator.open("/sign-in")
    operator.submit("main form", address=address)
    operator.submit("main form", code=Person(service).code(address))
    assert operator.path != "/sign-in", operator.text


def work(operator: Operator, demo: Demo) -> None:
    """What an operator does on a morning, for the audit trail."""
    operator.open(f"{HOME}/users/{demo.user}")
    operator.submit("#profile", key="plan", value="platinum")
    operator.open(f"{HOME}/sessions")
    operator.submit("#sessions", maximum_sessions="8")
    operator.submit("#confirm")
    operator.open(f"{HOME}/keys/new")
    operator.submit("#key", name="orders backend", role="write")


#: Chooses a palette of 256 colours for a picture, in the browser. Returns width, height, the palette, and the index of each
#: pixel. The most frequent colours stay; of the others, those that are far from all chosen ones are chosen next.
COLOURS = """
const blob = new Blob([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], { type: "image/png" });
const image = await createImageBitmap(blob);
const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
context.drawImage(image, 0, 0);
const pixels = new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
const counts = new Map();
for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
const colours = [...counts].sort((a, b) => b[1] - a[1]);
const distance = (a, b) => [0, 8, 16].reduce((sum, shift) => sum + ((a >> shift & 255) - (b >> shift & 255)) ** 2, 0);
const palette = colours.slice(0, 160).map(([colour]) => colour);
const rest = colours.slice(160).map(([colour, count]) =>
  ({ colour, count, far: Math.min(...palette.map((each) => distance(each, colour))) }));
while (palette.length < 256 && rest.some((each) => each.far > 0)) {
  const next = rest.reduce((best, each) => each.far * each.count > best.far * best.count ? each : best);
  palette.push(next.colour);
  for (const each of rest) each.far = Math.min(each.far, distance(each.colour, next.colour));
}
const nearest = new Map();
for (const [colour] of colours) {
  let best = 0;
  for (let index = 1; index < palette.length; index += 1)
    if (distance(palette[index], colour) < distance(palette[best], colour)) best = index;
  nearest.set(colour, best);
}
let indices = "";
for (let start = 0; start < pixels.length; start += 8192)
  indices += String.fromCharCode(...Array.from(pixels.subarray(start, start + 8192), (pixel) => nearest.get(pixel)));
return [image.width, image.height, palette.map((each) => [each & 255, each >> 8 & 255, each >> 16 & 255]), btoa(indices)];
"""


def small_png(page: Page, picture: bytes) -> bytes:
    """Returns the PNG with at most 256 colours."""
    data = json.dumps(base64.b64encode(picture).decode())
    width, height, palette, indices = page.run(f"const data = {data};" + COLOURS)
    pixels = base64.b64decode(indices)
    rows = b"".join(b"\0" + pixels[row * width:(row + 1) * width] for row in range(height))
    return b"\x89PNG\r\n\x1a\n" + b"".join([
        _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        _chunk(b"PLTE", b"".join(map(bytes, palette))),
        _chunk(b"IDAT", zlib.compress(rows, 9)), _chunk(b"IEND", b"")])


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


class Camera:
    def __init__(self, browser: Browser, names: tuple[str, ...]):
        """`names`: the pages to take. Empty: all."""
        self._names = names
        self._page = browser.page("about:blank", browser.profile())

    def wants(self, name: str) -> bool:
        return not self._names or name in self._names

    def take(self, operator: Operator, name: str) -> None:
        path = IMAGES / f"console-{name}.png"
        operator.picture(path)
        path.write_bytes(small_png(self._page, path.read_bytes()))
        print(path, path.stat().st_size // 1000, "kB", flush=True)

    def series(self, operator: Operator, name: str, path: str, height: int = 0) -> None:
        """A page in both schemes: with a height on a wide screen, otherwise on a phone."""
        if self.wants(name):
            for dark in (False, True):
                operator.show((1280, height) if height else PHONE, dark)
                operator.open(path)
                self.take(operator, name + ("-dark" if dark else ""))


def play(user: PlaygroundUser, camera: Camera, email: str) -> None:
    """Signs a user in at the playground, and takes the pictures of a refresh."""
    user.show((1280, 1000))
    user.open_playground()
    user.sign_in_user(email)
    for step in ("refresh", "list", "refresh"):
        user.do(step)
    # The ring of the keyboard is not what these pictures are about.
    user.run("document.activeElement.blur();")
    for dark in (False, True):
        user.show((1280, 1000), dark)
        camera.take(user, "playground" + ("-dark" if dark else ""))
    user.do("log-out")


@contextmanager
def shop():
    with tempfile.TemporaryDirectory() as folder:
        demo = Demo(ShiftedService(pathlib.Path(folder), *FLAGS))
        demo.set_clock(-40 * DAY)
        demo.service.start()
        browser = pathlib.Path(folder) / "browser"
        browser.mkdir()
        browser = Browser(browser, "--hide-scrollbars")
        try:
            yield demo, browser
        finally:
            browser.close()
            demo.service.kill()


def main(*names: str, slots: int = 360) -> None:
    with shop() as (demo, browser):
        demo.fill(more(demo))
        demo.traffic(slots)
        operator, camera = Operator(browser, demo.service), Camera(browser, names)
        sign_in(operator, demo.service, ADMIN)
        # At once, because nothing happens any more.
        camera.series(operator, "activity", "", 1340)
        camera.series(operator, "activity-phone", "/activity")
        demo.set_clock(0)
        demo.visit(demo.people[0], DEVICE)
        work(operator, demo)
        operator.open(f"{HOME}/step-up")
        rule = operator.run("return document.querySelector('tbody th a').getAttribute('href');").removeprefix("/console")
        camera.series(operator, "app", HOME, 1180)
        camera.series(operator, "app-phone", HOME)
        camera.series(operator, "user", f"{HOME}/users/{demo.user}", 1180)
        camera.series(operator, "user-phone", f"{HOME}/users/{demo.user}")
        camera.series(operator, "users-phone", f"{HOME}/users")
        camera.series(operator, "rule", rule, 1200)
        camera.series(operator, "claims", f"{HOME}/claims?user={demo.people[0]}", 1240)
        camera.series(operator, "events", f"{HOME}/events", 900)
        camera.series(operator, "events-phone", f"{HOME}/events")
        camera.series(operator, "template", f"{HOME}/templates/email/sign_in/en", 1180)
        camera.series(operator, "template-phone", f"{HOME}/templates/email/sign_in/en")
        camera.series(operator, "operators", "/operators", 560)
        if camera.wants("playground"):
            user = PlaygroundUser(browser, demo.service)
            sign_in(user, demo.service, ADMIN)
            play(user, camera, demo.people[1])


if __name__ == "__main__":
    main(*sys.argv[1:])
