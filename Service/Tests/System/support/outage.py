"""What a service answers that cannot use its database."""

import subprocess

from service import Service


def health(service: Service, path: str) -> tuple[int, str]:
    command = ["curl", "--silent", "--max-time", "5", "--write-out", "\n%{http_code}", service.url + path]
    body, _, status = subprocess.run(command, capture_output=True, text=True).stdout.rpartition("\n")
    return int(status or 0), body


def assert_is_temporary(answer) -> None:
    assert answer.status == 503, answer
    assert answer.json["code"] == "internal" and answer.json["type"] == "internal_error"
    assert int(answer.headers["Retry-After"]) > 0
    assert "disk" not in answer.json["message"] and "SQLite" not in answer.json["message"]
