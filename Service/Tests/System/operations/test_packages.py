"""Tests scripts/package with the built debug program: what is in the packages, and the life of an installation.

The Debian package is installed, started, upgraded, removed and purged in a copy of this machine's file system: an overlay
in a mount namespace, where nothing outside changes. There is no systemd: the test runs the command of the unit as its user.
"""

import configparser
import gzip
import hashlib
import importlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile

import pytest

from packing import VERSION, must, packages_of_this_run, run
from service import BINARY, ROOT
from sockets import free_port

PACKAGES = "dpkg-deb", "dpkg-shlibdeps", "objcopy", "strip", "readelf"
missing = [tool for tool in PACKAGES if not shutil.which(tool)]
pytestmark = pytest.mark.skipif(bool(missing), reason=f"there is no {' and no '.join(missing)}")


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    return packages_of_this_run(tmp_path_factory)


@pytest.fixture(scope="module")
def deb(packages):
    return next(packages.glob("*.deb"))


@pytest.fixture(scope="module")
def unpacked(deb, tmp_path_factory):
    """The content of the Debian package, with its control files in DEBIAN."""
    folder = tmp_path_factory.mktemp("deb")
    must("dpkg-deb", "--raw-extract", deb, folder)
    return folder


def control(unpacked) -> dict[str, str]:
    return dict(re.findall(r"^(\S+): (.*)$", (unpacked / "DEBIAN" / "control").read_text(), re.MULTILINE))


# Content


def test_every_file_has_its_checksum(packages):
    listed = dict(reversed(line.split("  ")) for line in (packages / "SHA256SUMS").read_text().splitlines())
    files = {path.name for path in packages.iterdir()} - {"SHA256SUMS"}
    assert listed.keys() == files and len(files) == 5
    for name, digest in listed.items():
        assert hashlib.sha256((packages / name).read_bytes()).hexdigest() == digest


def test_the_program_is_stripped_and_its_symbols_are_in_another_file(packages, unpacked):
    program = unpacked / "usr" / "bin" / "prelude-session"
    sections = must("readelf", "--sections", "--wide", program)
    assert ".symtab" not in sections and ".debug_info" not in sections and ".gnu_debuglink" in sections
    [symbols] = packages.glob("*.debug")
    kept = must("readelf", "--sections", "--wide", symbols)
    assert ".symtab" in kept and ".debug_info" in kept
    # They differ between two builds of one commit.
    for section in (".swift_modhash", ".note.gnu.build-id"):
        assert section in must("readelf", "--sections", "--wide", BINARY)
        assert section not in sections and section not in kept
    assert symbols.name in must("readelf", "--string-dump=.gnu_debuglink", program)
    assert must(program, "--version") == must(BINARY, "--version")


def test_the_package_depends_on_the_libraries_of_the_program_and_on_what_its_scripts_call(unpacked):
    fields = control(unpacked)
    assert (fields["Package"], fields["Version"]) == ("prelude-session", VERSION)
    depends = {entry.split(" ")[0] for entry in fields["Depends"].split(", ")}
    assert {"libc6", "libsodium23", "libsqlite3-0", "ca-certificates", "passwd"} <= depends
    assert depends & {"libcurl4", "libcurl4t64"} and "libc6 (>= " in fields["Depends"]


def test_the_unit_is_the_one_of_the_page(unpacked):
    page = (ROOT / "docs" / "operating" / "install.md").read_text()
    block = page.split("`/etc/systemd/system/prelude-session.service`:\n\n```ini\n")[1].split("```\n")[0]
    unit = (unpacked / "lib" / "systemd" / "system" / "prelude-session.service").read_text()
    assert unit == block.replace("/usr/local/bin/", "/usr/bin/") and "NoNewPrivileges=yes" in unit


def test_systemd_does_not_give_up_after_five_failures(unpacked):
    """Its default is five starts in ten seconds. Then the unit stays stopped, even if the cause is gone."""
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.read(unpacked / "lib" / "systemd" / "system" / "prelude-session.service")
    assert (unit["Service"]["Restart"], unit["Unit"]["StartLimitIntervalSec"]) == ("on-failure", "0")
    assert int(unit["Service"]["RestartSec"]) >= 1


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd-analyze")
def test_systemd_accepts_the_unit(unpacked, tmp_path):
    unit = tmp_path / "prelude-session.service"
    text = (unpacked / "lib" / "systemd" / "system" / "prelude-session.service").read_text()
    unit.write_text(text.replace("/usr/bin/prelude-session", str(unpacked / "usr" / "bin" / "prelude-session")))
    verified = run("systemd-analyze", "verify", unit)
    assert not [line for line in verified.stderr.splitlines() if "prelude-session" in line], verified.stderr


# Proves: B9
def test_nothing_is_a_settings_file_so_that_an_upgrade_never_asks(unpacked):
    assert not (unpacked / "etc").exists() and not (unpacked / "DEBIAN" / "conffiles").exists()


def test_the_licences_of_everything_that_is_linked_statically_are_there(unpacked, materials):
    doc = unpacked / "usr" / "share" / "doc" / "prelude-session"
    own = (doc / "copyright").read_text()
    assert "common-licenses/Apache-2.0" in own and "SecLists" in own
    texts = {path.stem: path.read_text() for path in (doc / "licenses").iterdir()}
    assert texts.keys() == {package["name"] for package in related(materials, "STATIC_LINK")}
    for name, start in {
        "swift-nio": "Apache License", "swift-runtime": "Runtime Library Exception", "icu-in-swift-runtime": "UNICODE LICENSE V3",
        "boringssl-in-swift-crypto": "The OpenSSL Project Authors", "boringssl-in-swift-nio-ssl": "fiat-crypto authors",
        "xkcp-in-swift-crypto": "publicdomain/zero", "llhttp-in-swift-nio": "MIT License", "grdb.swift": "Permission is hereby",
    }.items():
        assert start in texts[name], name
    for name, text in texts.items():
        assert f"\n{name.split('-in-')[0]} " in own and text.strip(), name
    # Debian has the text of this licence.
    assert "TERMS AND CONDITIONS FOR USE" not in own


@pytest.mark.parametrize("licence, fails", [(None, True), ("MIT License", False)])
def test_a_linked_package_without_a_licence_is_an_error(tmp_path, licence, fails):
    build, checkout = tmp_path / "debug", tmp_path / "checkouts" / "swift-log"
    for folder in (build / "prelude-session.product", build / "Logging.build", checkout / "Sources" / "Logging", tmp_path / "texts"):
        folder.mkdir(parents=True)
    (build / "prelude-session.product" / "Objects.LinkFileList").write_text("'/x/debug/Logging.build/Log.swift.o'\n")
    (build / "Logging.build" / "sources").write_text("/x/checkouts/swift-log/Sources/Logging/Log.swift\n")
    if licence:
        (checkout / "LICENSE.txt").write_text(licence)
    result = run(
        sys.executable, "-B", ROOT / "Packaging" / "linked.py", build / "prelude-session", tmp_path / "texts", tmp_path / "all")
    assert (result.returncode != 0) == fails, result.stderr
    assert ("swift-log has no licence" in result.stderr) == fails
    assert ((tmp_path / "texts" / "swift-log.txt").exists()) == (not fails)


def test_the_times_of_all_files_are_that_of_the_commit(packages, deb, materials):
    """Two packages of one commit and one program are equal."""
    commit = int(must("git", "-C", ROOT, "log", "-1", "--format=%ct"))
    [tarball] = packages.glob("*.tar.gz")
    content = subprocess.run(["dpkg-deb", "--fsys-tarfile", deb], capture_output=True, check=True, timeout=60).stdout
    with tarfile.open(tarball) as archive, tarfile.open(fileobj=io.BytesIO(content)) as debian:
        times = {member.mtime for member in [*archive.getmembers(), *debian.getmembers()]}
    assert times == {commit}
    with gzip.open(tarball) as compressed:
        compressed.read(1)
        assert compressed.mtime == 0
    assert materials["creationInfo"]["created"] == must(
        "date", "--utc", f"--date=@{commit}", "+%Y-%m-%dT%H:%M:%SZ").strip()


def test_the_tarball_has_everything_in_one_folder(packages):
    [tarball] = packages.glob("*.tar.gz")
    with tarfile.open(tarball) as archive:
        members = {member.name: member for member in archive.getmembers()}
    folder = tarball.name.removesuffix(".tar.gz")
    assert {name.split("/")[0] for name in members} == {folder}
    for name in (
        "prelude-session", "prelude-session.service", "LICENSE", "NOTICE", "README.md", "docs/operating.md",
        "docs/operating/install.md",
        "man/prelude-session.1.gz", "completions/bash", "completions/zsh", "completions/fish", "compose.yaml",
        "kubernetes/deployment.yaml",
    ):
        assert f"{folder}/{name}" in members
    assert members[f"{folder}/prelude-session"].mode == 0o755
    with tarfile.open(tarball) as archive:
        for name in ("compose.yaml", "kubernetes/deployment.yaml", "kubernetes/migration.yaml"):
            text = archive.extractfile(f"{folder}/{name}").read().decode()
            assert f"prelude-session:{VERSION}" in text and ":VERSION" not in text
    assert {(member.uid, member.gid) for member in members.values()} == {(0, 0)}


def test_a_version_that_is_not_the_tag_of_the_tree_is_rejected(tmp_path):
    """A release gets its version from the tag, and the program says so itself."""
    refused = run(ROOT / "scripts" / "package", "--version", "9.9.9")
    assert refused.returncode == 1 and "from the tree" in refused.stderr
    tree = tmp_path / "tree"
    must("git", "clone", "--quiet", "--depth=1", f"file://{ROOT}", tree)
    shutil.copy(ROOT / "scripts" / "package", tree / "scripts")
    must("git", "-C", tree, "tag", "v9.9.9")
    refused = run(tree / "scripts" / "package", "--binary", BINARY)
    assert refused.returncode == 1 and "the tag v9.9.9" in refused.stderr


def test_the_version_of_an_untagged_tree_says_so():
    number = re.search(r'number = "(.*)"', (ROOT / "Sources" / "SessionWire" / "ReleaseVersion.swift").read_text())[1]
    assert must(BINARY, "--version").strip() == f"{number}-untagged"


# Bill of materials


@pytest.fixture(scope="module")
def materials(packages):
    return json.loads(next(packages.glob("*.spdx.json")).read_text())


def related(materials: dict, kind: str, start: str = "SPDXRef-Program-prelude-session") -> list[dict]:
    """The packages with this relationship to the program, or to another one."""
    ids = {
        one["relatedSpdxElement"] for one in materials["relationships"]
        if (one["spdxElementId"], one["relationshipType"]) == (start, kind)}
    return [package for package in materials["packages"] if package["SPDXID"] in ids]


def test_the_bill_of_materials_names_what_is_linked_and_not_what_only_tests_use(materials, unpacked):
    linked = {package["name"]: package["versionInfo"] for package in related(materials, "STATIC_LINK")}
    pins = {pin["identity"]: pin["state"]["version"] for pin in json.loads((ROOT / "Service" / "Package.resolved").read_text())["pins"]}
    # Resolved for platforms and products that the program does not have.
    unlinked = pins.keys() - linked.keys()
    assert {"swift-nio-transport-services"} <= unlinked
    assert {"swift-certificates", "swift-crypto", "swift-nio", "hummingbird", "grdb.swift", "swift-argument-parser"} <= linked.keys()
    assert {name: pins[name] for name in linked.keys() & pins.keys()}.items() <= linked.items()
    assert linked.keys() - pins.keys() == {
        "swift-runtime", "icu-in-swift-runtime", "boringssl-in-swift-crypto", "boringssl-in-swift-nio-ssl",
        "xkcp-in-swift-crypto", "llhttp-in-swift-nio"}
    assert all(package["licenseDeclared"] != "NOASSERTION" for package in related(materials, "STATIC_LINK"))
    dynamic = {package["name"]: package for package in related(materials, "DEPENDS_ON")}
    assert dynamic.keys() == {entry.split(" ")[0] for entry in control(unpacked)["Depends"].split(", ")}
    # SQLite is in the public domain.
    assert dynamic["libsqlite3-0"]["licenseDeclared"] == "blessing"
    [inside] = related(materials, "CONTAINS", "SPDXRef-Swift-swift-nio")
    assert inside["name"] == "llhttp-in-swift-nio"


def test_the_bill_of_materials_has_the_checksums_of_the_packages_and_of_the_program(packages, materials, unpacked):
    described = {package["name"]: package for package in related(materials, "DESCRIBES", "SPDXRef-DOCUMENT")}
    files = [*packages.glob("*.deb"), *packages.glob("*.tar.gz"), unpacked / "usr" / "bin" / "prelude-session"]
    assert described.keys() == {file.name for file in files} and len(files) == 3
    for file in files:
        assert described[file.name]["checksums"] == [
            {"algorithm": "SHA256", "checksumValue": hashlib.sha256(file.read_bytes()).hexdigest()}]
    assert described["prelude-session"]["versionInfo"] == VERSION


def test_the_bill_of_materials_is_valid_spdx(packages):
    validator = importlib.import_module("spdx_tools.spdx.validation.document_validator")
    from spdx_tools.spdx.parser.parse_anything import parse_file

    document = parse_file(str(next(packages.glob("*.spdx.json"))))
    assert validator.validate_full_spdx_document(document, "SPDX-2.3") == []


# Manual and completions


@pytest.fixture(scope="module")
def help_of_all_commands():
    return json.loads(must(BINARY, "--experimental-dump-help"))["command"]


def commands(command: dict) -> list[dict]:
    return [one for one in command.get("subcommands", []) if one["commandName"] != "help"]


def manual(unpacked, name: str) -> str:
    with gzip.open(unpacked / "usr" / "share" / "man" / "man1" / f"{name}.1.gz", "rt") as page:
        return page.read()


def test_each_command_has_a_page_with_all_its_flags(unpacked, help_of_all_commands):
    for command in commands(help_of_all_commands):
        page = manual(unpacked, f"prelude-session-{command['commandName']}")
        for one in [command, *commands(command)]:
            for argument in one.get("arguments", []):
                for name in argument.get("names", []) if argument["shouldDisplay"] else []:
                    assert f"\\fB\\-\\-{name['name']}".replace("-", "\\-").replace("\\\\", "\\") in page or name["kind"] == "short"


def test_the_manual_names_the_environment_variables_that_the_program_knows(unpacked):
    page = manual(unpacked, "prelude-session-serve")
    listed = set(re.findall(r"^\\fB(PRELUDE_SESSION_\w+)\\fR$", page, re.MULTILINE))
    assert {"PRELUDE_SESSION_PUBLIC_URL", "PRELUDE_SESSION_CONFIG"} <= listed
    # The program rejects unknown names, so it knows all of these.
    checked = run(BINARY, "check", env={**os.environ, **dict.fromkeys(listed, "?")})
    assert "is not a setting" not in checked.stdout + checked.stderr


@pytest.mark.skipif(not shutil.which("man"), reason="there is no man")
def test_man_formats_every_page_without_a_warning(unpacked):
    for page in (unpacked / "usr" / "share" / "man" / "man1").iterdir():
        shown = run(
            "man", "--warnings", "--encoding=UTF-8", "--local-file", page,
            env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "80", "MANROFFSEQ": ""})
        assert shown.returncode == 0 and shown.stderr == "" and "SYNOPSIS" in shown.stdout, page


@pytest.mark.skipif(not shutil.which("mandoc"), reason="there is no mandoc")
def test_mandoc_accepts_every_page(unpacked, tmp_path):
    for page in (unpacked / "usr" / "share" / "man" / "man1").iterdir():
        (tmp_path / page.stem).write_text(manual(unpacked, page.name.removesuffix(".1.gz")))
    assert must("mandoc", "-T", "lint", "-W", "warning", *sorted(tmp_path.iterdir())) == ""


COMPLETIONS = {
    "bash": "usr/share/bash-completion/completions/prelude-session",
    "zsh": "usr/share/zsh/vendor-completions/_prelude-session",
    "fish": "usr/share/fish/vendor_completions.d/prelude-session.fish",
}


@pytest.mark.parametrize("shell", COMPLETIONS)
def test_completions_name_each_command_and_the_shell_reads_them(unpacked, help_of_all_commands, shell):
    script = unpacked / COMPLETIONS[shell]
    for command in commands(help_of_all_commands):
        assert command["commandName"] in script.read_text()
    if shutil.which(shell):
        must(shell, *(["--no-execute"] if shell == "fish" else ["-n"]), script)


#: Asks bash to complete the last word of a command line, as the Tab key does.
COMPLETE = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
_prelude-session prelude-session "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def test_bash_completes_commands_paths_and_values(unpacked, tmp_path):
    (tmp_path / "session.json").touch()
    (tmp_path / "backup").mkdir()
    lines = {
        "back": {"backup"}, "backup re": {"restore"}, "serve --tls-k": {"--tls-key"},
        f"check --config {tmp_path}/se": {f"{tmp_path}/session.json"},
        f"backup verify {tmp_path}/": {f"{tmp_path}/backup"},
        "serve --log-format ": {"text", "json"}, "serve --log-level e": {"error"},
        "init --email-tls s": {"starttls"},
    }
    for line, expected in lines.items():
        words = must("bash", "-c", COMPLETE, "bash", unpacked / COMPLETIONS["bash"], "prelude-session", *line.split(" "))
        assert {word.strip() for word in words.splitlines()} == expected, line


# The life of an installation


#: Runs in an overlay of this machine. `$old` and `$new` are packages, `$port` is free.
LIFE = r"""
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive PATH=/stubs:/usr/sbin:/usr/bin:/sbin:/bin
# A system that runs systemd, as the scripts of the package see it.
mkdir --parents /stubs /run/systemd/system
printf '#!/bin/sh\necho "systemctl $*" >>/stubs/calls\n' >/stubs/systemctl
chmod 755 /stubs/systemctl
touch /stubs/calls
# In images of containers, this file forbids to start and to stop services.
rm --force /usr/sbin/policy-rc.d
# The index of all manuals of this machine takes seconds at each step.
rm --force /var/lib/man-db/auto-update
say() { printf '== %s\n' "$*"; }
calls() { cat /stubs/calls; rm /stubs/calls; touch /stubs/calls; }
unit=/lib/systemd/system/prelude-session.service
start() {
    # What the unit does, without systemd: its command, as its user.
    command=$(sed -n 's/^ExecStart=//p' $unit)
    user=$(sed -n 's/^User=//p' $unit)
    setpriv --reuid "$user" --regid "$user" --clear-groups --no-new-privs env -i $command 2>/var/log/session &
    pid=$!
    for _ in $(seq 200); do
        if curl --fail --silent --max-time 2 --noproxy '*' "http://127.0.0.1:$port/health"; then echo; return; fi
        kill -0 $pid 2>/dev/null || { cat /var/log/session; exit 1; }
        sleep 0.1
    done
    exit 1
}
stop() { kill -TERM $pid; wait $pid; say "stopped with $?"; }

say install; dpkg --install "$old"; calls
say "user $(getent passwd prelude | cut -d : -f 6,7)"
stat --format '%U %a %n' /etc/prelude /var/lib/prelude
runuser -u prelude -- prelude-session init --config /etc/prelude/session.json --port "$port" \
    --database sqlite:/var/lib/prelude/session.sqlite --public-url https://auth.example.com --app-name Shop --no-email --no-sms >/dev/null
say start; start
say upgrade; dpkg --install "$new"; calls
stop
start; stop
settings=$(sha256sum /etc/prelude/session.json)
runuser -u prelude -- prelude-session app list --config /etc/prelude/session.json
say remove; dpkg --remove prelude-session </dev/null; calls
[ ! -e /usr/bin/prelude-session ] && [ ! -e $unit ] && say "program and unit are removed"
[ "$settings" = "$(sha256sum /etc/prelude/session.json)" ] && ls /var/lib/prelude
say "install again"; dpkg --install "$new"; start; stop
mount --bind /var/lib/prelude /var/lib/prelude
say purge; dpkg --purge prelude-session </dev/null
umount /var/lib/prelude; rmdir /var/lib/prelude
[ ! -e /etc/prelude ] && [ ! -e /var/lib/prelude ] && say "settings and database are purged"
getent passwd prelude >/dev/null && say "the user stays"
[ -z "$(dpkg --listfiles prelude-session 2>/dev/null)" ] && say "no file is left"
usermod --append --groups prelude nobody; userdel prelude; calls
say "install with a group"; dpkg --install "$new"; calls
stat --format '%U:%G %n' /etc/prelude /var/lib/prelude
mkdir /var/lib/prelude/backups /var/lib/prelude/empty; mount -t tmpfs backups /var/lib/prelude/backups
touch /etc/prelude/session.json /var/lib/prelude/session.sqlite /var/lib/prelude/backups/kept
say "purge with a mount"; dpkg --purge prelude-session </dev/null
[ ! -e /etc/prelude ]; find /var/lib/prelude; dpkg-query --show prelude-session 2>/dev/null || say "it is purged"
"""

NAMESPACE = r"""
set -euo pipefail
mount -t tmpfs tmpfs "$place"
mkdir "$place/upper" "$place/work" "$place/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$place/upper,workdir=$place/work" "$place/root"
for shared in /proc /dev; do mount --bind "$shared" "$place/root$shared"; done
mkdir "$place/root/packages"
mount --bind "$packages" "$place/root/packages"
mount -t tmpfs tmpfs "$place/root/run"
exec chroot "$place/root" bash -c "$life"
"""


@pytest.fixture(scope="module")
def life(deb, unpacked, tmp_path_factory):
    """What the life of an installation printed, by its sections."""
    if os.geteuid() != 0 or run("unshare", "--mount", "true").returncode != 0:
        pytest.skip("this needs root and a mount namespace")
    folder = tmp_path_factory.mktemp("life")
    place = tmp_path_factory.mktemp("place")
    shutil.copy(deb, folder / "old.deb")
    newer = tmp_path_factory.mktemp("newer") / "tree"
    shutil.copytree(unpacked, newer, symlinks=True)
    text = (newer / "DEBIAN" / "control").read_text()
    (newer / "DEBIAN" / "control").write_text(text.replace(f"Version: {VERSION}", "Version: 1.10.0"))
    must("dpkg-deb", "--root-owner-group", "-Znone", "--build", newer, folder / "new.deb")
    result = run(
        "unshare", "--mount", "bash", "-c", NAMESPACE,
        env={
            **os.environ, "place": str(place), "packages": str(folder), "life": LIFE, "port": str(free_port()),
            "old": "/packages/old.deb", "new": "/packages/new.deb",
        })
    if "wrong fs type" in result.stderr or "unknown filesystem" in result.stderr:
        pytest.skip("this machine has no overlay file system")
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_an_installation_creates_the_user_and_its_folders_and_starts(life):
    assert "== user /var/lib/prelude:/usr/sbin/nologin\n" in life
    assert "prelude 700 /etc/prelude\nprelude 700 /var/lib/prelude\n" in life
    assert '{"status":"ok"}' in life.split("== start\n")[1].split("== upgrade")[0]


def test_the_first_installation_starts_nothing_and_says_what_to_do(life):
    installed = life.split("== install\n")[1].split("== user")[0]
    assert calls(installed) == ["--system daemon-reload"]
    assert "not started" in installed and "prelude-session init --config /etc/prelude/session.json" in installed
    assert "systemctl enable --now prelude-session" in installed


def test_an_upgrade_restarts_a_running_service_and_a_removal_stops_it(life):
    upgrade = life.split("== upgrade\n")[1].split("== stopped")[0]
    assert calls(upgrade)[-2:] == ["--system daemon-reload", "try-restart prelude-session.service"]
    assert "stop prelude-session.service" not in upgrade and "not started" not in upgrade
    assert calls(life.split("== remove\n")[1].split("== program")[0])[0] == "stop prelude-session.service"


def calls(text: str) -> list[str]:
    return re.findall(r"^systemctl (.*)$", text, re.MULTILINE)


# Proves: B9
def test_an_upgrade_keeps_settings_and_database(life):
    upgrade = life.split("== upgrade\n")[1].split("== remove")[0]
    assert "over (1.2.3)" in upgrade and "Shop" in upgrade
    assert upgrade.count("== stopped with 0\n") == 2 and '{"status":"ok"}' in upgrade


# Proves: B9
def test_only_a_purge_deletes_the_database(life):
    removed, purged = life.split("== remove\n")[1].split("== purge\n")
    assert "== program and unit are removed\n" in removed and "session.sqlite\n" in removed
    assert '{"status":"ok"}' in removed.split("== install again\n")[1]
    for line in ("settings and database are purged", "the user stays", "no file is left"):
        assert f"== {line}\n" in purged


def test_an_installation_uses_a_group_that_outlived_its_user(life):
    installed = life.split("== install with a group\n")[1]
    assert "prelude:prelude /etc/prelude\nprelude:prelude /var/lib/prelude\n" in installed


def test_a_purge_keeps_files_of_another_file_system_and_succeeds(life):
    """For example, the backups can be on another disk."""
    purged = life.split("== purge with a mount\n")[1]
    assert purged.endswith(
        "/var/lib/prelude\n/var/lib/prelude/backups\n/var/lib/prelude/backups/kept\n== it is purged\n")


@pytest.mark.skipif(not shutil.which("lintian"), reason="there is no lintian")
def test_lintian_finds_no_error(unpacked, tmp_path):
    """With another program: lintian reads the large debug program for half a minute, and finds its path to the toolchain."""
    tree = tmp_path / "tree"
    shutil.copytree(unpacked, tree, symlinks=True)
    shutil.copy("/usr/bin/env", tree / "usr" / "bin" / "prelude-session")
    sums = tree / "DEBIAN" / "md5sums"
    sums.write_text("".join(line for line in sums.read_text().splitlines(True) if "usr/bin" not in line))
    deb = tmp_path / f"prelude-session_{VERSION}_{control(unpacked)['Architecture']}.deb"
    must("dpkg-deb", "--root-owner-group", "-Zgzip", "--build", tree, deb)
    found = run("lintian", "--allow-root", "--fail-on", "error", deb)
    assert found.returncode == 0, found.stdout
