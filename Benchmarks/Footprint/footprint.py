#!/usr/bin/env python3
"""Measures the footprint of a built service: footprint.py BINARY [--seconds 60] [--rate 1000] [--sessions 64]

It prints the size of the program, its shared libraries, the time from its start to the first response of /health on an
existing database, and `VmRSS` and `RssAnon` of /proc/PID/status: idle, and at the end of a load of refreshes with proofs.
Needs the Python of the foreign judge, and a machine that does nothing else.
"""

import argparse
import base64
import hashlib
import http.client
import json
import os
import pathlib
import re
import secrets
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "Service" / "Tests" / "System" / "support"), str(ROOT / "Tests" / "ForeignJudge")]

from cryptography.hazmat.primitives import hashes, serialization  # noqa: E402
from cryptography.hazmat.primitives.asymmetric import ec, utils  # noqa: E402

import service as system  # noqa: E402
from person import Person  # noqa: E402

REFRESH = "/v1/session/refresh"


def encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def memory(pid: int) -> dict[str, float]:
    """The resident memory of a process in MB (10^6 bytes)."""
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return {
        name: int(re.search(rf"^{name}:\s+(\d+) kB", text, re.MULTILINE)[1]) * 1024 / 1e6
        for name in ("VmRSS", "RssAnon", "RssFile")}


def show(label: str, values: dict[str, float]) -> None:
    print(f"{label:<28}" + "  ".join(f"{name} {value:.1f} MB" for name, value in values.items()), flush=True)


def seconds_to_ready(service: system.Service) -> float:
    """Starts the service and returns the seconds until it answers."""
    log = open(service.directory / "service.log", "ab")
    begin = time.monotonic()
    service.process = subprocess.Popen(
        [system.BINARY, "serve", "--port", str(service.port), "--database", service.database, *service.flags],
        env={**os.environ, "PRELUDE_SESSION_MANAGEMENT_KEY": service.key}, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    while True:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=5)
            connection.request("GET", "/health")
            if connection.getresponse().status == 200:
                return time.monotonic() - begin
        except OSError:
            if service.process.poll() is not None or time.monotonic() - begin > 30:
                raise SystemExit(f"the service does not start: {service.log()[-500:]}")
            time.sleep(0.001)


class Refresher(threading.Thread):
    """One session that refreshes on one connection, as often as its part of the rate says."""

    def __init__(self, service: system.Service, person: Person, interval: float, end: float):
        super().__init__(daemon=True)
        self.port, self.url, self.interval, self.end = service.port, service.url + REFRESH, interval, end
        self.token, self.nonce, self.done, self.failures = person.refresh_token, person.device.nonce, 0, []
        private = person.device.key.as_dict(private=True)
        self.key = serialization.load_pem_private_key(person.device.key.as_pem(private=True), None)
        self.header = encode(json.dumps({
            "typ": "dpop+jwt", "alg": "ES256", "jwk": {name: private[name] for name in ("kty", "crv", "x", "y")}}).encode())

    def proof(self) -> str:
        claims = {
            "jti": secrets.token_urlsafe(16), "htm": "POST", "htu": self.url, "iat": int(time.time()),
            "attempt": encode(secrets.token_bytes(16)), **({"nonce": self.nonce} if self.nonce else {})}
        text = self.header + "." + encode(json.dumps(claims).encode())
        r, s = utils.decode_dss_signature(self.key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
        return text + "." + encode(r.to_bytes(32, "big") + s.to_bytes(32, "big"))

    def run(self) -> None:
        connection = http.client.HTTPConnection("localhost", self.port, timeout=10)
        due = time.monotonic() + secrets.randbelow(1000) / 1000 * self.interval
        while due < self.end:
            time.sleep(max(0, due - time.monotonic()))
            due += self.interval
            connection.request("POST", REFRESH, headers={
                "Content-Type": "application/json", "X-Refresh-Token": self.token, "DPoP": self.proof()})
            response = connection.getresponse()
            body = response.read()
            self.nonce = response.headers["DPoP-Nonce"] or self.nonce
            if response.status == 200:
                self.token, self.done = response.headers["X-Refresh-Token"], self.done + 1
            else:
                self.failures.append(body)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--rate", type=int, default=1000)
    parser.add_argument("--sessions", type=int, default=64)
    options = parser.parse_args()
    system.BINARY = options.binary.resolve()

    print(f"{'size':<28}{system.BINARY.stat().st_size / 1e6:.1f} MB")
    dynamic = subprocess.run(["readelf", "--dynamic", system.BINARY], capture_output=True, text=True, check=True).stdout
    print(f"{'shared libraries':<28}" + " ".join(re.findall(r"NEEDED.*\[(.*?)\]", dynamic)))
    with tempfile.TemporaryDirectory() as folder:
        service = system.Service(pathlib.Path(folder))
        service.start()
        people = [Person.signed_in(service) for _ in range(options.sessions)]
        service.stop()
        starts = []
        for _ in range(10):
            starts.append(seconds_to_ready(service) * 1000)
            service.stop()
        print(f"{'start to ready':<28}median {statistics.median(starts):.0f} ms, {min(starts):.0f} to {max(starts):.0f} ms")

        seconds_to_ready(service)
        show("ready", memory(service.process.pid))
        time.sleep(options.seconds)
        show(f"idle for {options.seconds} s", memory(service.process.pid))
        begin = time.monotonic()
        load = [
            Refresher(service, person, options.sessions / options.rate, begin + options.seconds) for person in people]
        for session in load:
            session.start()
        for session in load:
            session.join()
        rate = sum(session.done for session in load) / (time.monotonic() - begin)
        show(f"after {options.seconds} s of load", memory(service.process.pid))
        print(f"{'refreshes per second':<28}{rate:.0f}")
        failures = [failure for session in load for failure in session.failures]
        print(f"{'rejected':<28}{len(failures)} {failures[:1]}")
        service.stop()


if __name__ == "__main__":
    main()
