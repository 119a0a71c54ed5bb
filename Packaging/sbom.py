#!/usr/bin/env python3
"""Writes the bill of materials as SPDX 2.3 JSON: sbom.py VERSION BINARY DEPENDS OUTPUT

It lists the program, the Swift packages of Package.resolved, the Swift runtime that is linked statically, and the Debian
packages of DEPENDS, which are linked dynamically. Times are those of the last commit, so that the file is reproducible.
"""

import hashlib
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAME = "prelude-session"


def output(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def identifier(kind: str, name: str) -> str:
    return f"SPDXRef-{kind}-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def package(kind: str, name: str, version: str, location: str, purl: str, **others) -> dict:
    return {
        "SPDXID": identifier(kind, name), "name": name, "versionInfo": version, "downloadLocation": location,
        "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION", "supplier": "NOASSERTION",
        "externalRefs": [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}],
        **others,
    }


def swift_packages() -> list[dict]:
    result = []
    for pin in json.loads((ROOT / "Package.resolved").read_text())["pins"]:
        state, location = pin["state"], pin["location"].removesuffix(".git")
        version = state.get("version", state["revision"])
        result.append(package(
            "Swift", pin["identity"], version, f"git+{location}.git@{state['revision']}",
            f"pkg:swift/{location.removeprefix('https://')}@{version}"))
    return result


def runtime() -> dict:
    version = re.search(r"Swift version (\S+)", output("swift", "--version"))[1]
    return package(
        "Runtime", "swift-runtime", version, f"https://github.com/swiftlang/swift/tree/swift-{version}-RELEASE",
        f"pkg:github/swiftlang/swift@swift-{version}-RELEASE", licenseDeclared="Apache-2.0 WITH Swift-exception")


def debian_packages(depends: str) -> list[dict]:
    result = []
    for entry in filter(None, (part.strip() for part in depends.split(","))):
        name, constraint = re.fullmatch(r"([a-z0-9.+-]+)(?: \((.*)\))?", entry).groups()
        result.append(package(
            "Debian", name, constraint or "any", "NOASSERTION", f"pkg:deb/debian/{name}",
            comment="Linked dynamically or called. The installed version gets the system's security updates."))
    return result


def main() -> None:
    version, binary, depends, target = sys.argv[1:]
    digest = hashlib.sha256(pathlib.Path(binary).read_bytes()).hexdigest()
    commit = output("git", "rev-parse", "HEAD")
    created = output("git", "log", "-1", "--date=format-local:%Y-%m-%dT%H:%M:%SZ", "--format=%cd")
    program = package(
        "Program", NAME, version, "NOASSERTION", f"pkg:generic/{NAME}@{version}", licenseDeclared="Apache-2.0",
        checksums=[{"algorithm": "SHA256", "checksumValue": digest}], primaryPackagePurpose="APPLICATION")
    static, dynamic = [*swift_packages(), runtime()], debian_packages(depends)
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", program)]
    relations += [(program["SPDXID"], "STATIC_LINK", one) for one in static]
    relations += [(program["SPDXID"], "DEPENDS_ON", one) for one in dynamic]
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{NAME}-{version}", "documentNamespace": f"https://spdx.org/spdxdocs/{NAME}-{version}-{commit}-{digest[:16]}",
        "creationInfo": {"created": created, "creators": ["Tool: scripts/package"]},
        "packages": [program, *static, *dynamic],
        "relationships": [
            {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other["SPDXID"]}
            for one, kind, other in relations],
    }
    pathlib.Path(target).write_text(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    main()
