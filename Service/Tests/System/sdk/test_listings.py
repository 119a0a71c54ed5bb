"""Tests that listings that people paste into apps compile against the built SDK, in Swift 5 and Swift 6 mode.

The tutorials and the SwiftUI example also compile with both defaults of isolation: Xcode sets `MainActor` in new projects.
"""

import os
import pathlib
import re
import subprocess

import pytest

from listings import Listing, check, find, typecheck, valid
from service import ROOT

#: The folder of pages with listings, as *.txt.
PAGES = os.environ.get("PRELUDE_SESSION_PAGES", "")

CATALOG = ROOT / "Sources" / "PreludeSession" / "PreludeSession.docc"


def steps_of_tutorials() -> list[tuple[str, pathlib.Path]]:
    """Returns the files of the tutorials' steps, in order: the name of a file and its text."""
    pages = CATALOG / "Tutorials"
    order = re.findall(r'tutorial: "doc:(\w+)"', (pages / "Tutorials.tutorial").read_text())
    text = "\n".join((pages / f"{tutorial}.tutorial").read_text() for tutorial in order)
    found = re.findall(r'@Code\(name: "([^"]+)", file: "([^"]+)"', text)
    return [(name, CATALOG / "Resources" / file) for name, file in found]


STEPS = steps_of_tutorials()

#: Declarations that the snippets use from the app.
GIVEN = "client: PreludeSessionClient, challenge: StepUpChallenge, sessionID: String"

#: Pages in the form in which they are saved: without fences, and with prose joined to the last bracket.
SAVED = '''Skip to main content
Sign in with a code, and let the user see it.
let user = try await client.refresh()
// user.accessToken is fresh.
Handle what the server decides:
import PreludeSession

do {
    let asked = try await client.requestStepUp(scope: "a{b")
    switch asked.status {
    case .blocked:
        // Nothing to do.
    case .continue, .underReview:
        break
    }
} catch PreludeSessionError.forbidden {
    // Not allowed.
}The rest is up to you. Replace ContentView.swift:
ContentView.swift
import SwiftUI
import PreludeSession

private let appID = "YOUR_APP_ID"

struct ContentView: View {
    @State private var code = ""

    var body: some View {
        TextField("Code", text: $code).keyboardType(.numberPad)
    }
}Build and run.
'''


def wrapped(snippets: list[Listing]) -> list[str]:
    """Wraps each snippet in a function, or in a type if it declares functions."""
    sources = ["import Foundation", "import PreludeSession"]
    for number, snippet in enumerate(snippets):
        body = re.sub(r"(?m)^import \w+$", "", valid(snippet.text))
        if re.search(r"(?m)^(@\w+ )?((private|public|final) )*(func|struct|class|enum|actor) ", body):
            sources.append(f"enum Listing{number} {{\n{body}\n}}")
        else:
            sources.append(f"func listing{number}({GIVEN}) async throws {{\n{body}\n}}")
    return sources


@pytest.fixture(scope="module")
def swiftui(tmp_path_factory):
    """Builds the stand-in for SwiftUI, and the views with it, and returns the folder of their modules."""
    folder = tmp_path_factory.mktemp("swiftui")
    result = subprocess.run(
        [ROOT / "scripts" / "apple-views", "iOS", folder, "--newer"], capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    return folder


@pytest.fixture(scope="module")
def listings():
    if not PAGES:
        pytest.skip("PRELUDE_SESSION_PAGES names no folder")
    pages = {path.stem: path.read_text() for path in sorted(pathlib.Path(PAGES).glob("*.txt"))}
    found = [listing for name, page in pages.items() for listing in find(name, page)]
    text = "\n".join(listing.text for listing in found)
    for page in pages.values():
        for line in page.splitlines():
            # A line that is certainly Swift must be in some listing. Otherwise a listing was not found.
            if re.match(r"import (SwiftUI|PreludeSession)$", line) or re.search(r"\bawait client\.", line):
                assert line in text, f"no listing has: {line}"
    with_swift = [page for page in pages.values() if "import PreludeSession" in page]
    assert with_swift, "no page has a listing"
    assert len(found) >= 2 * len(with_swift)
    assert sum(listing.is_app for listing in found) == sum(page.count("import SwiftUI\n") for page in pages.values())
    return found


def test_listings_are_found_without_fences():
    user, decision, app = find("saved", SAVED)
    assert user.text.endswith("is fresh.")
    assert decision.text.startswith("import PreludeSession") and decision.text.endswith("// Not allowed.\n}")
    assert "case .blocked: break" in valid(decision.text) and valid(decision.text).count("break") == 2
    assert app.is_app and app.text.endswith("    }\n}")


@pytest.mark.parametrize("version", [5, 6])
def test_a_wrong_listing_fails_and_a_correct_one_compiles(tmp_path, swiftui, version):
    user, decision, app = find("saved", SAVED)
    for right in (wrapped([user, decision]), [app.text]):
        result = check(tmp_path, right, version, swiftui)
        assert result.returncode == 0, result.stderr
        wrong = [source.replace("client.re", "client.nothing").replace("$code", "code") for source in right]
        assert check(tmp_path, wrong, version, swiftui).returncode != 0


ISOLATIONS = pytest.mark.parametrize("isolation", ["nonisolated", "MainActor"])


@pytest.mark.parametrize("version", [5, 6])
@ISOLATIONS
def test_the_swiftui_example_compiles(swiftui, version, isolation):
    files = sorted((ROOT / "Examples" / "SwiftUI" / "Sources").rglob("*.swift"))
    assert len(files) >= 4
    result = typecheck(files, version, swiftui, isolation=isolation)
    assert result.returncode == 0, result.stderr


def test_a_value_that_leaves_its_region_is_found(tmp_path):
    """The type checker accepts this file."""
    path = tmp_path / "Region.swift"
    path.write_text("""
        final class Text { var value = "" }
        @MainActor func show(_ text: Text) {}
        func send() async {
            let text = Text()
            await show(text)
            text.value = "changed"
        }""")
    assert "sending 'text' risks causing data races" in typecheck([path], 6).stderr


@pytest.mark.parametrize("version", [5, 6])
@ISOLATIONS
@pytest.mark.parametrize("done", range(1, len(STEPS) + 1), ids=lambda done: STEPS[done - 1][1].stem)
def test_the_app_of_the_tutorials_compiles_after_each_step(swiftui, done, version, isolation):
    """Compiles the files in their versions after each step."""
    result = typecheck(list(dict(STEPS[:done]).values()), version, swiftui, isolation=isolation)
    assert result.returncode == 0, result.stderr


def shown_views() -> list[tuple[str, str]]:
    """Returns the listings with views of the documentation: a name, and the text with what it uses of the page's first."""
    found = []
    for page in sorted((ROOT / "Sources").glob("*/*.docc/*.md")):
        blocks = re.findall(r"(?ms)^```swift\n(.*?)^```$", page.read_text())
        blocks = [block for block in blocks if "import SwiftUI" in block]
        for number, block in enumerate(blocks):
            declared = set(re.findall(DECLARATION, block, re.MULTILINE))
            others = [other for name, other in types(blocks[0]) if name not in declared]
            found.append((f"{page.stem}-{number}", block + "\n".join(others if number else [])))
    return found


DECLARATION = r"^struct (\w+)"


def types(listing: str) -> list[tuple[str, str]]:
    """Returns the views that a listing declares: a name and the declaration."""
    return [(re.match(DECLARATION, text)[1], text) for text in re.findall(r"(?ms)^struct .*?^}$", listing)]


@pytest.mark.parametrize("version", [5, 6])
def test_the_listings_of_the_views_compile(tmp_path, swiftui, version):
    found = shown_views()
    assert len(found) > 6
    for name, text in found:
        result = check(tmp_path, [text], version, swiftui)
        assert result.returncode == 0, f"{name}:\n{result.stderr}"


def views(text: str) -> list[str]:
    return re.findall(r"(?m)^struct (\w+): View ", text)


def test_the_app_of_the_tutorials_shows_each_of_its_views():
    texts = {name: file.read_text() for name, file in dict(STEPS).items()}
    assert sum(len(views(text)) for text in texts.values()) >= 2
    for name, text in texts.items():
        for view in views(text):
            elsewhere = (other for place, other in texts.items() if place != name)
            assert any(f"{view}(" in other for other in elsewhere), f"{view} is shown nowhere"


def test_the_tutorials_call_paths_of_the_example_backend():
    backend = (ROOT / "Examples" / "Backend" / "Sources" / "Backend" / "Backend.swift").read_text()
    port = re.search(r'environment\["PORT"\].* \?\? (\d+)$', backend, re.MULTILINE)[1]
    urls = {url for _, file in STEPS for url in re.findall(r'URL\(string: "([^"]+)"', file.read_text())}
    assert urls == {f"http://localhost:{port}/{path}" for path in ("notes", "accounts/transfers")}
    assert 'router.group("/notes")' in backend and 'router.group("/accounts")' in backend
    assert '.post("/transfers")' in backend


@pytest.mark.parametrize("version", [5, 6])
def test_snippets_of_further_pages_compile(tmp_path, listings, version):
    snippets = [listing for listing in listings if not listing.is_app]
    assert snippets
    result = check(tmp_path, wrapped(snippets), version)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("version", [5, 6])
def test_apps_of_further_pages_compile(tmp_path, listings, swiftui, version):
    for app in (listing for listing in listings if listing.is_app):
        result = check(tmp_path, [valid(app.text)], version, swiftui)
        assert result.returncode == 0, f"{app.page}:\n{result.stderr}"
