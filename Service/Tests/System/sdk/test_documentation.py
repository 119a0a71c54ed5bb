"""Tests that the documentation of the libraries renders, describes every public symbol and links to it."""

import json
import pathlib
import re
import subprocess

import pytest

from service import ROOT

#: The list of `scripts/docs`: each library that apps and backends import.
LIBRARIES = re.search(r"(?m)^libraries=\(([^)]*)\)$", (ROOT / "scripts" / "docs").read_text())[1].split()


@pytest.fixture(scope="module", autouse=True)
def rendered():
    """Renders the documentation and returns its folder. Fails for a missing link target or symbol."""
    for script in (["check-apple", "symbols"], ["docs"]):
        result = subprocess.run(
            [ROOT / "scripts" / script[0], *script[1:]], capture_output=True, text=True, timeout=300)
        assert result.returncode == 0, result.stdout + result.stderr
    return ROOT / ".build" / "docc"


def symbols(library: str) -> dict[str, dict]:
    """Returns the public symbols of a library by identifier, without symbols that the compiler adds."""
    folder = ROOT / ".build" / "docc" / "symbols" / library
    graph = json.loads((folder / f"{library}.symbols.json").read_text())
    # A requirement of a protocol is described in the protocol.
    duties = {edge["source"] for edge in graph["relationships"] if "sourceOrigin" in edge}
    return {
        symbol["identifier"]["precise"]: symbol for symbol in graph["symbols"]
        if symbol["identifier"]["precise"] not in duties and "location" in symbol}


def undescribed(found: dict[str, dict]) -> list[str]:
    return sorted(".".join(symbol["pathComponents"]) for symbol in found.values() if not words(symbol))


def words(symbol: dict) -> str:
    return " ".join(line["text"] for line in symbol.get("docComment", {}).get("lines", [])).strip()


def catalog(library: str) -> pathlib.Path:
    package = ROOT if (ROOT / "Sources" / library).is_dir() else ROOT / "Service"
    return package / "Sources" / library / f"{library}.docc"


def topics(page: str) -> set[str]:
    """Returns the symbols in the topics of a page."""
    return {re.sub(r"-(\(.*\)|swift\..*)$", "", link) for link in re.findall(r"(?m)^- ``([^`]+)``$", page)}


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_public_symbol_is_described(library):
    found = symbols(library)
    assert len(found) > 2
    assert not undescribed(found)


def test_an_undescribed_symbol_is_found():
    found = symbols("PreludeSession")
    client = next(symbol for symbol in found.values() if symbol["pathComponents"] == ["PreludeSessionClient"])
    del client["docComment"]
    assert undescribed(found) == ["PreludeSessionClient"]


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_type_is_in_the_topics(library):
    types = {symbol["pathComponents"][0] for symbol in symbols(library).values() if len(symbol["pathComponents"]) == 1}
    listed = topics((catalog(library) / f"{library}.md").read_text())
    nested = {name for name in listed if "/" in name}
    assert types == listed - nested
    assert nested <= {"/".join(symbol["pathComponents"]) for symbol in symbols(library).values()}


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_type_with_its_own_page_lists_all_its_members(library):
    members: dict[str, set[str]] = {}
    for symbol in symbols(library).values():
        if len(symbol["pathComponents"]) == 2:
            members.setdefault(symbol["pathComponents"][0], set()).add(symbol["pathComponents"][1])
    pages = {page.stem: page for page in catalog(library).glob("*.md") if page.stem in members}
    assert pages
    for name, page in pages.items():
        # A type in the type may be in the topics of the library.
        listed = topics(page.read_text()) | {
            topic.split("/")[1] for topic in topics((catalog(library) / f"{library}.md").read_text())
            if topic.startswith(f"{name}/")}
        # A requirement of a protocol may be in the topics, but need not be.
        assert members[name] <= listed, f"{name}: {members[name] - listed}"


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_throwing_call_documents_its_errors(library):
    """Every throwing call documents its errors. Types need not repeat the errors of their calls."""
    silent = [
        ".".join(symbol["pathComponents"]) for symbol in symbols(library).values()
        if any(piece["spelling"] == "throws" for piece in symbol["declarationFragments"])
        and symbol["kind"]["identifier"] != "swift.typealias" and "Throws:" not in words(symbol)]
    # The documentation of the store protocol covers all its methods.
    assert not [name for name in silent if not name.startswith("PreludeCredentialStore.")]


def test_symbols_of_apple_systems_are_described():
    names = {symbol["pathComponents"][0] for symbol in symbols("PreludeSession").values()}
    assert {"PreludeKeychainCredentialStore", "PreludeSecureEnclaveDeviceKeyStore"} <= names


def test_tutorials_show_all_their_files():
    folder = catalog("PreludeSession")
    shown = set()
    for tutorial in (folder / "Tutorials").glob("*.tutorial"):
        shown |= set(re.findall(r'(?:file|source): "?([\w.-]+)', tutorial.read_text()))
    assert len(shown) > 5
    assert shown == {path.name for path in (folder / "Resources").iterdir()}


def test_tutorials_are_rendered(rendered):
    pages = rendered / "PreludeSession.doccarchive" / "data" / "tutorials"
    for tutorial in (catalog("PreludeSession") / "Tutorials").glob("*.tutorial"):
        assert list(pages.rglob(f"{tutorial.stem.lower()}.json")), tutorial.name
