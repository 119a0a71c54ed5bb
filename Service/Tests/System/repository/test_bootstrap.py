"""Tests which packages `scripts/bootstrap` installs on a Debian that has only Swift and Python. No package is installed:
the script finds a stand-in for apt-get, and no programs but the ones here."""

import os
import pathlib
import shutil
import subprocess

import pytest

from service import ROOT

BASE = "bash", "dirname", "env", "sed", "head", "xargs"
STAND_INS = {
    "uname": "echo Linux", "python3": "", "swift": "echo Swift version 6.3", "apt-get": 'echo "$@" >> "$CALLS"; [[ -z ${REFUSED:-} || $* != *"$REFUSED"* ]] || exit 100; exit "${STATUS:-0}"',
    # These would be unpacked in the folder of the build.
    "nginx": "", "caddy": "", "promtool": "", "tsc": "",
}
BUILD = {"curl", "pkg-config", "libsodium-dev", "libcurl4-openssl-dev", "libsqlite3-dev"}
#: Packages whose programs bootstrap also finds outside of PATH, so this machine may have them.
FIXED = {
    "postgresql": "usr/lib/postgresql", "pgbouncer": "usr/sbin/pgbouncer", "postfix": "usr/lib/postfix/sbin/master"}
TESTS = {
    "openssl", "postgresql", "pgbouncer", "chromium", "chromium-headless-shell", "firefox-esr", "strace", "valgrind",
    "binutils", "gcc", "libc6-dev", "nodejs", "golang-go", "php-cli", "ruby",
    "lintian", "mandoc"}
AS_ROOT = {"postfix", "sasl2-bin", "libsasl2-modules", "iproute2", "buildah", "podman", "systemd-container", "mmdebstrap"}

pytestmark = pytest.mark.skipif(not shutil.which("apt-get"), reason="bootstrap uses brew here")


def bootstrap(folder: pathlib.Path, *options: str, user: int = 0, **environment: str):
    """Returns the finished script, and all packages that it has asked apt-get for."""
    programs = folder / "programs"
    programs.mkdir()
    for name in BASE:
        (programs / name).symlink_to(shutil.which(name))
    # As another user, it needs sudo.
    for name, text in {**STAND_INS, "id": f"echo {user}", "sudo": '"$@"'}.items():
        (programs / name).write_text(f"#!{shutil.which('bash')}\n{text}\n")
        (programs / name).chmod(0o755)
    calls = folder / "calls"
    done = subprocess.run(
        [ROOT / "scripts" / "bootstrap", *options], capture_output=True, text=True, timeout=60, check=False,
        env={"PATH": str(programs), "CALLS": str(calls), "PRELUDE_SESSION_JUDGE_PYTHON": "python3", **environment})
    lines = calls.read_text().splitlines() if calls.exists() else []
    return done, {
        word for line in lines if line.startswith("install ") for word in line.split()[1:] if not word.startswith("-")}


def missing(packages: set[str]) -> set[str]:
    return {name for name in packages if name not in FIXED or not os.path.exists(f"/{FIXED[name]}")}


def test_bootstrap_installs_what_the_tests_of_root_need(tmp_path):
    done, packages = bootstrap(tmp_path)
    assert done.returncode == 0, done.stderr
    assert packages == BUILD | missing(TESTS | AS_ROOT)


def test_bootstrap_installs_no_mail_server_for_a_user_whose_tests_cannot_start_it(tmp_path):
    done, packages = bootstrap(tmp_path, user=1000)
    assert done.returncode == 0, done.stderr
    assert packages == BUILD | missing(TESTS)


def test_scripts_run_installs_only_what_the_build_needs(tmp_path):
    assert "\nscripts/bootstrap --build\n" in (ROOT / "scripts" / "run").read_text()
    done, packages = bootstrap(tmp_path, "--build")
    assert done.returncode == 0, done.stderr
    assert packages == BUILD


def test_bootstrap_fails_if_a_package_of_the_build_cannot_be_installed(tmp_path):
    done, _ = bootstrap(tmp_path, STATUS="100")
    assert done.returncode == 100


def test_an_optional_package_that_cannot_be_installed_keeps_no_other_away(tmp_path):
    done, _ = bootstrap(tmp_path, REFUSED="valgrind")
    assert done.returncode == 0, done.stderr
    assert "valgrind cannot be installed here" in done.stderr + done.stdout
    installed = {
        word for line in (tmp_path / "calls").read_text().splitlines() if "valgrind" not in line for word in line.split()}
    assert missing(TESTS | AS_ROOT) - {"valgrind"} <= installed


def test_bootstrap_rejects_an_unknown_option(tmp_path):
    done, packages = bootstrap(tmp_path, "--built")
    assert done.returncode == 1 and "There is no option --built" in done.stderr and not packages
