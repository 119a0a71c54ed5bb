"""Tests the log at the most verbose level: fields and not objects, and no secret."""

import base64
import collections
import fcntl
import json
import os
import pathlib
import re
import secrets
import shutil
import signal
import socket
import subprocess
import threading
import time

import pytest

from observed_story import Secrets, play
from operator_api import Management
from person import Person, new_email
from service import BINARY, ROOT, SUPPORT, Service, running
from sockets import free_port
from shifted_clock import COMPILER
from transport import Transport


# Proves: A6
@pytest.mark.parametrize("listeners", [1, 2])
def test_the_most_verbose_log_has_short_lines_and_no_secret(tmp_path, listeners):
    """The log of a start at the level debug had lines of 29 KB with the dummy password hash and keys."""
    password = "correct horse " + secrets.token_hex(4)
    port = free_port()
    flags = ["--management-port", str(port)] if listeners == 2 else []
    with running(Service(tmp_path, "--log-level", "trace", *flags)) as service:
        email = new_email()
        person = Person.signed_in(service, email)
        used = [person.access_token, person.refresh_token, person.code(email), service.key, password, email]
        person.refresh()
        used += [person.access_token, person.refresh_token]
        management = Management(service, url=f"http://localhost:{port}" if listeners == 2 else None)
        created = management.send(
            "POST", "/users", {"identifiers": [{"type": "email_address", "value": new_email()}], "password": password})
        assert created.status in (200, 201), created
        identifier = created.json["identifiers"][0]["value"]
        for attempt in [password, "wrong " + password]:
            person.transport.send(
                "POST", "/v1/session/login/email/password", {"identifier": identifier, "password": attempt})
        assert service.stop() == 0
        log = service.log()
        keys = json.loads((tmp_path / "session.sqlite.keys").read_text())["keys"]
        used += [key["secret"] for key in keys]

    lines = [line for line in log.splitlines() if not line.startswith("Management key of this start")]
    assert any(" trace " in line for line in lines) and any(" debug " in line for line in lines)
    assert max(len(line) for line in lines) < 2000
    text = "\n".join(lines)
    assert "$argon2id$" not in text and "SymmetricKey" not in text
    for secret in used:
        assert secret not in text
        assert base64.b64encode(secret.encode()).decode() not in text


# Proves: A6
@pytest.mark.parametrize("form", ["text", "json"])
def test_no_secret_of_a_whole_story_is_in_the_most_verbose_log(tmp_path, authority, backend, form):
    kept = Secrets()
    flags = ["--egress-trust-roots", str(authority.certificate_path), "--egress-network", "127.0.0.0/8"]
    with running(Service(tmp_path, "--log-level", "trace", "--log-format", form, *flags)) as service:
        play(service, backend, kept)
        assert service.stop() == 0
    kept.add(*(key["secret"] for key in json.loads((tmp_path / "session.sqlite.keys").read_text())["keys"]))
    log = (tmp_path / "service.log").read_bytes()
    assert len(kept.values) > 60
    for secret in kept.forms():
        assert secret not in log, secret
    lines = [line for line in log.decode().split("\n") if line and not line.startswith("Management key of this start")]
    assert len(kept.codes) > 2 and not kept.codes_in("\n".join(lines))
    assert not [character for character in "".join(lines) if character < " " or character in "\x7f\u2028\u2029"]
    records = [json.loads(line) for line in lines] if form == "json" else lines
    if form == "json":
        assert all(list(record)[:4] == ["timestamp", "level", "logger", "message"] for record in records)
        requests = [record for record in records if record["message"] == "request"]
        assert len(requests) > 60
        for record in requests:
            assert {"request_id", "route", "method", "status", "address", "ms"} <= set(record), record
            assert (record["status"] >= 400) == ("code" in record), record
        reasons = {record.get("reason") for record in requests}
        assert {"wrong_password", "unknown_user", "refresh_token_invalid", "proof_wrong_target", "proof_malformed",
                "hook_invalid_status_code", "limit_sends_hour"} <= reasons, reasons
    else:
        assert all(line[:4].isdigit() and line[23] == "Z" for line in records)


def test_the_search_for_codes_finds_words_and_no_parts_of_numbers():
    kept = Secrets()
    kept.add("123456", "00421337", "bad_code", "12")
    assert kept.codes == {"123456"} and kept.values == {"00421337"}
    for text in ["code=123456", '"code":"123456"', "123456", "the code 123456.", "(123456)", "[123456,", "a=1 b=123456\n"]:
        assert kept.codes_in(text) == {"123456"}, text
    for text in ["req_123456", "1234567", "0.123456", "123456.5", "2026-123456", "12:123456", "abc123456", "127.0.123456"]:
        assert not kept.codes_in(text), text


def test_the_log_and_the_metrics_name_the_same_refusals(tmp_path, authority, backend):
    """A refusal that passes several layers counts once, with the reason of its line."""
    flags = ["--egress-trust-roots", str(authority.certificate_path), "--egress-network", "127.0.0.0/8"]
    with running(Service(tmp_path, "--log-level", "debug", "--log-format", "json", *flags)) as service:
        play(service, backend, Secrets())
        raw(service, b"GET /v1 HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
        raw(service, b"no request\r\n\r\n")
        text = scrape(service)
        assert service.stop() == 0
    # The line of the scrape itself is written after it.
    records = [json.loads(line) for line in service.log().splitlines() if '"message":"request"' in line]
    refused = collections.Counter(record["reason"] for record in records if "code" in record)
    counted = {reason: int(count) for reason, count in re.findall(
        r'^prelude_session_refusals_total{reason="(\w+)"} (\d+)$', text, re.MULTILINE)}
    assert dict(refused) == {reason: count for reason, count in counted.items() if count}
    assert {"invalid_request", "no_such_endpoint", "wrong_password", "limit_sends_hour"} <= set(refused)
    page = (ROOT / "docs" / "observability.md").read_text().split("| reason | meaning |")[1].split("\n\n")[0]
    listed = [name for row in page.splitlines()[2:] for name in re.findall(r"`(\w+)`", row.split(" | ")[0])]
    assert sorted(listed) == sorted(counted)
    answered = sum(int(count) for count in re.findall(
        r"^prelude_session_http_requests_total{.*} (\d+)$", text, re.MULTILINE))
    assert answered == len(records) - 1


def raw(service: Service, sent: bytes) -> bytes:
    """Sends bytes and returns everything until the service closes the connection."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=10) as connection:
        connection.sendall(sent)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def scrape(service: Service) -> str:
    headers = [("Authorization", f"Bearer {service.key}")]
    return Transport(service.url).send("GET", "/metrics", None, headers).body.decode()


def test_a_refused_scrape_has_a_line_and_an_answered_one_only_for_debugging(tmp_path):
    with running(Service(tmp_path, "--log-format", "json")) as service:
        assert "prelude_session_ready 1" in scrape(service)
        refused = Transport(service.url).send("GET", "/metrics", None, [("Authorization", "Bearer psk_old")])
        assert refused.status == 401
        assert service.stop() == 0
    records = [json.loads(line) for line in service.log().splitlines() if '"route":"/metrics"' in line]
    assert [(record["level"], record["status"], record["reason"]) for record in records] == [("info", 401, "unauthorized")]


class PipedService(Service):
    """A service whose log is a small pipe."""

    def __init__(self, *arguments: str):
        super().__init__(*arguments)
        self.reading, self.writing = os.pipe()
        fcntl.fcntl(self.writing, fcntl.F_SETPIPE_SZ, 4096)

    def open_log(self):
        return self.writing


def test_a_reader_that_does_not_read_the_log_delays_no_request(tmp_path):
    service = PipedService(tmp_path, "--log-level", "debug")
    with running(service):
        # Many times as many lines as the pipe keeps.
        for _ in range(100):
            assert Management(service).send("GET", "").status == 200
        assert "prelude_session_log_lines_dropped_total 0" in scrape(service)
        os.close(service.writing)
        text = []
        reader = threading.Thread(target=lambda: text.append(open(service.reading, "rb").read()))
        reader.start()
        assert service.stop() == 0
        reader.join(20)
    assert text[0].count(b": request ") >= 100 and text[0].count(b"prelude-session: stopped") == 1


def test_a_log_without_a_reader_ends_no_service_and_its_lines_are_counted(tmp_path):
    service = PipedService(tmp_path)
    with running(service):
        os.close(service.writing)
        os.close(service.reading)
        for _ in range(5):
            assert Management(service).send("GET", "").status == 200
        # The lines are written on another thread.
        deadline = time.monotonic() + 10
        while "prelude_session_log_lines_dropped_total 0" in scrape(service) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert "prelude_session_log_lines_dropped_total 0" not in scrape(service)
        assert service.stop() == 0


def test_a_process_whose_log_is_never_read_ends(tmp_path):
    service = PipedService(tmp_path, "--log-level", "debug")
    with running(service):
        for _ in range(100):
            Management(service).send("GET", "")
        assert service.stop() == 0
    os.close(service.reading)


def test_the_lines_before_a_crash_are_in_the_log(tmp_path, monkeypatch):
    # With the handler of Swift's toolchain, which prints a backtrace, the service installs none.
    monkeypatch.setenv("SWIFT_BACKTRACE", "enable=no")
    with running(Service(tmp_path, "--log-level", "debug")) as service:
        for _ in range(20):
            Management(service).send("GET", "")
        service.process.send_signal(signal.SIGABRT)
        assert service.process.wait(20) == -signal.SIGABRT
    assert service.log().count(": request ") >= 20


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_standard_stream_becomes_no_other_file_of_the_service(tmp_path, closed):
    """The next file that opens would get its number, and then the log: a connection, or what SQLite locks."""
    service = Service(tmp_path)
    command = [BINARY, "serve", "--development", "--port", str(service.port), "--database", service.database]
    with subprocess.Popen(
            ["sh", "-c", f'exec "$@" {closed}', "sh", *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL) as service.process:
        try:
            deadline = time.monotonic() + 20
            while not is_healthy(service):
                assert service.process.poll() is None and time.monotonic() < deadline
                time.sleep(0.05)
            files = pathlib.Path(f"/proc/{service.process.pid}/fd")
            if files.exists():
                assert {os.readlink(files / stream) for stream in "012"} == {"/dev/null"}
            assert service.stop() == 0
        finally:
            service.process.kill()


def is_healthy(service: Service) -> bool:
    try:
        return Transport(service.url).send("GET", "/health").status == 200
    except OSError:
        return False


# The journal


class JournalService(Service):
    """Its standard error is the stream that `JOURNAL_STREAM` names, or not."""

    def __init__(self, directory, is_stream: bool):
        super().__init__(directory)
        self.is_stream = is_stream

    def open_log(self):
        log = super().open_log()
        file = os.fstat(log.fileno())
        self.variables["JOURNAL_STREAM"] = f"{file.st_dev}:{file.st_ino + (0 if self.is_stream else 1)}"
        return log


@pytest.mark.parametrize("is_stream", [True, False])
def test_lines_for_the_journal_have_priorities(tmp_path, is_stream):
    with running(JournalService(tmp_path, is_stream)) as service:
        lines = [line for line in service.log().splitlines() if " prelude-session: " in line]
    assert lines
    for line in lines:
        level = re.search(r"Z (\w+) prelude-session: ", line)[1]
        priority = {"info": "<6>", "notice": "<5>", "warning": "<4>", "error": "<3>"}[level]
        assert line.startswith(priority) == is_stream and line.startswith("<") == is_stream, line


@pytest.mark.skipif(not COMPILER or not shutil.which("setpriv"), reason="needs a C compiler, and setpriv of Linux")
@pytest.mark.parametrize("setting", [None, "stderr"])
def test_a_process_that_may_not_raise_priorities_says_nothing_of_them(tmp_path, setting):
    """libdispatch wrote a line to the journal for each thread that got no higher priority: under systemd, in containers."""
    library = tmp_path / "system_log.so"
    source = SUPPORT / "system_log.c"
    subprocess.run([COMPILER, "-shared", "-fPIC", "-o", library, source], check=True)
    service = Service(tmp_path)
    service.variables |= {"LD_PRELOAD": str(library)} | ({"LIBDISPATCH_LOG": setting} if setting else {})
    # Without the right to raise a priority. Other users have none anyway.
    service.wrapper = ["setpriv", "--bounding-set=-sys_nice", "--inh-caps=-sys_nice"] if os.geteuid() == 0 else []
    with running(service):
        Person.signed_in(service, new_email())
        assert service.stop() == 0
    assert ("priority" in service.log()) == (setting is not None), service.log()
    assert "to the log of the system" not in service.log()
