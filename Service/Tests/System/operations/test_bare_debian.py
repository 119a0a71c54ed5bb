"""Follows docs/operating on a bare Debian 12, line by line: packages, systemd, nginx, certbot, mail, first user, renewal.

Everything is real but three servers, which run beside the pages' own: a mail server, an ACME authority (Caddy's), and a
debug program in place of the release. The container has no network but addresses of its own.
"""

import contextlib
import email
import email.policy
import json
import re
import shlex
import subprocess
import sys
import time

import pytest

import bare_debian
from bare_debian import HOME, BareDebian, Seconds
from certificate_authority import CertificateAuthority
from installation import BLOCK, HOST, INSTALL, PAGE, PAGES, PROXIES, first_user, lines
from mail_servers import PASSWORD, USER
from service import BINARY, ROOT, SUPPORT
from waiting import wait_until

pytestmark = pytest.mark.skipif(bool(bare_debian.MISSING), reason=f"no bare Debian: {bare_debian.MISSING}")

MAIL_HOST, ACME_HOST = "smtp.example.com", "acme.example.com"
#: Public addresses: the service sends mail to no others. They exist in the container only.
MAIL_SERVER, ACME_SERVER = "9.0.0.25", "9.0.0.26"
#: The addresses of two clients. The name of the service has the address of the client that calls it: such a call comes
#: from the same address.
PHONE, LAPTOP, PHONE_6 = "8.0.0.7", "8.0.0.8", "2a00::7"

ACME = f"""\
{{
    admin off
    skip_install_trust
    auto_https disable_redirects
    storage file_system /var/lib/acme-authority
}}
https://{ACME_HOST}:8443 {{
    tls internal
    acme_server
}}
"""
ROOT_CERTIFICATE = "/var/lib/acme-authority/pki/authorities/local/root.crt"
STATUS = "curl --silent --output /dev/null --write-out '%{http_code}' "
UNIT = "/etc/systemd/system/prelude-session.service"
SETTINGS = "/etc/prelude/session.json"
#: The lines of the page that install the packages.
UPDATE, PACKAGES = next(block for _, _, block in BLOCK.findall(INSTALL) if "apt-get install" in block).splitlines()[:2]


class Server:
    """The server of the page, and its user's devices."""

    def __init__(self, machine: BareDebian, mails):
        self.machine, self._mails = machine, mails
        #: What each line of the page printed.
        self.printed: dict[str, str] = {}
        #: Whether the program found its libraries before those of the page were installed.
        self.ran_before = False

    def mails(self) -> list[dict]:
        return [json.loads(line) for line in self._mails.read_text().splitlines()]

    def at(self, address: str) -> dict[str, str]:
        """Moves to the device with this address. Returns its variables."""
        self.machine.name({HOST: address, MAIL_HOST: MAIL_SERVER, ACME_HOST: ACME_SERVER})
        return {"PRELUDE_SESSION_CREDENTIALS": f"{HOME}/{address}"}

    def client(self, line: str, address: str, stdin: str = "") -> subprocess.CompletedProcess:
        endpoint = "" if "--endpoint" in line else f" --endpoint https://{HOST}"
        return self.machine.run(line + endpoint, stdin, **self.at(address))

    def log_in(self, line: str, address: str) -> str:
        """Runs the command of the page, and types the code of the next mail."""
        number = len(self.mails())
        process = subprocess.Popen(
            self.machine.shell(line, self.at(address)), text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        try:
            wait_until(lambda: len(self.mails()) > number, seconds=120)
            content = email.message_from_string(self.mails()[number]["content"], policy=email.policy.default)
            code = re.search(r"\b\d{6}\b", content.get_body(("plain",)).get_content())[0]
            output, errors = process.communicate(code + "\n", timeout=30)
        finally:
            process.kill()
        assert process.returncode == 0, errors
        return output

    def operator(self, line: str) -> list[dict]:
        printed = self.machine.must(f"sudo -u prelude prelude-session {line} --json --config {SETTINGS}")
        return [json.loads(entry) for entry in printed.splitlines()] if line.startswith("events") else json.loads(printed)

    def certificate(self) -> str:
        """Returns the serial number of the certificate that the proxy serves."""
        served = subprocess.run(
            [*self.machine.network, "openssl", "s_client", "-connect", f"{PHONE}:443", "-servername", HOST],
            stdin=subprocess.DEVNULL, capture_output=True, timeout=20).stdout
        return subprocess.run(
            ["openssl", "x509", "-noout", "-serial"], input=served, capture_output=True, check=True).stdout.decode()

    @contextlib.contextmanager
    def load(self):
        """Sends requests meanwhile: raw ones, and refreshes of the user's device. None may fail."""
        counts: dict[str, int] = {}
        client = subprocess.Popen(
            [*self.machine.network, sys.executable, SUPPORT / "proxy_load.py", PHONE, HOST],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        device = subprocess.Popen(
            self.machine.shell(
                f"n=0; while ! [ -e /tmp/end ]; do prelude-session refresh --endpoint https://{HOST} >/dev/null; n=$((n+1)); done;"
                " rm /tmp/end; echo $n", self.at(PHONE)),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            time.sleep(0.5)
            yield counts
            time.sleep(0.5)
            self.machine.must("touch /tmp/end")
            refreshes, errors = device.communicate(timeout=30)
            assert device.returncode == 0, errors
            counts.update(json.loads(client.communicate("", timeout=30)[0]), refreshes=int(refreshes))
        finally:
            client.kill()
            device.kill()


def install(server: Server) -> None:
    """Writes the files of the page and runs its lines, in its order, and adds what the test's network needs."""
    machine = server.machine
    for path, kind, block in BLOCK.findall(INSTALL):
        if path:
            machine.write(path, block)
        for line in lines(block) if kind == "sh" else []:
            if line.endswith(f" init --config {SETTINGS}"):
                continue  # it asks, see the test of README.md
            if line == PACKAGES:
                server.ran_before = machine.run("./prelude-session --version").returncode == 0
            server.printed[line] = machine.must(line.replace("--email-username login", f"--email-username {USER}"))
            if line == PACKAGES:
                # The authorities of the test are those that the server trusts, and certbot's is the one of the test.
                machine.must("update-ca-certificates")
                machine.write("/etc/letsencrypt/cli.ini", f"server = https://{ACME_HOST}:8443/acme/local/directory\n")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("debian")
    authority = CertificateAuthority(folder)
    with contextlib.ExitStack() as stack:
        machine = stack.enter_context(BareDebian(
            folder, [*PACKAGES.split("--yes ")[1].split(), "caddy"],
            [f"{address}/32" for address in (MAIL_SERVER, ACME_SERVER, PHONE, LAPTOP)] + [f"{PHONE_6}/128"]))
        machine.write(f"{HOME}/mail-password", PASSWORD + "\n")

        def beside(command: list, output) -> None:
            """Starts a server of the test in the network of the container."""
            process = subprocess.Popen(
                [*machine.network, *command], stdin=subprocess.DEVNULL, stdout=output)
            stack.callback(lambda: (process.kill(), process.wait(10)))

        mails = folder / "mails"
        beside([sys.executable, SUPPORT / "mail_servers.py", MAIL_SERVER, "587", authority.server_chain(MAIL_HOST)],
               stack.enter_context(open(mails, "wb")))
        server = Server(machine, mails)
        server.at(PHONE)
        # Caddy's package is not installed yet: its service would take port 80.
        machine.must("dpkg-deb --extract /var/cache/apt/archives/caddy_*.deb /opt/acme")
        machine.write("/etc/acme.caddy", ACME)
        machine.must("systemd-run --quiet --setenv=HOME=/root /opt/acme/usr/bin/caddy run --config /etc/acme.caddy --adapter caddyfile")
        wait_until(machine.path(ROOT_CERTIFICATE).exists, seconds=180)
        trusted = machine.path("/usr/local/share/ca-certificates")
        trusted.mkdir(parents=True, exist_ok=True)
        (trusted / "acme.crt").write_bytes(machine.path(ROOT_CERTIFICATE).read_bytes())
        (trusted / "mail.crt").write_bytes(authority.certificate_path.read_bytes())
        install(server)
        yield server


def test_the_lines_of_the_page_end_with_a_service_behind_tls(server):
    health = next(text for line, text in server.printed.items() if line.endswith("/health"))
    keys = next(text for line, text in server.printed.items() if line.endswith("jwks.json"))
    assert json.loads(health) == {"status": "ok"} and json.loads(keys)["keys"]
    assert any(text.startswith("The configuration is valid.") for text in server.printed.values())
    # Nothing of development is on.
    file = server.machine.path(SETTINGS).read_text()
    settings = "\n".join(line for line in file.splitlines() if not line.lstrip().startswith("//"))
    assert "development" not in settings.lower() and "egress" not in settings


#: Commands of the installation that no test runs as printed, and why.
NOT_RUN = {
    "scripts/bootstrap --build": "installs what the build needs on this machine",
    "swift build --package-path Service --configuration release --static-swift-stdlib --product prelude-session":
        "takes a quarter of an hour. The debug program stands for the release",
    "git clone https://…/prelude-session && cd prelude-session && scripts/run": "the repository has no address yet",
}


def test_every_command_of_the_installation_is_run_or_has_a_reason(server):
    readme = (ROOT / "README.md").read_text().split("\nThe service is built from a checkout.")[1].split("\n## ")[0]
    commands = {line for _, kind, block in BLOCK.findall(INSTALL + readme) if kind in ("", "sh") for line in lines(block)}
    # Tests below run the line of init that asks, the first user, and the two nodes.
    others = {line for line in commands if line.endswith(f" init --config {SETTINGS}") or "prelude-session@" in line}
    assert len(others) == 3
    assert commands - server.printed.keys() - others - set(first_user()) == NOT_RUN.keys()


def test_systemd_accepts_the_units_of_the_page(server):
    machine = server.machine
    for path, kind, block in BLOCK.findall(PAGE):
        if kind == "ini" and ".service.d/" not in path:
            machine.write(path, block)
    verified = machine.run("systemd-analyze verify /etc/systemd/system/prelude-session*.*er*")
    assert verified.returncode == 0 and "prelude-session" not in verified.stderr, verified.stderr


def test_the_page_names_every_package_that_the_program_needs_and_no_other(server):
    """A release also needs what Swift's own libraries need, because it contains them."""
    assert not server.ran_before
    ldd = server.machine.must("ldd /usr/local/bin/prelude-session")
    swift = [path for path in re.findall(r"=> (\S+)", ldd) if re.search(r"/lib_?(swift|Foundation|dispatch|Blocks)\w*\.so$", path)]
    dynamic = subprocess.run(
        ["readelf", "--dynamic", BINARY, *swift], capture_output=True, text=True, check=True, timeout=60).stdout
    needed = set(re.findall(r"NEEDED.*\[(.*?)\]", dynamic))
    paths = dict(re.findall(r"^\t(\S+) => (\S+)", ldd, re.MULTILINE))
    # A package has a library in /usr/lib, and ldd shows it in /lib, which is the same folder.
    system = sorted(f"'*/{name}'" for name in needed if name in paths and paths[name] not in swift)
    owners = server.machine.must(f"dpkg-query --search {' '.join(system)}")
    packages = {line.split(":")[0] for line in owners.splitlines() if not line.startswith("diversion")}
    named = set(PACKAGES.split("--yes ")[1].split())
    assert named == packages - {"libc6"} | {"ca-certificates", "curl", "nginx", "certbot"}
    text = " ".join(INSTALL.split("It links these libraries")[1].split("\n## ")[0].split())
    assert set(re.findall(r"`(.*?)`", text)) == packages


def test_a_user_signs_in_with_a_code_from_a_mail_and_signs_out(server):
    machine = server.machine
    tried, login, whoami = first_user()

    # Mail arrives, over TLS and after AUTH: the server accepts no other.
    assert "accepted: 250" in machine.must(tried)
    assert [(mail["to"], mail["mechanism"]) for mail in server.mails()] == [("you@example.com", "PLAIN")]

    signed_in = server.log_in(login, PHONE)
    assert signed_in.startswith("Signed in as usr_")
    user = re.search(r"usr_\w+", signed_in)[0]
    shown = machine.must(whoami, **server.at(PHONE))
    assert user in shown and "you@example.com" in shown

    # A second device, and each one refreshes and sees both.
    assert user in server.log_in(login, LAPTOP)
    for device in (PHONE, LAPTOP):
        assert server.client("prelude-session refresh", device).returncode == 0
        listed = server.client("prelude-session sessions --json", device)
        assert len(json.loads(listed.stdout)) == 2, listed.stderr

    # The service knows the addresses of the devices, and not that of nginx.
    created = server.operator("events --name user.session.created")
    assert [event["context"]["ip"] for event in created] == [PHONE, LAPTOP]

    assert server.client("prelude-session logout", LAPTOP).returncode == 0
    after = server.client("prelude-session whoami", LAPTOP)
    assert after.returncode == 2 and "signed in" in after.stderr
    app = server.operator("app list")[0]["id"]
    assert len(server.operator(f"session list --app {app} {user}")) == 1
    log = machine.journal("prelude-session")
    assert "forwarding header" not in log and " error " not in log and " warning " not in log


#: Spellings of a path that some servers take for the same one.
SPELLINGS = ["/v2/session/apps", "//v2/session/apps", "/v2%2fsession/apps", "/./v2/session/apps", "/v2", "/x/../v2/session/apps",
             "/%76%32/session/apps", "/metrics", "//metrics", "/metrics/", "/console", "/console/", "/console/apps",
             "/v1/session/verify", "//v1/session/verify", "/dev", "/dev/mailbox"]


def check_proxy(server: Server) -> None:
    """What every recipe promises: TLS, HTTP/2, IPv6, redirect, the client's address, and paths that stay inside."""
    machine = server.machine
    server.at(PHONE)
    for path in SPELLINGS:
        assert machine.must(f"{STATUS} --path-as-is 'https://{HOST}{path}'") == "404", path
    # The service itself has them.
    assert machine.must(STATUS + "http://127.0.0.1:8080/v2/session/apps") == "401"
    keys = f"https://{HOST}/.well-known/jwks.json"
    for option in ("", f"--resolve 'auth.example.com:443:[{PHONE_6}]'"):
        version = machine.must(f"curl --silent --fail --http2 --output /dev/null --write-out '%{{http_version}} %{{remote_ip}}' {option} {keys}")
        assert version == f"2 {PHONE_6 if option else PHONE}"
        redirect = machine.must(
            "curl --silent --output /dev/null --write-out '%{http_code} %{redirect_url}' "
            f"{option.replace(':443:', ':80:')} 'http://{HOST}/a?b=c'")
        assert redirect in (f"301 https://{HOST}/a?b=c", f"308 https://{HOST}/a?b=c")
    assert machine.must(f"head --bytes 70000 /dev/zero | {STATUS} --data-binary @- https://{HOST}/v1/session/otp") == "413"
    # A client cannot choose its address.
    before = len(machine.journal())
    for forged in ("X-Forwarded-For: 198.51.100.1", "Forwarded: for=198.51.100.1", "X-Real-IP: 198.51.100.1",
                   "X-Forwarded-Host: elsewhere.example.com"):
        assert machine.must(f"{STATUS} -H '{forged}' https://{HOST}/.well-known/jwks.json") == "200"
    addresses = wait_until(lambda: re.findall(r" request .*?\baddress=(\S+)", machine.journal()[before:]))
    assert set(addresses) == {PHONE}


def test_nginx_of_the_page(server):
    check_proxy(server)


def test_certbot_renews_while_nginx_runs(server):
    machine = server.machine
    assert "timers.target" in machine.must("systemctl show --property=WantedBy certbot.timer")
    pid = machine.must("systemctl show --property=MainPID nginx")
    before = server.certificate()
    machine.must("certbot renew --force-renewal --no-random-sleep-on-renew")
    wait_until(lambda: server.certificate() != before)
    assert machine.must("systemctl show --property=MainPID nginx") == pid
    assert machine.must(STATUS + f"https://{HOST}/.well-known/jwks.json") == "200"


def state(machine: BareDebian, unit: str = "prelude-session") -> dict[str, str]:
    shown = machine.must(f"systemctl show {unit} --property=ActiveState,SubState,MainPID,NRestarts,ExecMainStatus,Result")
    return dict(line.split("=", 1) for line in shown.splitlines())


def test_wrong_settings_are_an_error_of_systemctl_and_are_not_tried_again(server):
    machine = server.machine
    settings = machine.path(SETTINGS).read_text()
    machine.path(SETTINGS).write_text(settings.replace('"port"', '"prot"'))
    try:
        assert machine.run("systemctl restart prelude-session").returncode != 0
        assert state(machine)["ExecMainStatus"] == "78"
        time.sleep(2.5)  # RestartSec is 2
        assert state(machine)["ActiveState"] == "failed"
        assert "prelude-session.service" in machine.must("systemctl --failed --no-legend")
        assert "prot" in machine.journal("prelude-session")
    finally:
        machine.path(SETTINGS).write_text(settings)
    machine.must("systemctl restart prelude-session")
    assert machine.must(STATUS + "http://127.0.0.1:8080/readyz") == "200"


def test_a_port_that_is_in_use_is_tried_again_until_it_is_free(server):
    machine = server.machine
    machine.must("systemctl stop prelude-session")
    machine.must("systemd-run --quiet --unit=other python3 -m http.server --bind 127.0.0.1 8080")
    wait_until(lambda: machine.run("curl --silent http://127.0.0.1:8080").returncode == 0)
    assert machine.run("systemctl start prelude-session").returncode != 0
    wait_until(lambda: int(state(machine)["NRestarts"]) >= 1)
    machine.must("systemctl stop other")
    wait_until(lambda: state(machine)["ActiveState"] == "active")
    assert machine.must(STATUS + "http://127.0.0.1:8080/readyz") == "200"


def test_a_process_that_hangs_is_replaced_and_stop_takes_seconds(server):
    machine = server.machine
    machine.write(f"{UNIT}.d/test.conf", "[Service]\nWatchdogSec=2\n")
    machine.must("systemctl daemon-reload; systemctl restart prelude-session")
    time.sleep(3)
    before = state(machine)
    assert before["ActiveState"] == "active" and before["NRestarts"] == "0"
    machine.must(f"kill -STOP {before['MainPID']}")
    wait_until(lambda: state(machine)["MainPID"] not in ("0", before["MainPID"]) and state(machine)["ActiveState"] == "active")
    assert "atchdog" in machine.journal("prelude-session")
    machine.must(f"rm {UNIT}.d/test.conf; systemctl daemon-reload; systemctl restart prelude-session")
    with Seconds() as stop:
        machine.must("systemctl stop prelude-session")
    assert stop.taken < 5
    machine.must("systemctl start prelude-session")


def test_reload_reads_the_certificate_again(server):
    """The service has the certificate itself, and a deploy hook would copy it."""
    machine = server.machine
    live = f"/etc/letsencrypt/live/{HOST}"
    copy = f"install -o prelude -m 0600 {live}/fullchain.pem {live}/privkey.pem /etc/prelude/"
    machine.must(copy)
    machine.write(f"{UNIT}.d/test.conf", (
        "[Service]\nExecStart=\nExecStart=/usr/local/bin/prelude-session serve --config /etc/prelude/session.json --port 8444 "
        "--tls-certificate /etc/prelude/fullchain.pem --tls-key /etc/prelude/privkey.pem\n"))

    def serial() -> str:
        served = subprocess.run(
            [*machine.network, "openssl", "s_client", "-connect", "127.0.0.1:8444", "-servername", HOST],
            stdin=subprocess.DEVNULL, capture_output=True, timeout=20).stdout
        return subprocess.run(["openssl", "x509", "-noout", "-serial"], input=served, capture_output=True).stdout.decode()

    try:
        machine.must("systemctl daemon-reload; systemctl restart prelude-session")
        before, pid = serial(), state(machine)["MainPID"]
        machine.must("certbot renew --force-renewal --no-random-sleep-on-renew")
        machine.must(copy)
        assert before and serial() == before
        machine.must("systemctl reload prelude-session")
        assert serial() not in ("", before) and state(machine)["MainPID"] == pid
    finally:
        machine.must(f"rm {UNIT}.d/test.conf; systemctl daemon-reload; systemctl restart prelude-session")


# Two nodes


def recipe(section: str) -> list[tuple[str, str, str]]:
    return BLOCK.findall(PROXIES.split(f"\n## {section}\n")[1].split("\n## ")[0])


@pytest.fixture(scope="module")
def nodes(server):
    """Replaces the service of the page by its two nodes."""
    machine = server.machine
    machine.must("systemctl disable --now prelude-session")
    section = INSTALL.split("\n## systemd\n")[1].split("\n## ")[0]
    template = next(line for _, _, block in BLOCK.findall(section) for line in lines(block) if "prelude-session@.service" in line)
    start = next(line for _, _, block in BLOCK.findall(section) for line in lines(block) if "prelude-session@8080" in line)
    machine.must(template)
    machine.must("systemctl daemon-reload")
    machine.must(start)
    return server


def roll(server: Server, *stops: str, pause: int = 0) -> None:
    """Restarts the nodes as the page says, with seconds between them, and then stops some for a second. No request fails."""
    restarts = [line for _, _, block in recipe("Two nodes") for line in lines(block) if "systemctl restart" in line]
    assert len(restarts) == 2
    with server.load() as counts:
        for line in restarts:
            server.machine.must(f"{line}; sleep {pause}")
        for node in stops:
            server.machine.must(f"systemctl stop {node}; sleep 1; systemctl start {node}")
    failed = {status: count for status, count in counts.items() if status == "0" or status.startswith("5")}
    assert not failed and counts["200"] > 50 and counts["refreshes"] > 5, (counts, server.machine.journal("caddy")[-3000:])


def test_nginx_with_two_nodes_fails_no_request(nodes):
    path = "/etc/nginx/conf.d/prelude-session.conf"
    text = nodes.machine.path(path).read_text()
    upstream = next(block for _, kind, block in recipe("Two nodes") if kind == "nginx")
    nodes.machine.write(path, re.sub(r"^upstream prelude.*?^}\n", upstream, text, flags=re.DOTALL | re.MULTILINE))
    nodes.machine.must("nginx -t; systemctl reload nginx")
    roll(nodes, "prelude-session@8080", "prelude-session@8082")


def test_caddy_of_the_page(nodes):
    machine = nodes.machine
    machine.must("systemctl disable --now nginx")
    machine.must("apt-get install --yes caddy")
    (_, _, caddyfile), (_, _, reload) = recipe("Caddy")
    authority = f"{{\n    acme_ca https://{ACME_HOST}:8443/acme/local/directory\n}}\n"
    machine.write("/etc/caddy/Caddyfile", authority + caddyfile)
    machine.must(reload)
    wait_until(lambda: machine.run(f"{STATUS} --fail https://{HOST}/.well-known/jwks.json").returncode == 0)
    check_proxy(nodes)
    [drain] = re.findall(r'`("drainDelay": \d+)`', PROXIES)
    settings = machine.path(SETTINGS)
    settings.write_text(settings.read_text().replace('"port"', f'{drain},\n    "port"', 1))
    machine.must("systemctl restart 'prelude-session@*'")
    wait_until(lambda: "200" == machine.must(f"{STATUS} https://{HOST}/.well-known/jwks.json"))
    [pause] = re.findall(r"Wait (\d+) seconds between the restarts", PROXIES)
    roll(nodes, pause=int(pause))


# The other commands of the page, in the set-up of the page


#: A shell of the service, as the page opens it.
SHELL = next(line for _, _, block in BLOCK.findall(PAGE) for line in lines(block) if line.endswith("session.json bash"))
#: The keys that only root can read come last: commands of the service's user cannot read them afterwards.
CREDSTORE = "/etc/credstore/prelude-session-keys"


def in_shell(line: str) -> str:
    """Returns a line of root, or one of the shell that the page opens."""
    return line if line.startswith("sudo ") or " | sudo " in line else f"{SHELL} -euc {shlex.quote(line)}"


@pytest.fixture(scope="module")
def one_node(nodes):
    """Returns to the service of the installation."""
    settings = nodes.machine.path(SETTINGS)
    settings.write_text(re.sub('"drainDelay": .*\n', "", settings.read_text()))
    nodes.machine.must("systemctl disable --now prelude-session@8080 prelude-session@8082; systemctl start prelude-session")
    return nodes


def test_every_command_of_the_page_works_in_the_set_up_of_the_page(one_node):
    machine = one_node.machine

    def record(line: str) -> dict:
        return json.loads(machine.must(in_shell(line + " --json")))[0]

    # What the page takes for given.
    app = record("prelude-session app create Shop --id abc1234 --email")["id"]
    user = record(f"prelude-session user create --app {app} --phone +33612345678")["id"]
    key = record(f"prelude-session key create old --app {app}")
    hook = record(f"prelude-session webhook create --app {app} https://backend.example.com/old")["id"]
    known = {
        "usr_01jd7w3k2m9z8x7c6v5b4n3m2a": user, "mk_01jd7w3k2m9z8x7c6v5b4n3m2a": key["id"],
        "web_01jd7w3k2m9z8x7c6v5b4n3m2a": hook}
    blocks = [block for name, page in PAGES.items() if name != "install" for block in BLOCK.findall(page)]
    tried = 0
    for line in [line for _, kind, block in blocks if kind == "sh" for line in lines(block)]:
        for example, real in known.items():
            line = line.replace(example, real)
        if CREDSTORE in line or "session.sqlite.keys" in line:
            continue  # another test
        if "-u postgres " in line or "postgresql://" in line:
            continue  # there is no server
        if "session revoke --all" in line:
            line += " --yes"  # the page says that it asks
        if " backup " in line:
            # The page says that commands read the passphrase there, too.
            line = line.replace("-u prelude", "-u prelude env PRELUDE_SESSION_BACKUP_PASSPHRASE='a passphrase'")
        result = machine.run(in_shell(line))
        tried += 1
        if "webhook activate" in line:
            # There is no such backend. The command has asked it.
            assert result.returncode != 0 and "backend.example.com" in result.stderr + result.stdout, result.stderr
        elif "session revoke" in line and "--except" in line:
            # The user has no session in this app. The command refuses, because there is none to keep.
            assert result.returncode == 1 and "the user has no such session" in result.stderr, result.stderr
        elif '"replaces"' in line:
            assert result.returncode == 1 and result.stderr == ""  # grep finds no such key
        else:
            assert result.returncode == 0, f"{line}\n{result.stdout}{result.stderr}"
    assert tried > 25
    # The unit of the backup, with the passphrase that only root can read.
    machine.must("systemctl start prelude-session-backup")
    assert len(list(machine.path("/var/backups/prelude").iterdir())) == 2


def test_keys_of_root_are_used_by_the_service_and_are_not_needed_for_the_commands(one_node):
    machine = one_node.machine
    section = PAGE.split("### Keys that only root can read\n")[1].split("\n### ")[0]
    for path, kind, block in BLOCK.findall(section):
        if path:
            machine.write(path, block)
        for line in lines(block) if kind == "sh" else []:
            machine.must(line)
    assert machine.must("curl --fail --silent http://127.0.0.1:8080/health")
    assert not machine.path("/var/lib/prelude/session.sqlite.keys").exists()
    machine.must(in_shell("prelude-session app list"))
    refused = machine.run(in_shell("prelude-session app create Other"))
    assert refused.returncode != 0 and "--key-file" in refused.stderr
    machine.must(f"prelude-session app create Other --key-file {CREDSTORE} --config {SETTINGS}")


# The lines of README.md


def test_init_of_the_readme_asks_and_the_service_starts_with_the_answers(one_node):
    """Types what a person types who accepts the suggestions, sends mail with an account, and sends no SMS."""
    machine = one_node.machine
    machine.must(
        f"systemctl stop prelude-session; rm -r {SETTINGS} /var/lib/prelude/* {UNIT}.d; systemctl daemon-reload")
    readme = (ROOT / "README.md").read_text()
    *before, init = lines(next(block for _, _, block in BLOCK.findall(readme) if " init " in block))
    for line in [*before, init]:
        assert line in INSTALL
    password = "/etc/prelude/mail-password"
    shown = machine.answer(init, [
        "My App", "https://{app_id}.session.example.com", "/var/lib/prelude/session.sqlite", "perhaps", "yes",
        "smtp.example.com", "", "", "nowhere", "login@example.com", "login", "nowhere.txt", password, ""])
    assert "Enter yes or no." in shown and "must be a mail address" in shown and "nowhere.txt does not exist" in shown
    assert machine.must(f"stat --format='%a %U' {SETTINGS}") == "600 prelude\n"
    text = machine.path(SETTINGS).read_text()
    for name, value in {
            "emailHost": "smtp.example.com", "emailTls": "starttls", "emailFrom": "login@example.com",
            "emailSecretFile": password, "publicUrl": "https://{app_id}.session.example.com"}.items():
        assert f'"{name}": "{value}"' in text
    assert '"emailPort": 587' in text and '// "smsRoute"' in text and "defaultApp" not in text
    app = re.search(r"^app +(\w{7})\r$", shown, re.MULTILINE)[1]
    key = re.search(r"^management key +(psk_\S+)\r$", shown, re.MULTILINE)[1]
    assert key not in text
    machine.must("systemctl start prelude-session")
    url = "http://127.0.0.1:8080"
    assert json.loads(machine.must(f"curl -sSf -H 'Host: {app}.session.example.com' {url}/.well-known/jwks.json"))
    listed = json.loads(machine.must(f"curl -sSf -H 'Authorization: Bearer {key}' {url}/v2/session/apps"))
    assert [(listed["apps"][0]["id"], listed["apps"][0]["name"])] == [(app, "My App")]
