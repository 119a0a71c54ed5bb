#!/usr/bin/env python3
"""Writes an image of buildah as one archive: archive.py FOLDER NAME:TAG OUTPUT

FOLDER is an OCI layout with a manifest in the format of Docker, which has a health check and that of OCI has none:
`buildah push --format v2s2 IMAGE oci:FOLDER`. The archive also has the list of older versions of `docker load`. The same files
give the same bytes: it lacks the name and the id of the container in which buildah has made the image, and all times.
Prints the size of the last layer.
"""

import gzip
import hashlib
import io
import json
import pathlib
import sys
import tarfile


def main() -> None:
    folder, name, target = pathlib.Path(sys.argv[1]), *sys.argv[2:]
    files: dict[str, bytes] = {"oci-layout": (folder / "oci-layout").read_bytes()}

    def read(one: dict) -> bytes:
        return (folder / place(one)).read_bytes()

    def place(one: dict) -> str:
        return "blobs/" + one["digest"].replace(":", "/")

    def add(one: dict, content: bytes) -> str:
        one |= {"digest": f"sha256:{hashlib.sha256(content).hexdigest()}", "size": len(content)}
        files[place(one)] = content
        return place(one)

    [descriptor] = json.loads((folder / "index.json").read_text())["manifests"]
    manifest = json.loads(read(descriptor))
    config = json.loads(read(manifest["config"]))
    del config["container"], config["container_config"], config["config"]["Hostname"]
    contents = [read(layer) for layer in manifest["layers"]]
    layers = [add(layer, content) for layer, content in zip(manifest["layers"], contents)]
    list_of_docker = [{"Config": add(manifest["config"], encoded(config)), "RepoTags": [name], "Layers": layers}]
    add(descriptor, encoded(manifest))
    # The first one is for containerd, the second one for Podman.
    descriptor["annotations"] = dict.fromkeys(
        ["io.containerd.image.name", "org.opencontainers.image.ref.name"], f"docker.io/library/{name}")
    files["index.json"] = encoded({"schemaVersion": 2, "manifests": [descriptor]})
    files["manifest.json"] = encoded(list_of_docker)
    with tarfile.open(target, "w", format=tarfile.USTAR_FORMAT) as archive:
        for path, content in sorted(files.items()):
            member = tarfile.TarInfo(path)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    print(len(gzip.decompress(contents[-1])))


def encoded(value: dict | list) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


if __name__ == "__main__":
    main()
