#!/usr/bin/env python3
"""Compares the service with glewlwyd, an OpenID Connect server with DPoP and SQLite from Debian.

Usage: glewlwyd.py [--benchmark FILE] [--folder FOLDER] [--sessions 1] [arguments of `service-benchmark run`]

Starts glewlwyd on the loopback with a new database, signs devices in, and runs the benchmark of the service. That one
measures both in the same rounds. Needs the Debian package glewlwyd, taskset, and the Python of scripts/bootstrap.
"""

import argparse
import json
import os
import pathlib
import re
import secrets
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests" / "System"), str(ROOT / "Tests" / "ForeignJudge")]
from dpop import make_dpop  # noqa: E402
from keys import new_device_key  # noqa: E402
from service import free_port  # noqa: E402

SAMPLE = "/usr/share/doc/glewlwyd/glewlwyd.conf.sample.gz"
SCHEMA = "/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3"


class Glewlwyd:
    def __init__(self, folder: pathlib.Path, pinned: bool):
        self.folder, self.port = folder, free_port()
        self.url = f"http://localhost:{self.port}"
        self.password, self.secret = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        self.cookie = ""
        database = sqlite3.connect(folder / "glewlwyd.db")
        database.executescript(pathlib.Path(SCHEMA).read_text())
        database.close()
        (folder / "glewlwyd.conf").write_text(self.configuration())
        command = ["glewlwyd", f"--config-file={folder}/glewlwyd.conf"]
        if pinned:
            command = ["taskset", "-c", "0", *command]
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=open(folder / "log", "w"), stderr=subprocess.STDOUT)

    def configuration(self) -> str:
        """The sample of the package, on this port, with this database, and with few lines in the log."""
        text = subprocess.run(["zcat", SAMPLE], capture_output=True, text=True, check=True).stdout
        for name, value in {
                "port": self.port, "external_url": f'"{self.url}"', "cookie_secure": 0, "log_level": '"WARNING"',
        }.items():
            text = re.sub(rf"^{name}=.*", f"{name}={value}", text, flags=re.MULTILINE)
        text = re.sub(r'path = "/var/cache/[^"]*"', f'path = "{self.folder}/glewlwyd.db"', text)
        return text + '\nbind_address="127.0.0.1"\n'

    def call(self, method: str, path: str, body: dict) -> None:
        request = urllib.request.Request(
            f"{self.url}/api{path}", json.dumps(body).encode(),
            {"Content-Type": "application/json", "Cookie": self.cookie}, method=method)
        with urllib.request.urlopen(request) as answer:
            self.cookie = (answer.headers["Set-Cookie"] or self.cookie).split(";")[0]

    def wait(self) -> None:
        for _ in range(100):
            try:
                # The database of the package has this administrator. It is reachable on this machine only, and for this run.
                return self.call("POST", "/auth/", {"username": "admin", "password": "password"})
            except urllib.error.URLError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.1)
        raise SystemExit("glewlwyd does not start: " + (self.folder / "log").read_text())

    def set_up(self) -> None:
        """Tokens of Ed25519, refresh tokens that are valid once, proofs allowed. One scope, one client, one user."""
        key, public = self.folder / "key.pem", self.folder / "public.pem"
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", key], check=True)
        subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-out", public], check=True)
        self.call("POST", "/mod/plugin/", {"module": "oidc", "name": "oidc", "display_name": "OIDC", "parameters": {
            "iss": f"{self.url}/api/oidc", "jwt-type": "eddsa", "jwt-key-size": "256", "key": key.read_text(),
            "cert": public.read_text(), "access-token-duration": 900, "refresh-token-duration": 1209600,
            "code-duration": 600, "refresh-token-rolling": True, "refresh-token-one-use": "always",
            "allow-non-oidc": True, "auth-type-code-enabled": False, "auth-type-token-enabled": False,
            "auth-type-id-token-enabled": False, "auth-type-none-enabled": False, "auth-type-password-enabled": True,
            "auth-type-client-enabled": False, "auth-type-device-enabled": False, "auth-type-refresh-enabled": True,
            "oauth-dpop-allowed": True, "oauth-dpop-iat-duration": 60, "subject-type": "public",
            "address-claim": {"type": "no"}, "name-claim": "no", "email-claim": "no", "scope-claim": "no",
            "allowed-scope": ["openid"], "scope": [{"name": "openid"}], "introspection-revocation-allowed": False,
            "register-client-allowed": False, "pkce-allowed": False}})
        self.call("POST", "/scope/", {
            "name": "bench", "display_name": "bench", "description": "bench", "password_required": True,
            "password_max_age": 0})
        self.call("POST", "/client/", self.client(confidential=True))
        self.call("POST", "/user/", {
            "username": "ada", "password": self.password, "name": "Ada", "enabled": True, "scope": ["bench"]})

    def client(self, confidential: bool) -> dict:
        own = {"password": self.secret} if confidential else {}
        methods = ["client_secret_post"] if confidential else ["none"]
        return {
            "client_id": "bench", "name": "bench", "confidential": confidential, "enabled": True, "scope": ["bench"],
            "authorization_type": ["password", "refresh_token"], "redirect_uri": ["http://localhost/"],
            "token_endpoint_auth_method": methods, **own}

    def token(self, key, form: dict) -> dict:
        url = f"{self.url}/api/oidc/token"
        headers = {"DPoP": make_dpop(key, "POST", url, None, None, int(time.time()))}
        with urllib.request.urlopen(urllib.request.Request(url, urllib.parse.urlencode(form).encode(), headers)) as answer:
            return json.load(answer)

    def sign_in(self) -> tuple:
        """Signs one device in with the password, and returns its key and its refresh token."""
        key = new_device_key()
        tokens = self.token(key, {
            "grant_type": "password", "username": "ada", "password": self.password, "scope": "bench",
            "client_id": "bench", "client_secret": self.secret})
        assert tokens["token_type"] == "DPoP", tokens
        return key, tokens["refresh_token"]

    def is_rejected(self, key, token: str) -> bool:
        try:
            self.token(key, {"grant_type": "refresh_token", "refresh_token": token, "client_id": "bench"})
        except urllib.error.HTTPError as error:
            return error.code in (400, 401, 403)
        return False

    def check_rules(self, key, token: str) -> None:
        """The comparison is fair only if a refresh token is valid once and with its key only."""
        assert self.is_rejected(new_device_key(), token), "another key is accepted"
        assert not self.is_rejected(key, token), "a valid refresh token is rejected"
        assert self.is_rejected(key, token), "a spent refresh token is accepted"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--benchmark", type=pathlib.Path, default=ROOT / ".build-release" / "release" / "service-benchmark")
    parser.add_argument("--folder", help="a folder on the disk that is measured, for both servers")
    parser.add_argument(
        "--sessions", type=int, default=1,
        help="one for each connection; with 16, glewlwyd is also measured at 16 connections, where its SQLite fails (default: 1)")
    options, others = parser.parse_known_args()
    if options.folder:
        others += ["--folder", options.folder]
    if not shutil.which("glewlwyd"):
        raise SystemExit("glewlwyd is missing. Benchmarks/peers/README.md shows how to install it.")
    pinned = "--unpinned" not in others and shutil.which("taskset") is not None and (os.cpu_count() or 1) > 1
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        peer = Glewlwyd(pathlib.Path(folder), pinned)
        try:
            peer.wait()
            peer.set_up()
            sessions = [peer.sign_in() for _ in range(options.sessions + 1)]
            # The password grant needs a client with a secret. A refresh of a public client checks no secret, as in the service.
            peer.call("PUT", "/client/bench", peer.client(confidential=False))
            peer.check_rules(*sessions.pop())
            description = pathlib.Path(folder) / "peer.json"
            description.write_text(json.dumps({
                "name": "glewlwyd", "pid": peer.process.pid, "port": peer.port, "path": "/api/oidc/token",
                "form": "client_id=bench", "sessions": [
                    {"key": key.as_dict(private=True)["d"], "refreshToken": token} for key, token in sessions]}))
            raise SystemExit(subprocess.run([options.benchmark, "run", "--peer", description, *others]).returncode)
        finally:
            peer.process.terminate()
            peer.process.wait(20)


if __name__ == "__main__":
    main()
