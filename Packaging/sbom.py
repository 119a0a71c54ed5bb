#!/usr/bin/env python3
"""Writes the bill of materials as SPDX 2.3 JSON: sbom.py VERSION PROGRAM STRIPPED DEPENDS OUTPUT FILE…

It lists the packed files, the stripped program in them, what is linked statically into the program (linked.py), and the
Debian packages of DEPENDS, which are linked dynamically or called. A file *.oci.tar is the container image: it lists the Debian
packages that the image adds to its base, with their versions. Packages that only tests or tools use are not in it. are those of the last commit, so that the file is reproducible.
"""

import hashlib
import io
import json
import pathlib
import re
import sys
import tarfile

from linked import PROGRAM, Component, components, output

#: Licences of Debian packages that are not obvious. SQLite is in the public domain.
LICENCES = {"libsqlite3-0": "blessing"}


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


def linked(component: Component) -> dict:
    return package(
        component.kind, component.title, component.version, component.location, component.purl,
        licenseDeclared=component.licence)


def checksum(path: str) -> list[dict]:
    return [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()}]


def debian_packages(depends: str) -> list[dict]:
    result = []
    for entry in filter(None, (part.strip() for part in depends.split(","))):
        name, constraint = re.fullmatch(r"([a-z0-9.+-]+)(?: \((.*)\))?", entry).groups()
        result.append(package(
            "Debian", name, constraint or "any", "NOASSERTION", f"pkg:deb/debian/{name}",
            licenseDeclared=LICENCES.get(name, "NOASSERTION"),
            comment="Linked dynamically or called. The installed version gets the system's security updates."))
    return result


def in_image(path: str) -> list[dict]:
    """The Debian packages in the last layer of an image, without that of the program."""
    result = []
    with tarfile.open(path) as archive:
        [listed] = json.load(archive.extractfile("manifest.json"))
        layer = archive.extractfile(listed["Layers"][-1]).read()
    with tarfile.open(fileobj=io.BytesIO(layer), mode="r:gz") as files:
        for member in files:
            if not member.isfile() or not member.name.startswith("var/lib/dpkg/status.d/"):
                continue
            fields = dict(re.findall(r"^(\S+): (.*)$", files.extractfile(member).read().decode(), re.MULTILINE))
            name, version = fields["Package"], fields["Version"]
            if name != PROGRAM:
                result.append(package(
                    "Image", name, version, "NOASSERTION", f"pkg:deb/debian/{name}@{version}?arch={fields['Architecture']}",
                    licenseDeclared=LICENCES.get(name, "NOASSERTION")))
    return sorted(result, key=lambda one: one["name"])


def main() -> None:
    version, binary, stripped, depends, target, *files = sys.argv[1:]
    commit = output("git", "rev-parse", "HEAD")
    created = output("git", "log", "-1", "--date=format-local:%Y-%m-%dT%H:%M:%SZ", "--format=%cd")
    digests = checksum(stripped)
    program = package(
        "Program", PROGRAM, version, "NOASSERTION", f"pkg:generic/{PROGRAM}@{version}", licenseDeclared="Apache-2.0",
        checksums=digests, primaryPackagePurpose="APPLICATION")
    packed = [
        package(
            "File", name, version, "NOASSERTION", f"pkg:generic/{PROGRAM}@{version}?file_name={name}",
            packageFileName=name, checksums=checksum(file), primaryPackagePurpose="ARCHIVE")
        for file in files for name in [pathlib.Path(file).name]]
    parts = components(pathlib.Path(binary))
    static, dynamic = {one.title: linked(one) for one in parts}, debian_packages(depends)
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", one) for one in [program, *packed]]
    relations += [(one["SPDXID"], "CONTAINS", program) for one in packed]
    relations += [(program["SPDXID"], "STATIC_LINK", one) for one in static.values()]
    relations += [
        (static[one.container.title]["SPDXID"], "CONTAINS", static[one.title]) for one in parts if one.container]
    relations += [(program["SPDXID"], "DEPENDS_ON", one) for one in dynamic]
    added = {one["SPDXID"]: in_image(file) for one, file in zip(packed, files) if file.endswith(".oci.tar")}
    relations += [(image, "CONTAINS", one) for image, ones in added.items() for one in ones]
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{PROGRAM}-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/{PROGRAM}-{version}-{commit}-{digests[0]['checksumValue'][:16]}",
        "creationInfo": {"created": created, "creators": ["Tool: scripts/package"]},
        "packages": [program, *packed, *static.values(), *dynamic, *sum(added.values(), [])],
        "relationships": [
            {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other["SPDXID"]}
            for one, kind, other in relations],
    }
    pathlib.Path(target).write_text(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    main()
