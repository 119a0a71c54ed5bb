"""Tests the container image with the built debug program: what is in it, and that it runs with a read-only root.

The base of the image is made of files of this machine, which takes a second and needs no registry. The image runs with Podman.
Where Podman cannot run containers, for example in another container, its files are the root of a process without it.
"""

import contextlib
import gzip
import hashlib
import importlib
import io
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import tarfile
import time
import urllib.request

import pytest

from packing import VERSION, must, packages_of_this_run, run
from service import BINARY, ROOT
from sockets import free_port

missing = [tool for tool in ("buildah", "dpkg-deb") if not shutil.which(tool)]
pytestmark = [
    pytest.mark.skipif(bool(missing), reason=f"there is no {' and no '.join(missing)}"),
    pytest.mark.skipif(os.geteuid() != 0, reason="this needs root"),
]

USER = 64000
SERVE = ["serve", "--host", "0.0.0.0"]
#: Copies what a Debian system consists of at least, and apt with its sources, from this machine to `$root`. apt in the copy
#: must not ask for dependencies that it does not use.
BASE = r"""
set -euo pipefail
needed=$(dpkg-query --show --showformat '${Essential} ${Package}\n' | sed -n 's/^yes //p')
named=$(apt-cache depends --installed --recurse --no-{recommends,suggests,conflicts,breaks,replaces,enhances} $needed apt)
packages=$(comm -12 <(sed -n '/^\w/p' <<<"$named" | sort -u) <(dpkg-query --show --showformat '${Package}\n' | sort -u))
for folder in bin sbin lib lib64; do mkdir -p "$root/usr/$folder"; ln -s "usr/$folder" "$root/$folder"; done
{ dpkg-query --listfiles $packages; find /etc/apt; } | grep -vE '^/usr/share/(man|doc|locale)/.|^/(bin|sbin|lib|lib64)$' | sort -u |
    while read -r file; do if [ -e "$file" ]; then printf '%s\0' "${file#/}"; fi; done |
    tar --directory / --create --no-recursion --null --files-from - |
    tar --extract --keep-directory-symlink --directory "$root"
mkdir -p "$root/var/lib/dpkg"
dpkg-query --status $packages | sed -E '/^(Pre-)?Depends:/d' >"$root/var/lib/dpkg/status"
cp /usr/share/base-passwd/passwd.master "$root/etc/passwd"
cp /usr/share/base-passwd/group.master "$root/etc/group"
ln -sf bash "$root/bin/sh"
"""


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """The name of the base image."""
    root = tmp_path_factory.mktemp("base")
    must("bash", "-c", BASE, env={**os.environ, "root": str(root)})
    name = f"localhost/prelude-session-test-base:{os.getpid()}"
    container = must("buildah", "from", "scratch").strip()
    must("buildah", "add", "--quiet", container, root, "/")
    must("buildah", "commit", "--quiet", "--rm", "--format", "docker", container, name)
    shutil.rmtree(root)
    yield name
    run("buildah", "rmi", "--force", name)


@pytest.fixture(scope="module")
def deb(tmp_path_factory):
    return next(packages_of_this_run(tmp_path_factory).glob("*.deb"))


def build(deb, base, folder) -> pathlib.Path:
    must(ROOT / "scripts" / "package", "--image", deb, "--base", base, "--output", folder)
    [archive] = folder.iterdir()
    return archive


@pytest.fixture(scope="module")
def archive(deb, base, tmp_path_factory):
    return build(deb, base, tmp_path_factory.mktemp("image"))


@pytest.fixture(scope="module")
def blobs(archive):
    """The files of the archive."""
    with tarfile.open(archive) as files:
        return {member.name: files.extractfile(member).read() for member in files}


@pytest.fixture(scope="module")
def configuration(blobs):
    [listed] = json.loads(blobs["manifest.json"])
    return json.loads(blobs[listed["Config"]])


@pytest.fixture(scope="module")
def layer(blobs):
    """What the image adds to its base."""
    [listed] = json.loads(blobs["manifest.json"])
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(blobs[listed["Layers"][-1]]))) as files:
        yield files


# Content


def test_two_images_of_one_package_have_the_same_bytes(deb, base, archive, tmp_path):
    assert build(deb, base, tmp_path).read_bytes() == archive.read_bytes()


def test_the_archive_is_an_oci_layout_and_has_the_list_that_docker_loads(archive, blobs):
    assert archive.name == f"prelude-session-{VERSION}-linux-{must('dpkg', '--print-architecture').strip()}.oci.tar"
    assert json.loads(blobs["oci-layout"]) == {"imageLayoutVersion": "1.0.0"}
    [descriptor] = json.loads(blobs["index.json"])["manifests"]
    manifest = json.loads(blobs["blobs/" + descriptor["digest"].replace(":", "/")])
    for one in (descriptor, manifest["config"], *manifest["layers"]):
        content = blobs["blobs/" + one["digest"].replace(":", "/")]
        assert one["digest"] == f"sha256:{hashlib.sha256(content).hexdigest()}" and one["size"] == len(content)
    [listed] = json.loads(blobs["manifest.json"])
    assert listed["RepoTags"] == [f"prelude-session:{VERSION}"]
    assert [listed["Config"], *listed["Layers"]] == [
        "blobs/" + one["digest"].replace(":", "/") for one in (manifest["config"], *manifest["layers"])]


def test_the_image_says_how_it_runs(configuration):
    config = configuration["config"]
    assert (config["User"], config["StopSignal"], config["WorkingDir"]) == (f"{USER}:{USER}", "SIGTERM", "/var/lib/prelude")
    assert (config["Entrypoint"], config["Cmd"]) == (["prelude-session"], SERVE)
    assert (config["ExposedPorts"], config["Volumes"]) == ({"8080/tcp": {}}, {"/var/lib/prelude": {}})
    assert config["Healthcheck"]["Test"] == ["CMD", "prelude-session", "health"]
    assert config["Labels"]["org.opencontainers.image.version"] == VERSION


def test_the_image_adds_the_program_and_few_libraries(layer):
    members = {member.name: member for member in layer}
    program = members["usr/bin/prelude-session"]
    rest = sum(member.size for member in members.values()) - program.size
    assert rest < 15_000_000
    assert not [name for name in members if re.search(r"/man/|/systemd/|/bash-completion/|\.gz$|var/log|var/cache|\.wh\.", name)]
    commit = int(must("git", "-C", ROOT, "log", "-1", "--format=%ct"))
    assert {member.mtime for member in members.values()} == {commit}
    assert b"BEGIN CERTIFICATE" in layer.extractfile("etc/ssl/certs/ca-certificates.crt").read()
    assert f"prelude:x:{USER}:{USER}:" in layer.extractfile("etc/passwd").read().decode()
    for folder in ("etc/prelude", "var/lib/prelude"):
        assert (members[folder].uid, members[folder].gid, members[folder].mode & 0o777) == (USER, USER, 0o700)
    owned = {name for name, member in members.items() if member.uid}
    assert owned == {"etc/prelude", "var/lib/prelude"}
    assert not [name for name, member in members.items() if member.mode & 0o6000]


def test_scanners_find_the_packages_and_their_licences(layer):
    names = {pathlib.Path(name).name for name in layer.getnames() if name.startswith("var/lib/dpkg/status.d/")}
    assert {"prelude-session", "libpq5", "libcurl4", "libssl3", "libsodium23", "libsqlite3-0", "ca-certificates"} <= names
    for name in names:
        fields = layer.extractfile(f"var/lib/dpkg/status.d/{name}").read().decode()
        assert f"Package: {name}\n" in fields and re.search(r"^Version: \S", fields, re.MULTILINE)
        assert f"usr/share/doc/{name}/copyright" in layer.getnames()


def test_the_bill_of_materials_lists_the_packages_of_the_image(archive, layer, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "Packaging")
    listed = {one["name"]: one["versionInfo"] for one in importlib.import_module("sbom").in_image(str(archive))}
    assert listed.keys() >= {"libpq5", "libcurl4", "libssl3"} and "prelude-session" not in listed
    fields = layer.extractfile("var/lib/dpkg/status.d/libpq5").read().decode()
    assert f"Version: {listed['libpq5']}\n" in fields


# Running


def toolchain() -> set[str]:
    """The folders with Swift's libraries, which a debug program loads from where the toolchain is."""
    found = set(re.findall(r"=> (/\S+)/[^/]+ \(", must("ldd", BINARY)))
    return {folder for folder in found if not folder.startswith(("/lib", "/usr/lib"))}


#: Runs a command without Podman: in a mount namespace with the files of an image, read-only, as a user without capabilities.
ROOT_FILE_SYSTEM = r"""
set -euo pipefail
root=$1; shift
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/tmp"
while [ "$1" != -- ]; do mount --bind "${1%%=*}" "$root${1#*=}"; shift; done
shift
exec chroot "$root" setpriv --reuid=64000 --regid=64000 --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all \
    /bin/sh -c 'cd /var/lib/prelude && exec "$@"' sh "$@"
"""


class Container:
    """Containers of the image with one data volume, and one for settings."""

    def __init__(self, archive, folder: pathlib.Path):
        self.volumes = {folder / "data": "/var/lib/prelude", folder / "settings": "/etc/prelude"}
        for volume in self.volumes:
            volume.mkdir()
            os.chown(volume, USER, USER)
        self.root = None
        if shutil.which("podman"):
            self.image = must("podman", "load", "--quiet", "--input", archive).split()[-1]
            if run("podman", "run", "--rm", *self.options(), self.image, "--version").returncode == 0:
                return
        else:
            self.image = must("buildah", "pull", "--quiet", f"oci-archive:{archive}").strip()
        self.mounted = must("buildah", "from", "--pull=never", self.image).strip()
        self.root = pathlib.Path(must("buildah", "mount", self.mounted).strip())
        for place in (*toolchain(), "/proc", "/dev", "/tmp"):
            (self.root / place.lstrip("/")).mkdir(parents=True, exist_ok=True)

    def options(self) -> list[str]:
        # Limits above those of this machine are not allowed everywhere.
        limits = [
            f"--ulimit={name}={min(soft, 20000)}:{min(soft, 20000)}"
            for name, (soft, _) in {
                "nofile": resource.getrlimit(resource.RLIMIT_NOFILE), "nproc": resource.getrlimit(resource.RLIMIT_NPROC),
            }.items() if soft > 0]
        return [
            *limits, "--cgroups=disabled", "--network=host", "--read-only", "--cap-drop=all",
            "--security-opt=no-new-privileges",
            *(f"--volume={folder}:{folder}:ro" for folder in toolchain()),
            *(f"--volume={folder}:{place}" for folder, place in self.volumes.items())]

    def command(self, *arguments: str, name: str = "", program: str = "", **variables: str) -> list[str]:
        """The command that runs the image with these arguments and variables."""
        if not self.root:
            return [
                "podman", "run", "--rm", "--log-driver=none", *([f"--name={name}"] if name else []), *self.options(),
                *([f"--entrypoint={program}"] if program else []), *(f"--env={key}={value}" for key, value in variables.items()), self.image, *arguments]
        mounts = {**{folder: folder for folder in toolchain()}, **self.volumes}
        return [
            "unshare", "--mount", "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
            *(f"{key}={value}" for key, value in variables.items()), "bash", "-c", ROOT_FILE_SYSTEM, "bash", self.root,
            *(f"{folder}={place}" for folder, place in mounts.items()), "--", program or "prelude-session",
            *(arguments or SERVE)]

    def run(self, *arguments: str, **options) -> subprocess.CompletedProcess:
        return run(*self.command(*arguments, **options))

    @contextlib.contextmanager
    def serving(self, port: int, **variables: str):
        """Runs the service, and yields its process."""
        name = f"prelude-session-test-{port}"
        command = self.command(name=name, PRELUDE_SESSION_PORT=str(port), **variables)
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            deadline = time.monotonic() + 30
            while True:
                assert process.poll() is None and time.monotonic() < deadline, process.stdout.read()
                with contextlib.suppress(OSError):
                    urllib.request.urlopen(f"http://localhost:{port}/health", timeout=1).close()
                    break
                time.sleep(0.05)
            yield process
        finally:
            if not self.root:
                run("podman", "rm", "--force", "--time=0", name)
            process.kill()
            process.wait(10)

    def health(self, port: int, **variables: str) -> int:
        """Runs the health check of the image in the running container, and returns its exit code."""
        if not self.root:
            return run("podman", "healthcheck", "run", f"prelude-session-test-{port}").returncode
        return self.run("health", PRELUDE_SESSION_PORT=str(port), **variables).returncode

    def close(self) -> None:
        if self.root:
            run("buildah", "rm", self.mounted)
        run("buildah", "rmi", "--force", self.image)


@pytest.fixture(scope="module")
def container(archive, tmp_path_factory):
    folder = tmp_path_factory.mktemp("container")
    # The user of the image reaches the volumes.
    for parent in (folder, *folder.parents):
        if parent.stat().st_mode & 0o005 != 0o005:
            parent.chmod(parent.stat().st_mode | 0o005)
    container = Container(archive, folder)
    yield container
    container.close()


def process_of(port: int) -> pathlib.Path:
    """The folder in /proc of the process that listens on this port."""
    [pid] = re.findall(r"pid=(\d+)", must("ss", "-Hltnp", f"sport = :{port}"))
    return pathlib.Path("/proc") / pid


def test_all_libraries_are_in_the_image(container):
    libraries = must(*container.command("-c", "ldd /usr/bin/prelude-session /usr/lib/*/libpq.so.5", program="sh"))
    assert "libpq.so.5" in libraries and "libsqlite3.so.0 => /" in libraries and "not found" not in libraries


def test_init_and_serve_work_with_a_read_only_root_and_without_privileges(container):
    port = free_port()
    started = container.run(
        "init", "--config", "/etc/prelude/session.json", "--database", "sqlite:/var/lib/prelude/session.sqlite", "--no-email",
        "--no-sms", "--public-url", "https://auth.example.com", "--app-name", "Shop", "--port", str(port))
    assert started.returncode == 0 and "psk_" in started.stdout, started.stdout + started.stderr
    settings = {"PRELUDE_SESSION_CONFIG": "/etc/prelude/session.json"}
    with container.serving(port, **settings) as process:
        with urllib.request.urlopen(f"http://localhost:{port}/.well-known/jwks.json", timeout=5) as response:
            assert json.load(response)["keys"]
        assert container.health(port, **settings) == 0
        status = (process_of(port) / "status").read_text()
        assert re.search(rf"^Uid:(\s+{USER}){{4}}$", status, re.MULTILINE)
        assert re.search(r"^CapEff:\s+0+$", status, re.MULTILINE) and re.search(r"^CapBnd:\s+0+$", status, re.MULTILINE)
        assert re.search(r"^NoNewPrivs:\s+1$", status, re.MULTILINE)
        mounts = (process_of(port) / "mountinfo").read_text()
        assert re.search(r" / ro[, ]", mounts) or container.root and re.search(rf" {container.root} ro[, ]", mounts)
        begin = time.monotonic()
        os.kill(int(process_of(port).name), signal.SIGTERM)
        assert process.wait(20) == 0 and time.monotonic() - begin < 10
        assert "stopped" in process.stdout.read()


def test_the_health_check_fails_without_a_service(container):
    assert container.run("health", PRELUDE_SESSION_PORT=str(free_port())).returncode == 1


def test_one_command_shows_a_login_page(container):
    """The command of docs/operating/packages.md."""
    port = free_port()
    variables = {
        "PRELUDE_SESSION_DEVELOPMENT": "true", "PRELUDE_SESSION_ALLOW_PUBLIC_DEVELOPMENT": "true",
        "PRELUDE_SESSION_PUBLIC_URL": f"http://localhost:{port}",
    }
    with container.serving(port, **variables) as process:
        with urllib.request.urlopen(f"http://localhost:{port}/console", timeout=5) as response:
            assert response.url.endswith("/console/sign-in") and "<form" in response.read().decode()
        with urllib.request.urlopen(f"http://localhost:{port}/dev", timeout=5) as response:
            assert "Mailbox" in response.read().decode()
        assert container.health(port, **variables) == 0
        os.kill(int(process_of(port).name), signal.SIGTERM)
        assert process.wait(20) == 0
        assert "Management key of this start: psk_" in process.stdout.read()
