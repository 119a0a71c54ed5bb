"""Tests `check` and the start of the service: everything that is wrong is reported, in words, and nothing is changed."""

import base64
import contextlib
import json
import os
import pathlib
import pty
import pwd
import re
import secrets
import socket
import sqlite3
import subprocess

import pytest

from operator_api import Management
from service import APP, BINARY, Service, running
from sockets import free_port

PREFIX = "PRELUDE_SESSION_"


def command(
    directory: pathlib.Path, *arguments: str, user: int | None = None, **variables: str
) -> subprocess.CompletedProcess:
    """Runs the program with no settings but `variables`. A service that starts all the same is ended after 10 seconds."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    return subprocess.run(
        [BINARY, *arguments], cwd=directory, env=environment | {PREFIX + name: value for name, value in variables.items()},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=10, user=user)


def settings(directory: pathlib.Path, text: str) -> list[str]:
    (directory / "session.json").write_text(text)
    return ["--config", str(directory / "session.json")]


VALID = '{"publicUrl": "https://{app_id}.example.com", "database": "sqlite:session.sqlite"}'


def test_check_accepts_a_valid_configuration_and_creates_nothing(tmp_path):
    checked = command(tmp_path, "check", *settings(tmp_path, VALID))
    assert checked.returncode == 0, checked.stderr
    assert checked.stdout.startswith("The configuration is valid.\n")
    assert str(tmp_path / "session.sqlite") in checked.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["session.json"]


def test_check_warns_of_apps_without_a_host_and_of_proxies_that_are_everyone(tmp_path):
    def warnings(text: str) -> list[str]:
        checked = command(tmp_path, "check", *settings(tmp_path, text))
        assert checked.returncode == 0, checked.stderr
        return [line for line in checked.stdout.splitlines() if line.startswith("warning")]

    assert warnings(VALID) == []
    found = warnings(VALID.replace("{app_id}.", ""))
    assert len(found) == 1 and "publicUrl https://example.com is the same for all apps" in found[0]
    assert "Set defaultApp" in found[0]
    proxies = '"trustedProxies": ["10.0.0.0/8", "0.0.0.0/0", "::/0"]'
    found = warnings(f"{VALID[:-1]}, {proxies}}}")
    assert len(found) == 2 and all("every caller can claim any address" in line for line in found)
    assert "trustedProxies has 0.0.0.0/0," in found[0] and "trustedProxies has ::/0," in found[1]
    for setting in ("clientAddressHeader", "countryHeader"):
        named = f'{VALID[:-1]}, "{setting}": "CF-Connecting-IP"}}'
        found = warnings(named)
        assert len(found) == 1 and f"{setting} has no effect without trustedProxies" in found[0]
        assert warnings(f'{named[:-1]}, "trustedProxies": ["10.0.0.1"]}}') == []


def test_check_warns_of_listeners_that_reach_further_than_meant(tmp_path):
    def warnings(**changes) -> list[str]:
        text = json.dumps(json.loads(VALID) | changes)
        checked = command(tmp_path, "check", *settings(tmp_path, text))
        assert checked.returncode == 0, checked.stderr
        return [line for line in checked.stdout.splitlines() if line.startswith("warning")]

    proxied = {"trustedProxies": ["10.0.0.1"]}
    for host in ("0.0.0.0", "::"):
        [found] = warnings(host=host, **proxied)
        assert "serves the management API (/v2) and /metrics, too. Set managementPort" in found
        assert warnings(host=host, managementPort=8081, **proxied) == []
        [found] = warnings(managementHost=host, managementPort=8081)
        assert "the management API (/v2) and /metrics listen on all addresses" in found and "Set managementHost" in found
        [found] = warnings(host=host, managementPort=8081)
        assert f"speaks plain HTTP on {host}, so a proxy does TLS. It is not in trustedProxies" in found
    assert warnings(host="127.0.0.1", managementPort=8081) == warnings(host="::1") == []


def test_check_says_from_which_schema_the_start_migrates(tmp_path):
    flags = settings(tmp_path, VALID)
    assert command(tmp_path, "app", "create", "Shop", *flags).returncode == 0
    path = tmp_path / "session.sqlite"

    def checked(schema: int) -> subprocess.CompletedProcess:
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA user_version = {schema}")
        return command(tmp_path, "check", *flags)

    with contextlib.closing(sqlite3.connect(path)) as connection:
        [newest] = connection.execute("PRAGMA user_version").fetchone()
    assert "notice" not in checked(newest).stdout
    older = checked(newest - 1)
    assert older.returncode == 0
    assert f"notice        the start migrates the database from schema {newest - 1} to {newest}. Back up before" in older.stdout
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (newest - 1,)
    newer = checked(newest + 1)
    assert newer.returncode == 1 and f"has schema {newest + 1}, and this prelude-session" in newer.stderr


def test_check_and_serve_report_everything_with_file_line_and_remedy(tmp_path):
    flags = settings(tmp_path, """\
// Settings of the shop
{
    "publicUrl": "https://{appid}.example.com",
    "trustedProxy": "10.0.0.1",
    "countryHeader": "CF IPCountry",
    "port": "http",
}
""")
    variables = {"TRUSTED_PROXYS": "10.0.0.1", "IDLE_TIMEOUT": "soon"}
    checked = command(tmp_path, "check", *flags, "--log-level", "loud", **variables)
    file = tmp_path / "session.json"
    assert checked.returncode == 1 and checked.stdout == ""
    assert checked.stderr == f"""\
Error: the configuration has 7 errors:
  {PREFIX}TRUSTED_PROXYS: is not a setting. Did you mean {PREFIX}TRUSTED_PROXIES?
  {file}:4: trustedProxy: is an unknown setting. Did you mean trustedProxies?
  {file}:6: port: must be a number from 1 to 65535, not "http"
  {file}:5: countryHeader: "CF IPCountry" is not the name of a header: letters, digits and hyphens, such as CF-IPCountry \
(RFC 9110 §5.6.2)
  --log-level: must be trace, debug, info, notice, warning, error or critical
  {PREFIX}IDLE_TIMEOUT: must be a number from 1 to 3600, not "soon"
  {file}:3: publicUrl: contains {{appid}}. Write {{app_id}} where the id of an app stands
"""
    served = command(tmp_path, "serve", *flags, "--log-level", "loud", **variables)
    # EX_CONFIG: a service manager need not try again.
    assert (served.returncode, served.stderr) == (78, checked.stderr)
    assert [path.name for path in tmp_path.iterdir()] == ["session.json"]


@pytest.mark.parametrize(("flag", "value", "problem"), [
    ("--host", "192.0.2.1", "--host: 192.0.2.1 is not an address of this machine"),
    ("--database", "sqlite:{0}/pipe", "--database: {0}/pipe is not a regular file"),
    ("--database", "sqlite:{0}/dangling", "--database: {0}/dangling is not a regular file, or a link without a target"),
    ("--database", "sqlite:{0}/empty", "database: {0}/empty (from --database) is damaged: the file is empty"),
    ("--key-file", "{0}/missing/keys", "--key-file: the folder {0}/missing does not exist"),
])
def test_check_finds_what_the_start_would_refuse(tmp_path, flag, value, problem):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    for name in ("empty", "empty.lock"):
        (tmp_path / name).touch()
    flags = {"--public-url": "https://a.example.com", "--database": f"sqlite:{tmp_path}/session.sqlite"}
    flags[flag] = value.format(tmp_path)
    for verb in ("check", "serve"):
        result = command(tmp_path, verb, *(part for pair in flags.items() for part in pair))
        # With 1, because the address or the file can come: a service manager tries again.
        assert result.returncode == 1 and problem.format(tmp_path) in result.stderr, result
    assert {path.name for path in tmp_path.iterdir()} == {"pipe", "dangling", "empty", "empty.lock"}


# Proves: G8
@pytest.mark.parametrize("arguments", [
    ["app", "list"], ["serve"], ["check"], ["login", "--email", "a@example.com"], ["init"], ["backup", "verify", "a"],
])
def test_a_misspelled_variable_is_an_error_of_every_command(tmp_path, arguments):
    result = command(tmp_path, *arguments, TRUSTED_PROXY="10.0.0.1")
    assert result.returncode != 0
    assert f"{PREFIX}TRUSTED_PROXY: is not a setting. Did you mean {PREFIX}TRUSTED_PROXIES?" in result.stderr


def test_init_rejects_variables_that_override_the_file_it_writes(tmp_path):
    result = command(tmp_path, "init", DATABASE="sqlite:elsewhere")
    assert result.returncode != 0
    assert f"{PREFIX}DATABASE: is set, and overrides the settings file that this command writes" in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [["app", "list"], ["serve"], ["login", "--email", "a@example.com"]])
def test_variables_that_kubernetes_sets_are_one_error_with_its_remedy(tmp_path, arguments):
    refused = command(
        tmp_path, *arguments, SERVICE_HOST="10.0.0.11", SERVICE_PORT="8080", PORT="tcp://10.0.0.11:8080",
        PORT_8080_TCP="tcp://10.0.0.11:8080", PORT_8080_TCP_ADDR="10.0.0.11")
    assert refused.returncode == (78 if "serve" in arguments else 1)
    assert f"{PREFIX}PORT and 4 more: Kubernetes sets these variables" in refused.stderr
    assert "`enableServiceLinks: false` in the spec of the pod" in refused.stderr
    assert f"{PREFIX}PORT: must be" not in refused.stderr


def test_variables_of_the_scripts_do_not_stop_the_service(tmp_path):
    checked = command(
        tmp_path, "check", *settings(tmp_path, VALID), PAGES="x", EXPLORE="12", JUDGE_PYTHON="python")
    assert checked.returncode == 0, checked.stderr


def test_files_with_secrets_that_every_user_can_read_are_warned_of(tmp_path):
    password = tmp_path / "password"
    password.write_text("s3cret")
    flags = settings(tmp_path, json.dumps(json.loads(VALID) | {
        "managementKey": secrets.token_urlsafe(32), "emailRoute": "smtp", "emailHost": "mail.example.com",
        "emailFrom": "a@example.com", "emailUsername": "shop", "emailSecretFile": str(password)}))
    files = [tmp_path / "session.json", password]

    def warned(mode):
        for file in files:
            file.chmod(mode)
        checked = command(tmp_path, "check", *flags)
        assert checked.returncode == 0, checked.stderr
        return [file for file in files if f"Run: chmod o-rwx {file}" in checked.stdout]

    assert warned(0o644) == files
    assert warned(0o640) == []


def test_a_settings_file_without_secrets_may_be_read_by_all(tmp_path):
    flags = settings(tmp_path, VALID)
    (tmp_path / "session.json").chmod(0o644)
    assert "warning" not in command(tmp_path, "check", *flags).stdout


def test_the_default_app_must_exist(tmp_path):
    flags = settings(tmp_path, VALID)
    # Without a database, the app may still be created.
    checked = command(tmp_path, "check", *flags, "--default-app", "abc1234")
    assert checked.returncode == 0
    assert "does not exist yet, and so the default app abc1234 does not" in checked.stdout
    made = command(tmp_path, "app", "create", "Shop", "--id", "abc1234", *flags)
    assert made.returncode == 0, made.stderr
    for verb in ("check", "serve"):
        wrong = command(tmp_path, verb, *flags, "--default-app", "abc1243")
        assert wrong.returncode == 1
        assert wrong.stderr.startswith(
            f"Error: --default-app: there is no app abc1243 in {tmp_path}/session.sqlite. Did you mean abc1234?")
        assert "prelude-session app create NAME --id abc1243" in wrong.stderr
    before = sorted((path.name, path.stat().st_mtime_ns) for path in tmp_path.iterdir() if path.name != "session.json")
    assert command(tmp_path, "check", *flags, "--default-app", "abc1234").returncode == 0
    after = sorted((path.name, path.stat().st_mtime_ns) for path in tmp_path.iterdir() if path.name != "session.json")
    assert [entry for entry in after if not entry[0].endswith(("-wal", "-shm"))] == [
        entry for entry in before if not entry[0].endswith(("-wal", "-shm"))]


def test_check_works_beside_a_running_service_and_compares_the_master_keys(tmp_path):
    with running(Service(tmp_path, "--public-url", "https://{app_id}.example.com", development=False)) as service:
        flags = ["--database", service.database, "--public-url", "https://{app_id}.example.com"]
        assert command(tmp_path, "app", "create", "Shop", *flags[:2]).returncode == 0
        assert command(tmp_path, "check", *flags).returncode == 0
        wrong = command(tmp_path, "check", *flags, *wrong_keys(tmp_path))
        assert wrong.returncode == 1 and "stored keys or secrets are sealed with it" in wrong.stderr
        missing = command(tmp_path, "check", *flags, "--key-file", str(tmp_path / "nowhere"))
        assert missing.returncode == 1 and "is missing, and the database has apps" in missing.stderr


# The start


def started(tmp_path, *flags: str, user: int | None = None) -> subprocess.CompletedProcess:
    return command(
        tmp_path, "serve", "--development", "--allow-public-development", "--public-url", "http://localhost", *flags,
        user=user)


def test_a_port_in_use_is_reported_before_the_database_is_created(tmp_path):
    with socket.socket() as other:
        port = free_port()
        other.bind(("127.0.0.1", port))
        other.listen()
        result = started(tmp_path, "--port", str(port))
    assert result.returncode == 1 and result.stdout == ""
    assert result.stderr == (
        f"Error: --port: another process already listens on 127.0.0.1, port {port}. `ss -ltnp 'sport = :{port}'` shows "
        "it. Stop it, or choose another port\n")
    assert list(tmp_path.iterdir()) == []


def test_the_port_of_the_management_api_is_checked_too(tmp_path):
    with socket.socket() as other:
        port = free_port()
        other.bind(("127.0.0.1", port))
        other.listen()
        result = started(tmp_path, "--port", str(free_port()), "--management-port", str(port))
    assert result.returncode == 1 and f"--management-port: another process already listens on 127.0.0.1" in result.stderr


@pytest.mark.parametrize(
    ("flags", "message"), [
        (["--host", "a..b"], '--host: the name "a..b" cannot be resolved ('),
        (["--host", "192.0.2.1"], "--host: 192.0.2.1 is not an address of this machine. `ip address` lists its addresses"),
        (["--egress-trust-roots", "/nowhere.pem"], "--egress-trust-roots: /nowhere.pem does not exist. Name a file in PEM format"),
        (["--database", "sqlite:/nowhere/a"], "--database: the folder /nowhere does not exist. Create it: install -d -o "),
    ])
def test_a_start_that_fails_says_why_in_one_line(tmp_path, flags, message):
    result = started(tmp_path, "--port", str(free_port()), *flags)
    assert result.returncode == 1 and result.stdout == ""
    assert result.stderr.startswith("Error: " + message) and result.stderr.count("\n") == 1
    assert "delivery of webhooks failed" not in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_file_without_certificates_is_no_trust_root(tmp_path):
    (tmp_path / "roots.pem").write_text("no certificate\n")
    result = started(tmp_path, "--port", str(free_port()), "--egress-trust-roots", str(tmp_path / "roots.pem"))
    assert result.returncode == 1 and "has no certificate in PEM format" in result.stderr


def test_a_byte_order_mark_in_a_file_is_no_part_of_it_or_is_named(tmp_path, authority):
    """Editors of Windows write one."""
    certificate, key, keys, roots = (tmp_path / name for name in ("cert.pem", "key.pem", "master.keys", "roots.pem"))
    chosen = base64.urlsafe_b64encode(secrets.token_bytes(32)).rstrip(b"=")
    keys.write_bytes(b"\xef\xbb\xbf" + chosen + b"\r\n")
    keys.chmod(0o600)
    accepted = command(tmp_path, "check", "--key-file", str(keys), *settings(tmp_path, VALID))
    assert accepted.returncode == 0, accepted.stderr
    keys.write_bytes(chosen.decode().encode("utf-16"))
    refused = command(tmp_path, "check", "--key-file", str(keys), *settings(tmp_path, VALID))
    assert refused.returncode != 0 and f"{keys} is not UTF-8. Save it with this encoding" in refused.stderr
    text = authority.certificate_path.read_text()
    for content, problem in [
        (text.encode("utf-16"), "is UTF-16. Save it as ASCII or UTF-8"),
        (text.encode("utf-8-sig"), "begins with a byte order mark. Save it without"),
    ]:
        roots.write_bytes(content)
        refused = started(tmp_path, "--port", str(free_port()), "--egress-trust-roots", str(roots))
        assert refused.returncode == 1 and f"{roots} {problem}" in refused.stderr, refused.stderr
    certificate.write_bytes(text.encode("utf-16"))
    key.write_text("no key")
    refused = command(
        tmp_path, "check", "--tls-certificate", str(certificate), "--tls-key", str(key), *settings(tmp_path, VALID))
    assert f"{certificate} is UTF-16. Save it as ASCII or UTF-8" in refused.stderr, refused.stderr


def test_a_secret_file_that_cannot_be_read_is_named_with_the_reason(tmp_path):
    route = ', "smsRoute": "vonage", "smsUsername": "u", "smsFrom": "Shop", "smsSecretFile": "PATH"}'
    long = tmp_path / "long"
    long.write_text("a" * 9000)
    for path, reason in [
        (tmp_path / "none", "No such file or directory"), (tmp_path, "it is no file"), (long, "has more than 8192 bytes"),
    ]:
        text = VALID.removesuffix("}") + route.replace("PATH", str(path))
        refused = command(tmp_path, "check", *settings(tmp_path, text))
        assert refused.returncode != 0 and f"smsSecretFile: {path}: the file with the secret" in refused.stderr, refused.stderr
        assert reason in refused.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a second user")
def test_a_folder_of_another_user_is_reported_with_the_command_that_changes_it(tmp_path):
    tmp_path.chmod(0o755)
    for parent in list(tmp_path.parents)[:3]:
        parent.chmod(parent.stat().st_mode | 0o055)
    stranger = pwd.getpwnam("nobody")
    result = started(tmp_path, "--port", str(free_port()), "--database", f"sqlite:{tmp_path}/a", user=stranger.pw_uid)
    assert result.returncode == 1
    assert f"cannot write in the folder {tmp_path}: Permission denied. Run: chown " in result.stderr


def test_a_stopping_service_reports_no_failed_delivery(tmp_path):
    service = Service(tmp_path)
    service.start()
    assert service.stop() == 0
    assert "failed" not in service.log()


# New apps


def test_an_app_that_a_command_creates_answers_at_once(tmp_path):
    with running(Service(tmp_path, "--public-url", "https://{app_id}.example.com", development=False)) as service:
        for name in ("first", "second", "third"):
            made = command(tmp_path, "app", "create", name, "--json", "--database", service.database)
            assert made.returncode == 0, made.stderr
            app = json.loads(made.stdout)[0]["id"]
            status = subprocess.run(
                ["curl", "--silent", "--output", "/dev/null", "--write-out", "%{http_code}", "-H",
                 f"Host: {app}.example.com", service.url + "/.well-known/jwks.json"],
                capture_output=True, text=True, check=True, timeout=10).stdout
            assert status == "200"


# Commands


def test_app_create_has_the_rules_of_the_management_api(tmp_path):
    for flags, message in (
            (["--domain", "https://a.example.com"], "domains must be at most 20 different bare hosts"),
            (["--domain", "a.example.com:8443"], "domains must be at most 20 different bare hosts"),
            (["--allowed-origin", "a.example.com"], "allowed_origins must be at most 50 different origins"),
            (["--allowed-origin", "https://a.example.com/"], "allowed_origins must be at most 50 different origins")):
        refused = command(tmp_path, "app", "create", "Shop", *flags)
        assert refused.returncode == 1 and message in refused.stderr
    named = command(tmp_path, "app", "create", "a\x07b")
    assert named.returncode == 1 and "without control or formatting characters" in named.stderr


#: Commands that read and change rows only.
WITHOUT_KEYS = [
    ["app", "list"], ["key", "list"], ["key", "create", "backend"], ["key", "signing"], ["events"],
    ["user", "create", "--app", APP, "--email", "ada@example.com"], ["session", "revoke", "--all", "--yes"],
    ["scope", "add", "--app", APP, "transfer:write"], ["scope", "list", "--app", APP],
    ["domain", "add", "--app", APP, "session.example.com"], ["domain", "list", "--app", APP],
    ["webhook", "list", "--app", APP],
]


@pytest.mark.parametrize("arguments", WITHOUT_KEYS, ids=lambda arguments: " ".join(arguments[:2]))
def test_a_command_that_uses_no_key_needs_none(tmp_path, arguments):
    assert command(tmp_path, "app", "create", "Shop", "--id", APP).returncode == 0
    (tmp_path / "prelude-session.sqlite.keys").unlink()
    worked = command(tmp_path, *arguments)
    assert worked.returncode == 0, worked.stderr
    assert not (tmp_path / "prelude-session.sqlite.keys").exists()


# Proves: K14
@pytest.mark.parametrize(
    "arguments", [
        ["app", "create", "Other"], ["key", "rotate"], ["key", "reseal"],
        ["webhook", "create", "--app", APP, "https://backend.example.com/"], ["backup", "create", "copy"],
        ["step-up", "set", "--app", APP, "transfer:write"]], ids=lambda arguments: " ".join(arguments[:2]))
def test_a_command_that_uses_master_keys_needs_them(tmp_path, arguments):
    assert command(tmp_path, "app", "create", "Shop", "--id", APP).returncode == 0
    (tmp_path / "prelude-session.sqlite.keys").unlink()
    refused = command(tmp_path, *arguments, BACKUP_PASSPHRASE="a passphrase of the test")
    assert refused.returncode == 1 and "is missing, and the database has apps" in refused.stderr
    assert not (tmp_path / "copy").exists()


def wrong_keys(directory: pathlib.Path) -> list[str]:
    (directory / "wrong.keys").write_text('{"version": 1, "keys": [{"secret": "%s"}]}' % ("A" * 43))
    (directory / "wrong.keys").chmod(0o600)
    return ["--key-file", str(directory / "wrong.keys")]


# Proves: K14
def test_a_backup_is_not_written_with_the_master_keys_of_another_database(tmp_path):
    assert command(tmp_path, "app", "create", "Shop", "--id", APP).returncode == 0
    refused = command(
        tmp_path, "backup", "create", "copy", *wrong_keys(tmp_path), BACKUP_PASSPHRASE="a passphrase of the test")
    assert refused.returncode == 1 and "stored keys or secrets are sealed with it" in refused.stderr
    assert not (tmp_path / "copy").exists()


# init


FLAGS = ["--app-name", "Shop", "--public-url", "https://auth.example.com", "--no-email", "--no-sms"]


def set_up(tmp_path, *flags: str) -> subprocess.CompletedProcess:
    return command(
        tmp_path, "init", "--config", f"{tmp_path}/session.json", "--database", f"{tmp_path}/session.sqlite", *flags)


def test_init_without_a_terminal_names_all_missing_flags(tmp_path):
    result = command(tmp_path, "init")
    assert result.returncode != 0
    assert (
        "these flags are missing: --config; --app-name; --public-url; --database; --email-host or --no-email; "
        "--sms-route or --no-sms") in result.stderr
    assert list(tmp_path.iterdir()) == []


# Proves: G9
def test_init_creates_a_service_that_starts(tmp_path):
    made = set_up(tmp_path, *FLAGS, "--json")
    assert made.returncode == 0, made.stderr
    result = json.loads(made.stdout)
    assert result["origin"] == "https://auth.example.com"
    for name in ("settings", "database", "master_keys"):
        assert pathlib.Path(result[name]).stat().st_mode & 0o777 == 0o600
    assert command(tmp_path, "check", "--config", result["settings"]).returncode == 0
    service = Service(tmp_path, "--config", result["settings"], development=False)
    with running(service):
        answer = subprocess.run(
            ["curl", "-sSf", "-H", "Host: auth.example.com", service.url + "/.well-known/jwks.json"],
            capture_output=True, text=True, timeout=10)
        assert json.loads(answer.stdout)["keys"]
        allowed = subprocess.run(
            ["curl", "-sSf", "-H", f"Authorization: Bearer {result['management_key']}", service.url + "/v2/session/apps"],
            capture_output=True, text=True, timeout=10)
        assert [app["id"] for app in json.loads(allowed.stdout)["apps"]] == [result["app"]]


def test_init_takes_several_addresses_in_one_flag(tmp_path):
    made = set_up(
        tmp_path, *FLAGS, "--trusted-proxy", "10.0.0.1, 10.0.0.2", "--egress-network", "10.0.0.0/8,192.168.0.0/16", "--port",
        "08081")
    assert made.returncode == 0, made.stderr
    text = (tmp_path / "session.json").read_text()
    for line in ('"trustedProxies": ["10.0.0.1", "10.0.0.2"],', '"egressNetworks": ["10.0.0.0/8", "192.168.0.0/16"],', '"port": 8081,'):
        assert line in text
    assert command(tmp_path, "check", "--config", str(tmp_path / "session.json")).returncode == 0


def test_init_writes_the_servers_for_mail_and_sms(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("a secret\n")
    made = set_up(
        tmp_path, *FLAGS[:4], "--email-host", "smtp.example.com", "--email-tls", "implicit", "--email-from", "a@example.com",
        "--email-username", "login", "--email-secret-file", str(secret), "--sms-route", "twilio", "--sms-account",
        "AC" + "0" * 32, "--sms-secret-file", str(secret), "--sms-from", "+15550100", "--json")
    assert made.returncode == 0, made.stderr
    text = (tmp_path / "session.json").read_text()
    for line in ('"emailPort": 465,', '"emailUsername": "login",', f'"emailSecretFile": "{secret}",', '"smsFrom": "+15550100",'):
        assert f"    {line}\n" in text
    assert "a secret" not in text
    listed = command(tmp_path, "app", "list", "--json", "--config", str(tmp_path / "session.json"))
    assert json.loads(listed.stdout)[0]["otp_logins"] == ["email", "sms"]


# Proves: G9
def test_init_replaces_nothing(tmp_path):
    (tmp_path / "session.json").write_text("{}")
    refused = set_up(tmp_path, *FLAGS)
    assert refused.returncode == 1 and "session.json exists already, and is not overwritten" in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["session.json"]
    (tmp_path / "session.json").rename(tmp_path / "session.sqlite")
    refused = set_up(tmp_path, *FLAGS)
    assert refused.returncode == 1 and "session.sqlite exists already" in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["session.sqlite"]


@pytest.mark.parametrize(
    ("flags", "message"), [
        (["--public-url", "http://auth.example.com"], "--public-url: must begin with https://"),
        (["--public-url", "https://{appid}.example.com"], "contains {appid}. Write {app_id}"),
        (["--app-name", " "], "--app-name: must have 1 to 100 characters"),
        (["--trusted-proxy", "proxy"], '"proxy" is not an address or a network'),
        (["--port", "99999"], '--port: must be a number from 1 to 65535, not "99999"'),
        (["--host", "a..b"], '--host: the name "a..b" cannot be resolved'),
        (["--email-host", "a", "--email-from", "b"], "--email-from: must be a mail address"),
        (["--email-host", "smtp.example.com:587", "--email-from", "a@example.com"], "--email-host: must be the name of a server"),
        (["--email-host", "10.1.2.3", "--email-from", "a@example.com"],
         "--email-host: the address is refused: it is private or otherwise special. If the server is yours, allow its "
         "network with --egress-network"),
        (["--email-host", "a", "--email-from", "a@example.com", "--email-port", "465", "--email-tls", "starttls"],
         "--email-tls: must be implicit with port 465"),
        (["--email-host", "a", "--email-from", "a@example.com", "--email-secret-file", "/etc/hostname"],
         "--email-secret-file: needs --email-username"),
        (["--email-port", "25", "--no-email"], "--email-port: contradicts --no-email"),
        (["--sms-route", "twilio", "--sms-account", "x", "--sms-secret-file", "/etc/hostname", "--sms-from", "+1"],
         "--sms-account: must be the Account SID"),
        (["--sms-route", "prelude", "--sms-secret-file", "/etc/hostname", "--sms-account", "x"],
         "--sms-account: is not a setting of a prelude route"),
        (["--sms-from", "Shop", "--no-sms"], "--sms-from: contradicts --no-sms"),
    ])
def test_init_with_an_invalid_value_leaves_nothing_behind(tmp_path, flags, message):
    off = [f"--no-{kind}" for kind in ("email", "sms") if not any(kind in flag for flag in flags)]
    refused = set_up(tmp_path, *FLAGS[:-2], *flags, *off)
    assert refused.returncode != 0 and message in refused.stderr, refused.stderr
    assert f"{tmp_path}/session.json:" not in refused.stderr and "Usage:" not in refused.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("flags", "port", "tls"), [
    ([], "587", "starttls"), (["--email-port", "465"], "465", "implicit"), (["--email-tls", "implicit"], "465", "implicit"),
    (["--email-port", "2525"], "2525", "starttls"),
])
def test_init_derives_tls_from_the_port(tmp_path, flags, port, tls):
    made = set_up(tmp_path, *FLAGS[:-2], "--email-host", "a.example.com", "--email-from", "a@example.com", "--no-sms", *flags)
    assert made.returncode == 0, made.stderr
    text = (tmp_path / "session.json").read_text()
    assert f'"emailPort": {port},' in text and f'"emailTls": "{tls}",' in text
    assert command(tmp_path, "check", "--config", str(tmp_path / "session.json")).returncode == 0


def test_init_takes_a_mail_server_in_the_own_network(tmp_path):
    made = set_up(
        tmp_path, *FLAGS[:-2], "--email-host", "10.1.2.3", "--email-from", "a@example.com", "--no-sms",
        "--egress-network", "10.1.0.0/16")
    assert made.returncode == 0, made.stderr
    assert '    "egressNetworks": ["10.1.0.0/16"],\n' in (tmp_path / "session.json").read_text()
    assert command(tmp_path, "check", "--config", str(tmp_path / "session.json")).returncode == 0


def typed(tmp_path, *answers: str) -> str:
    """Runs `init` on a terminal, types the answers, and returns what the terminal showed."""
    child, terminal = pty.fork()
    if child == 0:
        for name in [name for name in os.environ if name.startswith(PREFIX)]:
            del os.environ[name]
        os.execv(BINARY, [BINARY, "init", "--config", f"{tmp_path}/session.json"])
    shown, left = b"", list(answers)
    while True:
        try:
            read = os.read(terminal, 4096)
        except OSError:  # the end, on Linux
            break
        shown += read
        if not read:
            break
        # A question ends with a colon and a space.
        if shown.endswith(b": ") and left:
            os.write(terminal, left.pop(0).encode() + b"\n")
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0 and not left, shown.decode()
    return shown.decode()


def test_init_asks_again_after_each_invalid_answer(tmp_path):
    (tmp_path / "token").write_text("a token\n")
    (tmp_path / "empty").write_text("\n")
    shown = typed(
        tmp_path, "Shop", "http://a.example.com", "https://auth.example.com", f"{tmp_path}/nowhere/a", f"{tmp_path}/a",
        "yes", "smtp.example.com:465", "10.1.2.3", "10.1.2", "", "0", "465", "starttls", "", "a@b", "a@example.com", "login",
        str(tmp_path / "empty"), str(tmp_path / "token"),
        "yes", "fax", "twilio", "AC1", "AC" + "0" * 32, str(tmp_path / "token"), "Shop")
    for problem in (
            "must begin with https://", "nowhere does not exist", "must be the name of a server",
            "must be an address or a network", "must be a number from 1 to 65535", "must be implicit with port 465",
            "must be a mail address", "contains no secret", "must be one of twilio", "must be the Account SID"):
        assert shown.count(problem) == 1, problem
    text = (tmp_path / "session.json").read_text()
    for line in ('"egressNetworks": ["10.1.2.3"],', '"emailPort": 465,', '"emailTls": "implicit",', '"smsFrom": "Shop",'):
        assert line in text
    assert command(tmp_path, "check", "--config", f"{tmp_path}/session.json").returncode == 0


def test_the_settings_file_of_an_interrupted_init_never_appears(tmp_path):
    """Ends `init` as soon as the first of its files appears."""
    for attempt in range(5):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        process = subprocess.Popen(
            [BINARY, "init", "--config", f"{folder}/session.json", "--database", f"{folder}/session.sqlite", *FLAGS],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # The file of the keys is created before the app.
        while process.poll() is None and not (folder / "session.sqlite.keys").exists():
            pass
        process.kill()
        if process.wait(10) == 0:
            continue
        checked = command(folder, "check", "--config", f"{folder}/session.json")
        left = {path.name for path in folder.iterdir()}
        if "session.json" in left:  # it was complete
            assert checked.returncode == 0 and "session.sqlite" in left, left
        else:
            assert checked.returncode == 1 and "does not exist" in checked.stderr, left
            again = command(
                folder, "init", "--config", f"{folder}/session.json", "--database", f"{folder}/session.sqlite", *FLAGS)
            assert again.returncode == 1 and "an init that was interrupted has left it" in again.stderr


def test_init_of_two_processes_creates_one_app(tmp_path):
    processes = [
        subprocess.Popen(
            [BINARY, "init", "--config", f"{tmp_path}/{number}.json", "--database", f"{tmp_path}/session.sqlite", *FLAGS],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for number in range(3)]
    errors = [process.communicate(timeout=60)[1] for process in processes]
    assert sorted(process.returncode for process in processes) == [0, 1, 1], errors
    listed = command(tmp_path, "app", "list", "--json", "--database", f"sqlite:{tmp_path}/session.sqlite")
    assert len(json.loads(listed.stdout)) == 1
    assert len(list(tmp_path.glob("*.json*"))) == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a second user")
@pytest.mark.parametrize("verb", ["init", "app"])
def test_files_that_root_creates_belong_to_the_owner_of_their_folder(tmp_path, verb):
    stranger = pwd.getpwnam("nobody")
    os.chown(tmp_path, stranger.pw_uid, stranger.pw_gid)
    made = set_up(tmp_path, *FLAGS) if verb == "init" else command(
        tmp_path, "app", "create", "Shop", "--database", f"sqlite:{tmp_path}/session.sqlite")
    assert made.returncode == 0, made.stderr
    owners = {path.name: path.stat().st_uid for path in tmp_path.iterdir()}
    assert {"session.sqlite", "session.sqlite.keys", "session.sqlite.lock"} <= owners.keys()
    assert set(owners.values()) == {stranger.pw_uid}, owners


# Delivery that is configured after init


def test_mail_that_is_configured_after_init_has_a_login(tmp_path):
    made = set_up(tmp_path, *FLAGS)
    assert made.returncode == 0, made.stderr
    assert "Mail cannot be sent yet: set emailRoute" in made.stdout
    listed = command(tmp_path, "app", "list", "--json", "--config", f"{tmp_path}/session.json")
    assert json.loads(listed.stdout)[0]["otp_logins"] == ["email"]


def test_app_enable_turns_on_a_login_once(tmp_path):
    assert command(tmp_path, "app", "create", "Shop", "--id", APP).returncode == 0
    for _ in range(2):
        enabled = command(tmp_path, "app", "enable", "--app", APP, "--email", "--password", "--json")
        assert enabled.returncode == 0, enabled.stderr
        shown = json.loads(enabled.stdout)[0]
        assert (shown["otp_logins"], shown["password_login"]) == (["email"], True)
        assert "no delivery by e-mail is configured" in enabled.stderr
    nothing = command(tmp_path, "app", "enable", "--app", APP)
    assert nothing.returncode != 0 and "Name a login: --password, --sms or --email" in nothing.stderr
    unknown = command(tmp_path, "app", "enable", "--app", "zzzzzzz", "--email")
    assert unknown.returncode == 1 and "there is no app zzzzzzz" in unknown.stderr


def test_the_start_warns_of_a_route_that_no_login_uses(tmp_path):
    database = ["--database", f"sqlite:{tmp_path}/session.sqlite"]
    assert command(tmp_path, "app", "create", "Shop", "--id", APP, *database).returncode == 0
    (tmp_path / "mail.json").write_text(json.dumps({
        "emailRoute": "smtp", "emailHost": "mail.example.com", "emailFrom": "a@example.com",
        "publicUrl": "https://{app_id}.example.com"}))
    service = Service(tmp_path, "--config", f"{tmp_path}/mail.json", development=False)
    with running(service):
        assert service.log().count("prelude-session app enable --app ID --email") == 1
    assert command(tmp_path, "app", "enable", "--app", APP, "--email", *database).returncode == 0
    with running(service):
        assert service.log().count("prelude-session app enable --app ID --email") == 1  # of the first start


def test_secrets_can_be_in_files(tmp_path):
    keys = [secrets.token_urlsafe(32) for _ in range(2)]
    file = tmp_path / "keys"
    file.write_text("\n".join(keys) + "\n")
    service = Service(tmp_path)
    service.key, service.variables = "", {PREFIX + "MANAGEMENT_KEY_FILE": str(file)}
    with running(service):
        for service.key in keys:
            assert Management(service).send("GET", "/users").status == 200
        service.key = "another"
        assert Management(service).send("GET", "/users").status == 401
    both = command(tmp_path, "check", *settings(tmp_path, VALID), MANAGEMENT_KEY_FILE=str(file), MANAGEMENT_KEY=keys[0])
    assert f"{PREFIX}MANAGEMENT_KEY_FILE: is set, and {PREFIX}MANAGEMENT_KEY, too. Remove one of them" in both.stderr
    # The environment is stronger than the settings file.
    flags = settings(tmp_path, f'{VALID[:-1]}, "managementKey": "guessed"}}')
    assert command(tmp_path, "check", *flags, MANAGEMENT_KEY_FILE=str(file)).returncode == 0
    file.write_text("hunter2\n")
    weak = command(tmp_path, "check", *settings(tmp_path, VALID), MANAGEMENT_KEY_FILE=str(file))
    assert weak.returncode == 1 and f"{PREFIX}MANAGEMENT_KEY_FILE: key 1 " in weak.stderr and "hunter2" not in weak.stderr
    # The place is that of the source that is used.
    weak = command(tmp_path, "check", *flags, MANAGEMENT_KEY_FILE=str(file))
    assert f"{PREFIX}MANAGEMENT_KEY_FILE: key 1 " in weak.stderr
    file.write_text("\n".join(keys) + "\n")
    file.chmod(0o644)
    empty = command(tmp_path, "check", *settings(tmp_path, VALID), MANAGEMENT_KEY_FILE=str(file), MANAGEMENT_KEY="")
    assert empty.returncode == 0 and f"every user of this machine can read {file}" in empty.stdout + empty.stderr
    missing = command(tmp_path, "check", *settings(tmp_path, VALID), MANAGEMENT_KEY_FILE="/nowhere")
    assert f"{PREFIX}MANAGEMENT_KEY_FILE: /nowhere does not exist" in missing.stderr


def test_a_password_file_is_for_postgresql(tmp_path):
    file = tmp_path / "password"
    file.write_text("a secret of the file\n")
    embedded = command(tmp_path, "check", *settings(tmp_path, VALID), DATABASE_PASSWORD_FILE=str(file))
    assert f"{PREFIX}DATABASE_PASSWORD_FILE: is for PostgreSQL, and the database is a file" in embedded.stderr


def test_a_path_before_the_service_is_refused_with_the_remedy(tmp_path):
    for url in ("https://example.com/auth", "https://example.com/auth/", "https://{app_id}.example.com/auth"):
        refused = command(tmp_path, "check", *settings(tmp_path, VALID.replace("https://{app_id}.example.com", url)))
        assert refused.returncode == 1 and "publicUrl: has the path /auth" in refused.stderr, refused.stderr
        assert "give it a host of its own" in refused.stderr


def test_a_file_that_is_missing_may_come_and_a_wrong_value_may_not(tmp_path):
    """After 78, systemd does not try again. A file can be mounted late, or be replaced at the moment of the start."""
    flags = ["--public-url", "https://a.example.com", "--database", f"sqlite:{tmp_path}/session.sqlite", "--port", str(free_port())]
    mail = {"EMAIL_ROUTE": "smtp", "EMAIL_HOST": "smtp.example.com", "EMAIL_FROM": "a@example.com", "EMAIL_USERNAME": "a"}
    missing = [
        ([], {**mail, "EMAIL_SECRET_FILE": "/nowhere"}), ([], {"MANAGEMENT_KEY_FILE": "/nowhere"}),
        (["--tls-certificate", "/nowhere", "--tls-key", "/nowhere"], {}), (["--egress-trust-roots", "/nowhere"], {})]
    for more, variables in missing:
        late = command(tmp_path, "serve", *flags, *more, **variables)
        assert late.returncode == 1 and "/nowhere" in late.stderr, late
        both = command(tmp_path, "serve", *flags, *more, "--log-level", "loud", **variables)
        assert both.returncode == 78 and "/nowhere" in both.stderr and "--log-level" in both.stderr, both


@pytest.mark.parametrize(("flags", "variables", "problem"), [
    ([], {"MASTER_KEYS": "x"}, "is not 32 bytes"), ([], {"MASTER_KEYS": ","}, "contains no key"),
    (["--key-file", "/nowhere"], {"MASTER_KEYS": "x"}, "key-file: is set, and"),
    (["--database", "postgresql://a@127.0.0.1:1/a?sslmode=bogus", "--key-file", "/nowhere"], {}, "sslmode must be"),
    (["--database", "postgresql://a@127.0.0.1:1/a?connect_timeout=abc", "--key-file", "/nowhere"], {}, "connect_timeout must"),
    (["--host", "127.0.0.1:80"], {}, "--host: must be an address"), (["--host", ""], {}, "--host: must be an address"),
    (["--key-file", ""], {}, "--key-file: must name a file"), ([], {"MANAGEMENT_KEY": " , "}, "contains no key"),
])
def test_a_wrong_value_ends_with_78(tmp_path, flags, variables, problem):
    """Otherwise systemd starts it again every two seconds, without end."""
    own = ["--public-url", "https://a.example.com", "--port", str(free_port())]
    if "--database" not in flags:
        own += ["--database", f"sqlite:{tmp_path}/session.sqlite"]
    refused = command(tmp_path, "serve", *own, *flags, **variables)
    assert refused.returncode == 78 and problem in refused.stderr, refused


UNUSABLE = {"empty": "", "blank": "\n\n", "null": "nul\0byte", "two": "first\nsecond\n", "long": "x" * 10_000_000}


@pytest.mark.parametrize(("variable", "kind"), [
    *[(name, kind) for name in ("DATABASE_PASSWORD_FILE", "MANAGEMENT_KEY_FILE") for kind in ("empty", "blank", "null", "long")],
    ("DATABASE_PASSWORD_FILE", "two")])
def test_a_file_without_a_secret_is_refused_by_its_name(tmp_path, variable, kind):
    path = tmp_path / "secret"
    path.write_text(UNUSABLE[kind])
    path.chmod(0o600)
    refused = command(
        tmp_path, "serve", "--public-url", "https://a.example.com", "--port", str(free_port()), "--key-file", "/nowhere",
        "--database", "postgresql://a@127.0.0.1:1/a", **{variable: str(path)})
    assert refused.returncode == 78 and variable in refused.stderr, refused


def test_two_passwords_of_a_database_are_one_too_many(tmp_path):
    path = tmp_path / "secret"
    path.write_text("other")
    refused = command(
        tmp_path, "serve", "--public-url", "https://a.example.com", "--port", str(free_port()), "--key-file", "/nowhere",
        "--database", "postgresql://a:kept@127.0.0.1:1/a", DATABASE_PASSWORD_FILE=str(path))
    assert refused.returncode == 78 and "has a password, too" in refused.stderr and "kept" not in refused.stderr, refused


def test_a_settings_file_that_is_missing_may_come(tmp_path):
    assert command(tmp_path, "serve", "--config", "/nowhere.json").returncode == 1
    nothing = tmp_path / "session.json"
    nothing.write_text('{"keyFile": "\\u0000"}')
    refused = command(tmp_path, "serve", "--config", str(nothing))
    assert refused.returncode == 78 and "keyFile: must not contain U+0000" in refused.stderr, refused
