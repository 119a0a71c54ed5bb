"""Tests that the documentation matches the code: names, codes, paths, settings and links, and that its Swift compiles."""

import json
import re
import subprocess

import pytest

from service import ROOT

PAGES = [
    *(ROOT / f"{page}.md" for page in ("README", "CONTRIBUTING", "SECURITY", "Benchmarks/README", "Service/README", "Vectors/README")),
    *(ROOT / folder / "README.md" for folder in ("scripts", "Service/Tests")),
    *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "Benchmarks").glob("notes.md")),
    *sorted(ROOT.glob("Sources/*/README.md")), *sorted(ROOT.glob("Service/Sources/*/README.md")),
    *sorted((ROOT / "Examples").glob("*.md")), *sorted((ROOT / "Examples").glob("*/*.md")),
    *sorted(ROOT.glob("Sources/*/*.docc/*.md")), *sorted(ROOT.glob("Service/Sources/*/*.docc/*.md")),
]


def read(*path: str) -> str:
    return ROOT.joinpath(*path).read_text()


def anchors(markdown: str) -> set[str]:
    """Returns the anchors of headings: lower case, hyphens for spaces, no punctuation."""
    headings = re.findall(r"^#+ (.*)$", markdown, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_has_a_target(page):
    for target in re.findall(r"\]\((?!https?://)([^)\s]+)\)", page.read_text()):
        name, _, anchor = target.partition("#")
        linked = (page.parent / name).resolve() if name else page
        assert linked.exists(), f"{page.name}: {target}"
        assert not anchor or anchor in anchors(linked.read_text()), f"{page.name}: {target}"


def pictures(page) -> dict[str, str]:
    """Returns the files of the pictures of a page, with their descriptions. A file for dark colours has that of the light one."""
    text = page.read_text()
    found = {file: words for words, file in re.findall(r"!\[([^\]]*)\]\(([^)\s]+)\)", text)}
    for block in re.findall(r"(?s)<picture>.*?</picture>", text):
        words = re.search(r'<img[^>]* alt="([^"]+)"', block)
        for file in re.findall(r'src(?:set)?="([^"]+)"', block):
            found[file] = words[1] if words else ""
    return {str((page.parent / file).resolve()): words for file, words in found.items()}


def test_every_picture_is_described_used_and_small():
    shown = {file: words for page in PAGES for file, words in pictures(page).items()}
    files = {str(file): file.stat().st_size for file in (ROOT / "docs" / "images").iterdir()}
    assert set(shown) == set(files)
    assert all(len(words) > 20 for words in shown.values()), shown
    # Everyone who clones the repository downloads them, each version again.
    assert sum(files.values()) < 1_500_000


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_json_blocks_are_valid_json(page):
    for block in re.findall(r"^```json\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL):
        json.loads(block)


#: The modules of a block that prints no imports. A block that needs another one prints all of its own.
USUAL = "".join(f"import {module}\n" for module in (
    "Foundation", "HTTPTypes", "Hummingbird", "PreludeSession", "PreludeSessionAsyncHTTPClient",
    "PreludeSessionHummingbird", "PreludeSessionTesting", "PreludeSessionVerifier", "Testing"))

#: Matches the imports that a block prints. `FoundationNetworking` exists on Linux only.
IMPORT = re.compile(
    r"^(?:import (?!FoundationNetworking)\w+\n+"
    r"|#if canImport\(FoundationNetworking\)\n +import FoundationNetworking\n#endif\n+)", re.MULTILINE)

#: Declarations that the Swift of the pages uses from the app.
APP_AROUND = """
func askForCode(_ problem: String? = nil) async -> String { "" }
"""


def swift_file(number: int, block: str) -> str:
    """Returns a file with the imports of a block and its code, in a function unless it declares something."""
    imports, code = "".join(IMPORT.findall(block)) or USUAL, IMPORT.sub("", block)
    if re.search(r"^(@Test|struct )", code, re.MULTILINE):
        return f"{imports}\n{code}"
    given = "newPassword: String, oldSessionToken: String"
    if "import" not in block or "import PreludeSessionTesting" in block:
        given += ", service: TestService"
    if "let client" not in code:
        given = f"client: PreludeSessionClient, {given}"
    if "verifier" in code.lower():  # a backend's, not an app's
        given = "bearer: String, request: HTTPRequest"
        if "let verifier" not in code:
            given += ", verifier: SessionVerifier"
        imports += "import HTTPTypes\n"
    return f"{imports}\nfunc page{number}({given}) async throws {{\n{code}\n}}\n"


def typecheck(folder, files: dict[str, str]) -> subprocess.CompletedProcess:
    for name, text in files.items():
        (folder / f"{name}.swift").write_text(text)
    build = ROOT / "Service" / ".build"
    # The C modules of the dependencies, as the build found them.
    c_modules = sorted(set(re.findall(r'"(-fmodule-map-file=[^"]+)"', (build / "debug.yaml").read_text())))
    return subprocess.run(
        ["swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", "-I", build / "debug" / "Modules",
         "-I", folder,
         *(flag for module in c_modules for flag in ("-Xcc", module)),
         *(folder / f"{name}.swift" for name in files)],
        capture_output=True, text=True, timeout=120)


def test_swift_blocks_compile(tmp_path):
    blocks = [
        block for page in PAGES
        for block in re.findall(r"^```swift\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
        if "import SwiftUI" not in block]  # test_listings.py compiles those with SwiftUI
    assert len(blocks) >= 13
    files = {f"Page{number}": swift_file(number, block) for number, block in enumerate(blocks)}
    result = typecheck(tmp_path, {"Around": APP_AROUND, **files})
    assert result.returncode == 0, result.stderr


def test_the_example_for_vapor_compiles_with_a_stand_in(tmp_path):
    stub = subprocess.run(
        ["swiftc", "-emit-module", "-parse-as-library", "-swift-version", "6", "-module-name", "Vapor",
         "-emit-module-path", tmp_path / "Vapor.swiftmodule", ROOT / "Stubs" / "Vapor" / "Vapor.swift"],
        capture_output=True, text=True, timeout=120)
    assert stub.returncode == 0, stub.stderr
    result = typecheck(tmp_path, {"Example": read("Examples", "Vapor", "VerifierMiddleware.swift")})
    assert result.returncode == 0, result.stderr


def test_blocks_that_are_whole_files_print_their_imports():
    for page in PAGES:
        for block in re.findall(r"^```swift\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL):
            if re.search(r"^(@Test|struct )", block, re.MULTILINE):
                assert IMPORT.search(block), f"{page.name}:\n{block}"


def test_a_block_without_an_import_that_it_needs_is_found(tmp_path):
    block = 'var request = URLRequest(url: URL(string: "https://api.example.com")!)\ntry await client.authorize(&request)\n'
    linux_only = "#if canImport(FoundationNetworking)\n    import FoundationNetworking\n#endif\n"
    complete = f"import Foundation\nimport PreludeSession\n{linux_only}\n{block}"
    assert typecheck(tmp_path, {"Page": swift_file(1, complete)}).returncode == 0
    assert typecheck(tmp_path, {"Page": swift_file(1, block)}).returncode != 0
    # On Apple systems there is no such module.
    bare = swift_file(1, complete.replace(linux_only, "import FoundationNetworking\n"))
    assert typecheck(tmp_path, {"Page": bare}).returncode != 0


def test_the_protocol_page_has_every_path():
    paths = re.findall(r'case \w+ = "([^"]+)"', read("Sources", "SessionWire", "Frontend", "FrontendPath.swift"))
    page = read("docs", "protocol.md")
    assert len(paths) > 15
    for path in paths:
        assert re.search(re.escape(path.removeprefix("/v1/session")) + r"[`? ]", page), path


def test_the_protocol_page_has_every_error_code_and_no_other():
    codes = set(re.findall(r'ErrorCode = "([^"]+)"', read("Sources", "SessionWire", "ErrorCode.swift")))
    table = read("docs", "protocol.md").split("## Errors")[1].split("\n\n")[1]
    assert set(re.findall(r"`([a-z_]+)`", table)) == codes


def test_the_hooks_page_has_every_failure():
    failures = re.findall(r'case \w+ = "([^"]+)"', read("Service", "Sources", "SessionDomain", "Core", "Hooks", "HookCall.swift"))
    page = read("docs", "hooks.md")
    assert len(failures) == 10
    for failure in failures:
        assert f"| `{failure}` |" in page


def test_the_webhooks_page_has_every_event():
    source = read("Service", "Sources", "SessionDomain", "Core", "Events", "EventNames.swift")
    names = re.findall(r'Name\(rawValue: "((?!management\.)[^"]+)"', source)
    page = read("docs", "webhooks.md")
    assert len(names) > 10
    for name in names:
        assert f"`{name}`" in page


def test_the_map_of_each_target_names_files_that_exist():
    """A path begins in the folder of the target or in the root. The name of a test alone is found by its name."""
    tests = {path.name for folder in ("Tests", "Service/Tests") for path in (ROOT / folder).rglob("*.*")}
    targets = [path for folder in ("Sources", "Service/Sources") for path in (ROOT / folder).iterdir() if any(path.rglob("*.swift"))]
    named = 0
    for target in targets:
        for row in re.findall(r"(?m)^\| (?!---|to change)(.*) \|$", read(target, "README.md")):
            for name in re.findall(r"`([^`]+)`", row.split(" | ", 1)[1]):
                found = (target / name).exists() or (ROOT / name).exists() or name in tests
                assert found or any(target.rglob(f"{name}.swift")), f"{target.name}: {name}"
                named += 1
    assert len(targets) > 15 and named > 150


def test_contributing_and_the_page_of_the_tests_name_files_that_exist():
    for page in (("CONTRIBUTING.md",), ("Service", "Tests", "README.md")):
        named = re.findall(r"`((?:Service|Sources|Tests|scripts)/[^` …]*)`", read(*page))
        assert len(named) > 5
        assert not [path for path in named if not (ROOT / path).exists()]


def test_decisions_are_listed_and_short():
    pages = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
    assert re.findall(r"\]\((\S+\.md)\)", read("docs", "decisions", "README.md")) == [page.name for page in pages]
    for page in pages:
        text = page.read_text()
        assert len(text.split()) <= 250, page.name
        assert re.findall(r"(?m)^\*\*(\w+)\.\*\*", text) == ["Context", "Decision", "Costs"], page.name


def test_the_page_of_the_scripts_has_each_of_them():
    rows = {name for row in re.findall(r"(?m)^\| (`.*?) \|", read("scripts", "README.md")) for name in re.findall(r"`([^`]+)`", row)}
    assert rows == {path.name for path in (ROOT / "scripts").iterdir() if path.suffix != ".md"}


def test_the_operating_page_has_every_setting():
    source = read("Service", "Sources", "prelude-session", "Configuration", "SettingDefinition.swift")
    block = re.search(r"enum Key: String, CaseIterable \{\n(.*?)\n\n", source, re.DOTALL)
    keys = re.findall(r"\w+", re.sub(r"\bcase\b", "", block[1]))
    page = read("docs", "operating.md") + read("docs", "delivery.md")
    assert len(keys) > 10
    for key in keys:
        # delivery.md says that a second route has the same settings.
        key = re.sub(r"^(email|sms)Fallback", r"\1", key)
        assert re.search(rf"^\| .*`{key}`.* \|", page, re.MULTILINE), key
    assert "`drainDelay` in the settings file is `PRELUDE_SESSION_DRAIN_DELAY`" in " ".join(page.split())


# Proves: G8
def test_the_program_knows_every_variable_that_the_repository_reads():
    """It rejects unknown ones, and a shell in which scripts/environment was sourced has those of the scripts."""
    source = read("Service", "Sources", "prelude-session", "Configuration", "EnvironmentVariables.swift")
    known = set(re.findall(r'"([A-Z_]+)"', source))
    settings = read("Service", "Sources", "prelude-session", "Configuration", "SettingDefinition.swift")
    block = re.search(r"enum Key: String, CaseIterable \{\n(.*?)\n\n", settings, re.DOTALL)
    for key in re.findall(r"\w+", re.sub(r"\bcase\b", "", block[1])):
        known.add(re.sub(r"([A-Z])", r"_\1", key).upper())
    used = set()
    for folder in ("scripts", "Tests", "Benchmarks", "Examples", ".github", "Service/Tests", "Service/Benchmarks"):
        for path in [ROOT / "Service" / "Package.swift", *(ROOT / folder).rglob("*")]:
            if path.is_file() and path.suffix in ("", ".swift", ".py", ".yml", ".sh"):
                used |= set(re.findall(r"PRELUDE_SESSION_([A-Z]+(?:_[A-Z]+)*)\b", path.read_text(errors="ignore")))
    # Misspelled on purpose, in tests.
    misspelled = {"TRUSTED_PROXY", "TRUSTED_PROXYS", "EMAIL_PASSWORD", "EMAIL_USER", "FOO", "TLS"}
    assert used - known <= misspelled
    assert {"TAGGED", "JUDGE_PYTHON", "PAGES", "EXPLORE"} <= used
