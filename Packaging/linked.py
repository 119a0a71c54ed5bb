#!/usr/bin/env python3
"""Finds what is linked statically into a built program, and its licences: linked.py PROGRAM FOLDER COPYRIGHT

The list of linked object files lies beside the program. The folder gets one text per component, and the file COPYRIGHT gets
all of them, as Debian wants it. A component without a licence is an error. sbom.py lists the same components.
"""

import dataclasses
import json
import mmap
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEXTS = ROOT / "Packaging" / "licenses"
PROGRAM = "prelude-session"
#: Libraries of others inside Swift packages, by the name of their target: the component, its location, and its licence.
VENDORED = {
    "CCryptoBoringSSL": ("boringssl", "https://boringssl.googlesource.com/boringssl", "Apache-2.0"),
    "CNIOBoringSSL": ("boringssl", "https://boringssl.googlesource.com/boringssl", "Apache-2.0"),
    "CXKCP": ("xkcp", "https://github.com/XKCP/XKCP", "CC0-1.0"),
    "CNIOLLHTTP": ("llhttp", "https://github.com/nodejs/llhttp", "MIT"),
}
RULE = "-" * 80


class Missing(Exception):
    """Something that the packages need is not there. The text says what."""


@dataclasses.dataclass
class Component:
    """What is linked: a Swift package, a library inside of one, or a part of the toolchain."""

    kind: str
    name: str
    version: str
    location: str
    purl: str
    #: An SPDX expression.
    licence: str
    #: The texts of licences and notices.
    texts: list[str]
    #: The component that contains this one.
    container: "Component | None" = None

    @property
    def title(self) -> str:
        return f"{self.name}-in-{self.container.name}" if self.container else self.name

    @property
    def text(self) -> str:
        return f"\n{RULE}\n\n".join(text.strip("\n") + "\n" for text in self.texts)


def components(program: pathlib.Path) -> list[Component]:
    """Everything that is linked statically into the program."""
    program = program.resolve()
    listing = program.parent / f"{PROGRAM}.product" / "Objects.LinkFileList"
    scratch = next((folder for folder in program.parents if (folder / "checkouts").is_dir()), None)
    if not listing.exists() or not scratch:
        raise Missing(f"{program} is not in a folder of swift build: there is no {listing.name}")
    found: dict[str, Component] = {}
    inside: list[Component] = []
    for target in sorted(set(re.findall(r"[^\n']+/[^/\n]+\.build(?=/)", listing.read_text()))):
        name = target.rsplit("/", 1)[-1].removesuffix(".build")
        sources = source_folder(listing.parent.parent / f"{name}.build", scratch / "checkouts")
        if sources is None:
            continue
        checkout = sources.relative_to(scratch / "checkouts").parts[0]
        if checkout not in found:
            found[checkout] = swift_package(scratch / "checkouts" / checkout)
        if name in VENDORED:
            inside.append(vendored(name, sources, found[checkout]))
        else:
            found[checkout].texts += [file.read_text() for file in sorted(sources.rglob("LICENSE*"))]
    return sorted([*found.values(), *inside, *toolchain()], key=lambda one: one.title)


def source_folder(target: pathlib.Path, checkouts: pathlib.Path) -> pathlib.Path | None:
    """The folder of the sources of a built target. `None` for a target of this repository.

    A Swift target has a list of its sources. Each object file of a C target has a list of what it depends on.
    """
    lists = [target / "sources"] if (target / "sources").exists() else sorted(target.rglob("*.d"))
    if not lists:
        raise Missing(f"There is no list of sources in {target}")
    text = "\n".join(file.read_text() for file in lists)
    paths = set(re.findall(r"/checkouts/((?:[^\\\s]|\\ )+)", text))
    own = {path for path in paths if path.endswith((".swift", ".c", ".cc", ".cpp", ".S"))}
    if not own:
        return None
    common = pathlib.Path(os.path.commonpath([os.path.dirname(path) for path in own]))
    # Sources of C targets are in folders below that of the target.
    parts = common.parts
    return checkouts / (pathlib.Path(*parts[:3]) if parts[1:2] == ("Sources",) else common)


def swift_package(checkout: pathlib.Path) -> Component:
    pins = json.loads((ROOT / "Service" / "Package.resolved").read_text())["pins"]
    pin = next((pin for pin in pins if pin["identity"] == checkout.name.lower()), None)
    texts = [file.read_text() for pattern in ("LICENSE*", "NOTICE*") for file in sorted(checkout.glob(pattern))]
    if not pin or not any(checkout.glob("LICENSE*")):
        raise Missing(f"The linked package {checkout.name} has no licence, or is not in Service/Package.resolved")
    state, location = pin["state"], pin["location"].removesuffix(".git")
    version = state.get("version", state["revision"])
    return Component(
        "Swift", pin["identity"], version, f"git+{location}.git@{state['revision']}",
        f"pkg:swift/{location.removeprefix('https://')}@{version}", expression(texts[0]), texts)


def vendored(target: str, sources: pathlib.Path, package: Component) -> Component:
    name, location, licence = VENDORED[target]
    texts = [file.read_text() for file in sorted(sources.rglob("LICENSE*"))] or notices(sources)
    if licence == "Apache-2.0":
        texts.append((ROOT / "LICENSE").read_text())
    if (sources / "third_party" / "fiat").is_dir():
        texts.append((TEXTS / "fiat.txt").read_text())
    if not texts:
        raise Missing(f"The linked library {name} in {package.name} has no licence")
    hash_file = sources / "hash.txt"
    revision = re.search(r"revision ([0-9a-f]{40})", hash_file.read_text())[1] if hash_file.exists() else package.version
    return Component(
        "Vendored", name, revision, location, f"pkg:generic/{name}@{revision}", licence, texts, package)


def notices(sources: pathlib.Path) -> list[str]:
    """The different notices at the heads of the source files, without their comment marks."""
    found = set()
    for file in sorted(file for file in sources.rglob("*") if file.suffix in (".c", ".cc", ".h", ".S", ".inc")):
        with open(file, encoding="utf-8", errors="replace") as text:
            head = text.read(4096)
        comment = re.search(r"/\*.*?\*/|(?:^//[^\n]*\n)+", head, re.DOTALL | re.MULTILINE)
        if comment and re.search(r"(?i)copyright", comment[0]):
            lines = [re.sub(r"^\s*(?:/\*+|//+|\*+/|\*)?[ ]?|\s*\*+/\s*$|\s+$", "", line) for line in comment[0].splitlines()]
            found.add("\n".join(lines).strip("\n"))
    return ["\n\n".join(sorted(found)) + "\n"] if found else []


def toolchain() -> list[Component]:
    """Swift's libraries, and ICU, which is a part of Foundation."""
    swift = pathlib.Path(output("sh", "-c", "command -v swift")).resolve()
    home = swift.parent.parent
    version = re.search(r"Swift version (\S+)", output("swift", "--version"))[1]
    licence = home / "share" / "swift" / "LICENSE.txt"
    if not licence.exists():
        raise Missing(f"The toolchain has no licence at {licence}")
    runtime = Component(
        "Runtime", "swift-runtime", version, f"https://github.com/swiftlang/swift/tree/swift-{version}-RELEASE",
        f"pkg:github/swiftlang/swift@swift-{version}-RELEASE", "Apache-2.0 WITH Swift-exception", [licence.read_text()])
    archive = home / "lib" / "swift_static" / "linux" / "lib_FoundationICU.a"
    with open(archive, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        icu = re.search(rb"icudt(\d+)", content)[1].decode()
    return [runtime, Component(
        "Runtime", "icu", icu, "https://github.com/swiftlang/swift-foundation-icu", f"pkg:github/unicode-org/icu@{icu}",
        "Unicode-3.0", [(TEXTS / "icu.txt").read_text()], runtime)]


def expression(text: str) -> str:
    if "Runtime Library Exception" in text:
        return "Apache-2.0 WITH Swift-exception"
    if re.search(r"Apache License\s+Version 2\.0", text):
        return "Apache-2.0"
    return "MIT" if "Permission is hereby granted, free of charge" in text else "NOASSERTION"


#: The text of the Apache License, which every Debian system has.
APACHE = re.compile(
    r" *Apache License\n\s*Version 2\.0, January 2004.*?END OF TERMS AND CONDITIONS(?:.*?limitations under the License\.)?",
    re.DOTALL)


def copyright_of(found: list[Component]) -> str:
    """All texts, with the Apache License by reference (Debian Policy §12.5)."""
    parts = [(ROOT / "Packaging" / "debian" / "copyright").read_text(), (ROOT / "NOTICE").read_text()]
    for one in found:
        text = APACHE.sub("Apache License 2.0: /usr/share/common-licenses/Apache-2.0", one.text)
        place = f", in {one.container.name}" if one.container else ""
        parts.append(f"{one.name} {one.version}{place}\n{one.location}\n\n{text}")
    return f"\n{'=' * 80}\n\n".join(part.strip("\n") + "\n" for part in parts)


def output(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def main() -> None:
    program, folder, target = (pathlib.Path(argument) for argument in sys.argv[1:])
    try:
        found = components(program)
    except Missing as error:
        sys.exit(f"\n{error}")
    for one in found:
        (folder / f"{one.title}.txt").write_text(one.text)
    target.write_text(copyright_of(found))


if __name__ == "__main__":
    main()
