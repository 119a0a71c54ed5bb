"""Tests the terminal client with a played service: texts that could control a terminal, and codes that are used up."""

import base64
import http.server
import json
import secrets
import subprocess
import threading
import time

from service import BINARY
from sockets import free_port


class PlayedService:
    """Answers the calls to each path in turn with a status, a body and header fields."""

    def __init__(self, answers: dict[str, list[tuple[int, dict, dict]]]):
        self.calls: list[str] = []
        played = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):  # noqa: N802
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                path = self.path.removeprefix("/v1/session")
                status, body, fields = answers[path][min(played.calls.count(path), len(answers[path]) - 1)]
                played.calls.append(path)
                content = json.dumps(body).encode() if body else b""
                self.send_response(status)
                for name, value in {**fields, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", free_port()), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def played_token(**claims) -> str:
    now = int(time.time())
    claims = {
        "iss": "localhost", "sub": "usr_1", "sid": "ses_1", "jti": secrets.token_hex(8), "iat": now, "exp": now + 300, **claims}
    parts = [json.dumps({"alg": "EdDSA", "kid": "k"}).encode(), json.dumps(claims).encode(), b"s" * 64]
    return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts)


def test_another_code_is_sent_after_the_pause_of_the_service_and_no_text_controls_the_terminal(tmp_path):
    texts = "\x1b]0;title\x07\x9b2J\nError: \u202e"
    error = {"code": "\x1b[2J" + "x" * 100, "type": "t", "message": texts}
    used_up = {"code": "bad_check_code", "type": "t", "message": "m", "needs_new_code": True}
    limited = {"code": "rate_limited", "type": "t", "message": "m"}
    with PlayedService({
        "/otp": [(204, {}, {"X-Verification-Token": "token"})],
        "/otp/check": [(400, used_up, {}), (400, error, {})],
        "/otp/retry": [(429, limited, {"Retry-After": "1"}), (204, {}, {})],
    }) as service:
        login = subprocess.run(
            [BINARY, "login", "--email", "ada@example.com"], input=b"111111\n222222\n", capture_output=True,
            env={"PRELUDE_SESSION_ENDPOINT": service.url, "HOME": str(tmp_path)}, timeout=60)
    assert service.calls == ["/otp", "/otp/check", "/otp/retry", "/otp/retry", "/otp/check"]
    output = login.stderr.decode()
    assert "Another code can be sent in 1 seconds" in output
    last = output.rsplit("Code: ", 1)[1]
    assert last.startswith("Error: ") and last.endswith("\n") and last[:-1].isprintable(), last
    assert len(last) < 400


def test_a_step_up_that_accepts_no_other_code_starts_again(tmp_path):
    def challenge(step: str) -> dict:
        return {"status": "continue", "challenge_token": played_token(
            challenge_id=secrets.token_hex(8), current_step=step, scope_requested="transfer:write")}

    def session() -> tuple[int, dict, dict]:
        body = {"access_token": played_token(), "expires_at": int(time.time()) + 300}
        return 200, body, {"X-Refresh-Token": "token", "X-Refresh-Token-Expires-At": "2100-01-01T00:00:00Z"}

    used_up = {"code": "bad_check_code", "type": "t", "message": "m", "needs_new_code": True}
    ended = {"code": "invalid_challenge_token", "type": "t", "message": "m"}
    sent = (204, {}, {"X-Verification-Token": "token"})
    with PlayedService({
        "/otp": [sent, sent, (401, ended, {}), sent],
        "/otp/check": [(200, challenge("completed"), {}), (400, used_up, {}), (200, challenge("completed"), {})],
        "/login/finalize": [session()], "/refresh": [session()],
        "/stepup/request": [(200, challenge("verify_email"), {}), (200, challenge("verify_email"), {})],
    }) as service:
        environment = {"PRELUDE_SESSION_ENDPOINT": service.url, "HOME": str(tmp_path)}
        login, step_up = [
            subprocess.run(
                [BINARY, *arguments], input=codes, capture_output=True, text=True, env=environment, timeout=60)
            for arguments, codes in [
                (["login", "--email", "ada@example.com"], "1111\n"), (["step-up", "transfer:write"], "2222\n3333\n")]]
    assert login.returncode == 0, login
    assert step_up.returncode == 0 and "starts again" in step_up.stderr, (step_up, service.calls)
    assert service.calls[3:] == [
        "/stepup/request", "/otp", "/otp/check", "/otp", "/stepup/request", "/otp", "/otp/check", "/refresh"]
