#!/usr/bin/env python3
"""Compares the service with glewlwyd, an OpenID Connect server with DPoP and SQLite from Debian.

Usage: glewlwyd.py [--benchmark FILE] [--folder FOLDER] [--sessions 1] [arguments of `service-benchmark run`]

Starts glewlwyd on the loopback with a new database, signs devices in, and runs the benchmark of the service. That one
measures both in the same rounds. Needs the Debian package glewlwyd, taskset, and the Python of scripts/bootstrap. With
`--sessions 16`, glewlwyd is also measured at 16 connections, where its SQLite fails.
"""

import json
import pathlib
import re
import secrets
import shutil
import sqlite3
import subprocess
import urllib.request

from peer import Peer, compare, new_device_key

SAMPLE = "/usr/share/doc/glewlwyd/glewlwyd.conf.sample.gz"
SCHEMA = "/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3"


class Glewlwyd(Peer):
    name = "glewlwyd"
    token_path = "/api/oidc/token"
    form = {"client_id": "bench"}

    def start(self) -> None:
        self.password, self.secret = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        self.cookie = ""
        database = sqlite3.connect(self.folder / "glewlwyd.db")
        database.executescript(pathlib.Path(SCHEMA).read_text())
        database.close()
        (self.folder / "glewlwyd.conf").write_text(self.configuration())
        self.run(["glewlwyd", f"--config-file={self.folder}/glewlwyd.conf"])
        # The database of the package has this administrator. It is reachable on this machine only, and for this run.
        self.wait_for(lambda: self.call("POST", "/auth/", {"username": "admin", "password": "password"}))
        self.set_up()

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

    def sign_in(self) -> tuple:
        key = new_device_key()
        tokens = self.token({
            "grant_type": "password", "username": "ada", "password": self.password, "scope": "bench",
            "client_id": "bench", "client_secret": self.secret}, key)
        assert tokens["token_type"] == "DPoP", tokens
        return key, tokens["refresh_token"]

    def settle(self) -> None:
        # The password grant needs a client with a secret. A refresh of a public client checks none, as in the service.
        self.call("PUT", "/client/bench", self.client(confidential=False))


if __name__ == "__main__":
    if not shutil.which("glewlwyd"):
        raise SystemExit("glewlwyd is missing. Benchmarks/peers/README.md shows how to install it.")
    compare(Glewlwyd)
