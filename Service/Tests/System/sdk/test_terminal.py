"""Tests the executable from a terminal: every client command, its output and its exit code."""

import contextlib
import json
import os
import socket
import stat
import subprocess
import threading

import pytest

from service import BINARY
from sockets import free_port
from terminal import log_in_with_code, run_with_code


def test_a_user_signs_in_with_a_code_and_signs_out(service):
    login = log_in_with_code(service, "ada@example.com")
    assert login.returncode == 0, login.stderr
    session = json.loads(login.stdout)["session_id"]
    who = service.run("whoami", "--json")
    assert json.loads(who.stdout)["identifiers"] == ["ada@example.com"], who.stderr
    assert session in service.run("sessions").stdout
    assert service.run("refresh").returncode == 0
    token = service.run("refresh", "--print-token").stdout.strip()
    assert token.count(".") == 2
    assert service.run("logout").returncode == 0
    after = service.run("whoami")
    assert after.returncode == 2
    assert "signed in" in after.stderr


def test_a_user_signs_in_with_a_password_set_by_a_command(service):
    made = service.run(
        "user", "create", "--app", "devapp1", "--email", "grace@example.com", "--password", "--json",
        stdin="correct horse battery\n")
    assert made.returncode == 0, made.stderr
    assert "correct horse" not in made.stdout + made.stderr
    wrong = service.run("login", "--email", "grace@example.com", "--password", stdin="wrong horse\n")
    assert wrong.returncode == 2
    right = service.run("login", "--email", "grace@example.com", "--password", stdin="correct horse battery\n")
    assert right.returncode == 0, right.stderr
    assert service.run("revoke", "all").returncode == 0
    assert service.run("sessions").returncode == 2


def test_a_step_up_grants_a_scope(service):
    log_in_with_code(service, "edsger@example.com")
    granted = run_with_code(service, "edsger@example.com", "step-up", "transfer:write", "--json")
    assert granted.returncode == 0, granted.stderr
    assert json.loads(granted.stdout) == {"scope": "transfer:write", "granted": True}
    refused = service.run("step-up", "no:such:scope")
    assert refused.returncode != 0 and refused.stdout == ""


def test_a_user_changes_the_password(service):
    log_in_with_code(service, "barbara@example.com")
    changed = run_with_code(
        service, "barbara@example.com", "change-password", then="short\nstaple of the better kind\n")
    assert changed.returncode == 0, changed.stderr
    assert "does not meet the app's rules" in changed.stderr and "staple" not in changed.stdout + changed.stderr
    assert service.run("logout").returncode == 0
    login = service.run(
        "login", "--email", "barbara@example.com", "--password", stdin="staple of the better kind\n")
    assert login.returncode == 0, login.stderr


# Proves: H4
def test_credentials_and_keys_are_readable_only_by_their_owner(service):
    log_in_with_code(service, "mode@example.com")
    files = [*service.directory.glob("credentials/*"), *service.directory.glob("session.sqlite*")]
    assert len(files) >= 4
    for file in files:
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file


# Proves: A6
def test_the_log_contains_no_secret(service):
    log_in_with_code(service, "quiet@example.com")
    token = service.run("refresh", "--print-token").stdout.strip()
    log = service.log()
    assert token not in log
    assert "quiet@example.com" not in log


# Proves: G6
def test_development_mode_rejects_a_public_address():
    refused = subprocess.run(
        [BINARY, "serve", "--development", "--host", "0.0.0.0", "--database", "sqlite::memory:"],
        capture_output=True, text=True, timeout=30)
    assert refused.returncode != 0
    assert "--allow-public-development" in refused.stderr


def test_the_error_for_an_invalid_setting_names_it():
    for arguments, name in [
        (["--port", "http"], "port"), (["--database", "mysql:x"], "database"),
        (["--trusted-proxy", "nowhere"], "trusted-proxy"), (["--log-level", "loud"], "log-level"),
    ]:
        refused = subprocess.run(
            [BINARY, "serve", "--development", "--database", "sqlite::memory:", *arguments], capture_output=True,
            text=True, timeout=30)
        assert refused.returncode != 0 and name in refused.stderr, (arguments, refused.stderr)


def test_outside_development_the_public_url_is_required(tmp_path):
    refused = subprocess.run(
        [BINARY, "serve", "--database", f"sqlite:{tmp_path}/s.sqlite"], capture_output=True, text=True, timeout=30)
    assert refused.returncode != 0
    assert "public-url" in refused.stderr


# Proves: D1
@pytest.mark.parametrize("url", ["http://session.example.com", "http://{app_id}.session.example.com", "session.example.com"])
def test_outside_development_the_public_url_must_be_https(tmp_path, url):
    """D1 (RFC 9449 §2): DPoP is used together with TLS, never instead of it."""
    refused = subprocess.run(
        [BINARY, "serve", "--database", f"sqlite:{tmp_path}/s.sqlite", "--public-url", url], capture_output=True,
        text=True, timeout=30)
    assert refused.returncode != 0
    assert "public-url: must begin with https://" in refused.stderr


# Proves: H4
def test_a_lost_key_file_is_never_replaced(service):
    service.stop()
    (service.directory / "session.sqlite.keys").unlink()
    refused = service.run("app", "create", "Shop")
    assert refused.returncode != 0
    assert "is missing" in refused.stderr


def test_the_service_stops_cleanly(service):
    assert service.stop() == 0


class ClosingServer:
    """Closes each connection inside the head of its response."""

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", free_port()))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.requests = 0
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                if connection.recv(65536):
                    self.requests += 1
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Le")
                connection.close()

    def __exit__(self, *_):
        self.listener.close()


def command(*arguments: str, **variables: str) -> subprocess.CompletedProcess:
    """Runs a client command with only these variables and the path."""
    return subprocess.run(
        [BINARY, *arguments], env={"PATH": os.environ["PATH"], **variables}, capture_output=True, text=True,
        stdin=subprocess.DEVNULL, timeout=60)


def test_a_connection_that_closes_inside_the_head_of_a_response_is_an_error(tmp_path):
    with ClosingServer() as server:
        login = command(
            "login", "--email", "ada@example.com", PRELUDE_SESSION_ENDPOINT=server.url, HOME=str(tmp_path))
    assert login.returncode == 3, login
    assert login.stderr.startswith("Error: ") and login.stderr.count("\n") == 1
    assert server.requests == 1


def test_each_executable_has_its_own_directory(service, tmp_path):
    copy = tmp_path / "notes"
    copy.symlink_to(BINARY)
    for executable, variables, directory in [
        (BINARY, {"HOME": str(tmp_path / "home")}, "home/.local/share/prelude-session/prelude-session"),
        (copy, {"HOME": str(tmp_path / "home")}, "home/.local/share/prelude-session/notes"),
        (copy, {"HOME": "/nowhere", "XDG_DATA_HOME": str(tmp_path / "data")}, "data/prelude-session/notes"),
    ]:
        subprocess.run(
            [executable, "login", "--email", "ada@example.com", "--endpoint", service.url], env=variables,
            capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
        records = [path.name for path in (tmp_path / directory).iterdir()]
        assert any(name.endswith(".device") for name in records), records
        assert stat.S_IMODE((tmp_path / directory).stat().st_mode) == 0o700


def test_a_damaged_session_says_how_to_recover(service):
    log_in_with_code(service, "barbara@example.com")
    record = next((service.directory / "credentials").glob("*.session"))
    record.write_text('{"version":')
    who = service.run("whoami")
    assert who.returncode == 3
    assert "sign in again" in who.stderr and "sign out" in who.stderr
    assert log_in_with_code(service, "barbara@example.com").returncode == 0
    assert service.run("whoami").returncode == 0
    record.write_text("")
    assert service.run("logout").returncode == 0
    assert not record.exists()


@pytest.mark.parametrize("use", ["refresh", "whoami", "logout"])
def test_the_file_of_a_killed_process_is_removed(service, use):
    log_in_with_code(service, "mary@example.com")
    left = service.directory / "credentials" / ".new-h4Lf5w"
    left.write_text("a token")
    assert service.run(use).returncode == 0
    assert not left.exists()


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_an_odd_object_in_place_of_the_session_is_an_error_until_the_next_logout(service, make):
    log_in_with_code(service, "frances@example.com")
    record = next((service.directory / "credentials").glob("*.session"))
    record.unlink()
    make(record)
    who = service.run("whoami")
    assert who.returncode == 3 and "it is not a file" in who.stderr, who
    assert service.run("logout").returncode == 0
    assert not record.exists()
    assert service.run("whoami").returncode == 2


def test_without_a_home_the_error_names_the_variables(tmp_path):
    tmp_path.chmod(0o777)
    who = subprocess.run(
        [BINARY, "whoami"], env={"HOME": "relative"}, user=54321, group=54321, extra_groups=[], cwd=tmp_path,
        capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
    assert who.returncode == 3 and "HOME" in who.stderr and "XDG_DATA_HOME" in who.stderr, who
    assert list(tmp_path.iterdir()) == []
