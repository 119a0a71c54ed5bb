"""Tests that the installation in docs/operating.md and README.md works as printed, from an empty folder to a request.

The paths of the pages are below the folder of the test, `sudo` and `systemctl` are stand-ins (machine.py), and the built
debug program stands for the release.
"""

import json
import os
import pty
import re
import shutil
import stat
import subprocess

import pytest

from installation import BLOCK, HOST, INSTALL, PAGE, first_user, install, lines, use_free_port
from machine import Machine, find_nginx
from service import BINARY, ROOT


def answer(machine: Machine, line: str, answers: list[str]) -> str:
    """Runs a line on a terminal and types the answers. Returns what the terminal showed."""
    shown, typed = b"", 0
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(machine.home)
        os.execve("/bin/bash", ["bash", "-euc", machine.here(line)], machine.environment)
    try:
        while True:
            try:
                read = os.read(terminal, 4096)
            except OSError:  # the end, on Linux
                break
            if not read:
                break
            shown += read
            # A question ends with a colon and a space.
            if shown.endswith(b": ") and typed < len(answers):
                os.write(terminal, answers[typed].encode() + b"\n")
                typed += 1
    finally:
        os.close(terminal)
    text = shown.decode()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, text
    assert typed == len(answers), text
    return text


@pytest.fixture(scope="module")
def installed(tmp_path_factory, authority):
    """Follows the installation of the page. Returns the machine, and what each line printed."""
    machine = Machine(tmp_path_factory.mktemp("server"))
    (machine.home / "mail-password").write_text("a secret\n")
    # curl trusts the authority, and finds the host.
    (machine.home / ".curlrc").write_text(
        f'cacert = "{authority.certificate_path}"\nconnect-to = "{HOST}:443:127.0.0.1:{machine.tls_port}"\n')
    printed = install(machine, authority)
    yield machine, printed
    machine.stop_all()


def test_the_installation_of_the_page_serves_its_first_request(installed):
    machine, printed = installed
    health = next(text for line, text in printed.items() if line.endswith("/health"))
    assert json.loads(health) == {"status": "ok"}
    calls = (machine.root / "calls").read_text()
    for call in ("useradd --system", "systemctl enable --now prelude-session", "certbot certonly"):
        assert call in calls


#: Commands of the installation that no test runs as printed, and why.
NOT_RUN = {
    "scripts/bootstrap --build": "installs packages of the system",
    "swift build --package-path Service --configuration release --static-swift-stdlib --product prelude-session":
        "takes a quarter of an hour. A test below compares what the debug program links",
    "git clone https://…/prelude-session && cd prelude-session && scripts/run": "the repository has no address yet",
}


def test_every_command_of_the_installation_is_run_or_has_a_reason(installed):
    _, printed = installed
    readme = (ROOT / "README.md").read_text().split("\nThe service is built from a checkout.")[1].split("\n## ")[0]
    commands = [
        line for _, kind, block in BLOCK.findall(INSTALL + readme) if kind in ("", "sh") for line in lines(block)]
    # The line of init that asks is run by the test of README.md, and the first user signs in in test_production.py.
    others = [line for line in commands if line.endswith(" init --config /etc/prelude/session.json")] + first_user()
    assert len(others) == 5
    nginx = [] if find_nginx() else [line for line in commands if "nginx" in line or HOST in line]
    assert set(commands) - printed.keys() - set(others) - set(nginx) == NOT_RUN.keys()


@pytest.mark.skipif(not shutil.which("swift"), reason="there is no swift")
def test_the_build_of_the_pages_has_the_product_of_the_service(tmp_path):
    build = next(block for _, _, block in BLOCK.findall(INSTALL) if "swift build" in block)
    assert build in (ROOT / "README.md").read_text()
    _, command = lines(build)
    product, folder = command.split("--product ")[1], command.split("--package-path ")[1].split(" ")[0]
    manifest = json.loads(subprocess.run(
        ["swift", "package", "--package-path", ROOT / folder, "--scratch-path", tmp_path, "dump-package"],
        capture_output=True, text=True, check=True, timeout=120).stdout)
    assert {"name": product, "type": "executable"}.items() <= next(
        target for target in manifest["targets"] if target["name"] == product).items()


#: Libraries of the system that a release build links, and their Debian packages. Every Debian has libc6.
LIBRARIES = {
    "libc": "libc6", "libm": "libc6", "libgcc_s": "libgcc-s1", "libstdc++": "libstdc++6", "libsodium": "libsodium23",
    "libsqlite3": "libsqlite3-0", "libcurl": "libcurl4", "libz": "zlib1g",
}


@pytest.mark.skipif(not shutil.which("readelf"), reason="there is no readelf")
def test_the_page_names_every_library_that_is_linked_dynamically():
    """`--static-swift-stdlib` links Swift's own libraries into the release. The debug program links them dynamically."""
    dynamic = subprocess.run(["readelf", "--dynamic", BINARY], capture_output=True, text=True, timeout=60).stdout
    needed = {name.split(".so")[0] for name in re.findall(r"NEEDED.*\[(.*?)\]", dynamic)}
    ours = re.compile(r"lib_?(swift|Foundation|dispatch|BlocksRuntime)\w*$|ld-linux")
    system = {name for name in needed if not ours.match(name)}
    assert {"libc", "libsodium", "libsqlite3"} <= system <= LIBRARIES.keys()
    text = " ".join(INSTALL.split("It links these libraries")[1].split("\n### ")[0].split())
    assert set(re.findall(r"`(.*?)`", text)) == set(LIBRARIES.values())
    installed = next(line for line in INSTALL.splitlines() if "apt-get install" in line).split("--yes ")[1].split()
    assert set(installed) == set(LIBRARIES.values()) - {"libc6"} | {"ca-certificates", "nginx", "certbot"}


@pytest.mark.skipif(not find_nginx(), reason="there is no nginx; scripts/bootstrap unpacks it")
def test_nginx_of_the_page_does_tls_and_keeps_the_management_api_inside(installed):
    machine, printed = installed
    keys = next(text for line, text in printed.items() if line.endswith("jwks.json"))
    assert json.loads(keys)["keys"]
    get = "curl --silent --output /dev/null --write-out '%{http_code}' "
    assert machine.must(get + f"https://{HOST}/v2/session/apps") == "404"
    assert machine.must(get + f"http://127.0.0.1:8080/v2/session/apps") == "401"
    # A client cannot choose its address: nginx replaces the header. The service trusts nginx, so it warns of nothing.
    assert machine.must(get + f"-H 'X-Forwarded-For: 198.51.100.1' https://{HOST}/.well-known/jwks.json") == "200"
    assert "forwarding header" not in (machine.root / "log").read_text()


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd-analyze")
def test_systemd_accepts_the_units_of_the_page(installed):
    machine, _ = installed
    for path, kind, block in BLOCK.findall(PAGE):
        if kind == "ini" and ".service.d/" not in path:
            machine.write(path, block)
    units = sorted((machine.root / "etc" / "systemd" / "system").glob("*.*er*"))
    assert len(units) == 3
    verified = subprocess.run(
        ["systemd-analyze", "verify", *units], capture_output=True, text=True, timeout=60,
        env={**os.environ, "SYSTEMD_UNIT_PATH": f"{machine.root}/etc/systemd/system:"})
    findings = [line for line in verified.stderr.splitlines() if "prelude-session" in line]
    assert verified.returncode == 0 and not findings, verified.stderr


def test_init_of_the_readme_asks_and_the_service_starts_with_the_answers(tmp_path):
    """Types what a person types who accepts the suggestions, sends mail with an account, and sends no SMS."""
    machine = Machine(tmp_path)
    readme = (ROOT / "README.md").read_text()
    block = next(block for _, _, block in BLOCK.findall(readme) if " init " in block)
    *before, init = lines(block)
    for line in before:
        assert line in INSTALL
        machine.must(line)
    assert init in INSTALL
    password = machine.home / "mail-password"
    password.write_text("secret\n")
    shown = answer(machine, init, [
        "My App", "https://{app_id}.session.example.com", machine.here("/var/lib/prelude/session.sqlite"), "perhaps", "yes",
        "smtp.example.com", "", "", "nowhere", "login@example.com", "login", "nowhere.txt", str(password), ""])
    assert "Enter yes or no." in shown and "must be a mail address" in shown and "nowhere.txt does not exist" in shown
    settings = tmp_path / "etc" / "prelude" / "session.json"
    assert stat.S_IMODE(settings.stat().st_mode) == 0o600
    text = settings.read_text()
    for name, value in {
            "emailHost": "smtp.example.com", "emailTls": "starttls", "emailFrom": "login@example.com",
            "emailSecretFile": str(password), "publicUrl": "https://{app_id}.session.example.com"}.items():
        assert f'"{name}": "{value}"' in text
    assert '"emailPort": 587' in text and '// "smsRoute"' in text and "defaultApp" not in text
    app = re.search(r"^app +(\w{7})\r$", shown, re.MULTILINE)[1]
    key = re.search(r"^management key +(psk_\S+)\r$", shown, re.MULTILINE)[1]
    assert key not in text

    use_free_port(machine)
    machine.write("/etc/systemd/system/prelude-session.service", next(
        block for path, _, block in BLOCK.findall(INSTALL) if path.endswith("prelude-session.service")))
    try:
        machine.start("prelude-session")
        url = "http://127.0.0.1:8080"
        assert json.loads(machine.must(f"curl -sSf -H 'Host: {app}.session.example.com' {url}/.well-known/jwks.json"))
        listed = json.loads(machine.must(f"curl -sSf -H 'Authorization: Bearer {key}' {url}/v2/session/apps"))
        assert [(listed["apps"][0]["id"], listed["apps"][0]["name"])] == [(app, "My App")]
    finally:
        machine.stop_all()


# The other commands of the page, in the set-up of the page


#: A shell of the service, as the page opens it.
SHELL = {"PRELUDE_SESSION_CONFIG": "/etc/prelude/session.json"}

#: The keys that only root can read come last: commands of the service's user cannot read them afterwards.
CREDSTORE = "/etc/credstore/prelude-session-keys"


def commands() -> list[str]:
    """Returns the commands of the page behind the installation."""
    blocks = BLOCK.findall(PAGE.split("\n## Install\n")[1].split("\n## ", 1)[1])
    return [line for _, kind, block in blocks if kind == "sh" for line in lines(block)]


def test_every_command_of_the_page_works_in_the_set_up_of_the_page(installed):
    machine, _ = installed
    variables = {name: machine.here(value) for name, value in SHELL.items()}
    variables["PRELUDE_SESSION_BACKUP_PASSPHRASE"] = "a passphrase of the test"

    def record(line: str) -> dict:
        return json.loads(machine.must(line + " --json", **variables))[0]

    # What the page takes for given.
    app = record('prelude-session app create Shop --id abc1234 --email')["id"]
    user = record(f"prelude-session user create --app {app} --phone +33612345678")["id"]
    key = record(f"prelude-session key create old --app {app}")
    hook = record(f"prelude-session webhook create --app {app} https://backend.example.com/old")["id"]
    all_apps = record("prelude-session key create test")["key"]
    known = {
        "usr_01jd7w3k2m9z8x7c6v5b4n3m2a": user, "mk_01jd7w3k2m9z8x7c6v5b4n3m2a": key["id"],
        "web_01jd7w3k2m9z8x7c6v5b4n3m2a": hook, "psk_…": all_apps}
    tried = 0
    for line in commands():
        for example, real in known.items():
            line = line.replace(example, real)
        if CREDSTORE in line or "session.sqlite.keys" in line:
            continue  # another test
        if "-u postgres " in line or "postgresql://" in line:
            continue  # there is no server
        if "session revoke --all" in line:
            line += " --yes"  # the page says that it asks
        result = machine.run(line, **variables)
        tried += 1
        if "webhook activate" in line:
            # There is no such backend. The command has asked it.
            assert result.returncode != 0 and "backend.example.com" in result.stderr + result.stdout, result.stderr
        elif "session revoke" in line and "--except" in line:
            # Nobody has signed in here. The command refuses, because the user has no session to keep.
            assert result.returncode == 1 and "the user has no such session" in result.stderr, result.stderr
        elif '"replaces"' in line:
            assert result.returncode == 1 and result.stderr == ""  # grep finds no such key
        else:
            assert result.returncode == 0, f"{line}\n{result.stdout}{result.stderr}"
        if "curl -X PUT" in line:
            assert json.loads(result.stdout)["config"]["app_sends_per_day"] == 50_000, result.stdout
    assert tried > 25


def test_keys_of_root_are_used_by_the_service_and_are_not_needed_for_the_commands(installed):
    machine, _ = installed
    variables = {name: machine.here(value) for name, value in SHELL.items()}
    section = PAGE.split("### Keys that only root can read\n")[1].split("\n### ")[0]
    for path, kind, block in BLOCK.findall(section):
        if path:
            machine.write(path, block)
        for line in lines(block) if kind == "sh" else []:
            machine.must(line)
    assert machine.must("curl --fail --silent http://127.0.0.1:8080/health")
    assert not (machine.root / "var" / "lib" / "prelude" / "session.sqlite.keys").exists()
    machine.must("prelude-session app list", **variables)
    refused = machine.run("prelude-session app create Other", **variables)
    assert refused.returncode != 0 and "--key-file" in refused.stderr
    machine.must(f"prelude-session app create Other --key-file {CREDSTORE}", **variables)
