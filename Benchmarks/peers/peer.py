"""What the scripts of this folder share: start another server, check its rules, and let the benchmark measure both.

A script describes its server in a subclass of `Peer` and calls `compare`.
"""

import argparse
import hashlib
import json
import os
import pathlib
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Service" / "Tests" / "System" / "support"), str(ROOT / "Tests" / "ForeignJudge")]
from dpop import make_dpop  # noqa: E402
from keys import base64url, new_device_key  # noqa: E402
from service import free_port  # noqa: E402


#: The devices that check the rules.
CHECKING_DEVICES = 4

#: Where the browser of the user would go with the code. No request is sent to it.
REDIRECT = "http://localhost/"


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def no_redirect(request: urllib.request.Request):
    """Returns the response, also if it is an error or names another address."""
    try:
        return urllib.request.build_opener(NoRedirect).open(request)
    except urllib.error.HTTPError as error:
        return error


class Peer:
    """A server with one database in `folder` and one port. `start` begins its process."""

    name = ""
    token_path = "/token"
    #: What each refresh has besides grant type and token.
    form: dict[str, str] = {}

    def __init__(self, folder: pathlib.Path, pinned: bool):
        self.folder, self.pinned, self.port = folder, pinned, free_port()
        self.url = f"http://localhost:{self.port}"
        self.process: subprocess.Popen | None = None
        self.nonce: str | None = None

    # What a script writes.

    def start(self) -> None:
        """Starts the server with `run`, waits for it with `wait_for`, and makes the client and the user."""
        raise NotImplementedError

    def sign_in(self) -> tuple:
        """Signs a new device in, and returns its key and its refresh token."""
        raise NotImplementedError

    def settle(self) -> None:
        """Runs after all devices are signed in and before the first refresh."""

    # What a script uses.

    @property
    def pid(self) -> int:
        """The process whose processor time counts."""
        return self.process.pid

    def run(self, command: list, **variables: str) -> None:
        core = ["taskset", "-c", "0"] if self.pinned else []
        with open(self.folder / "log", "w") as log:
            self.process = subprocess.Popen(
                [*core, *command], cwd=self.folder, env={**os.environ, **variables}, stdin=subprocess.DEVNULL,
                stdout=log, stderr=subprocess.STDOUT)

    def wait_for(self, call) -> None:
        """Waits until the call finds a server."""
        for _ in range(300):
            try:
                return call()
            except urllib.error.HTTPError:
                raise
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.1)
        raise SystemExit(f"{self.name} does not start: " + (self.folder / "log").read_text()[-2000:])

    def stop(self) -> None:
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def token(self, form: dict, key=None, proof: str | None = None) -> dict:
        """Asks for tokens with a new proof of the key, with this proof, or without a proof."""
        url = self.url + self.token_path
        if key is not None:
            proof = make_dpop(key, "POST", url, self.nonce)
        headers = {} if proof is None else {"DPoP": proof}
        request = urllib.request.Request(url, urllib.parse.urlencode(form).encode(), headers)
        try:
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            # A server may require a nonce (RFC 9449 §8). The next attempt has it.
            nonce = error.headers["DPoP-Nonce"]
            if key is None or nonce is None or nonce == self.nonce:
                raise
            self.nonce = nonce
        return self.token(form, key)

    def refresh(self, token: str, key=None, proof: str | None = None) -> str | None:
        """Returns the next refresh token, or nothing if the server rejects this one."""
        try:
            form = {"grant_type": "refresh_token", "refresh_token": token, **self.form}
            return self.token(form, key, proof)["refresh_token"]
        except urllib.error.HTTPError as error:
            if error.code in (400, 401, 403):
                return None
            raise

    def sign_in_with_code(self, path: str, token_type: str, cookie: str = "") -> tuple:
        """Signs a device in with a code and PKCE. The server asks for no consent. The cookie names the user."""
        key, verifier = new_device_key(), secrets.token_urlsafe(48)
        query = urllib.parse.urlencode({
            "response_type": "code", "redirect_uri": REDIRECT, "scope": "bench", "code_challenge_method": "S256",
            "code_challenge": base64url(hashlib.sha256(verifier.encode()).digest()), **self.form})
        answer = no_redirect(urllib.request.Request(f"{self.url}{path}?{query}", headers={"Cookie": cookie}))
        target = urllib.parse.urlsplit(answer.headers["Location"] or "")
        code = dict(urllib.parse.parse_qsl(target.query)).get("code")
        assert code is not None, f"{self.name} gives no code: {answer.status}"
        tokens = self.token({
            "grant_type": "authorization_code", "code": code, "code_verifier": verifier, "redirect_uri": REDIRECT,
            **self.form}, key)
        assert tokens["token_type"] == token_type, tokens["token_type"]
        return key, tokens["refresh_token"]

    def accepted(self, devices: list) -> dict[str, bool]:
        """Whether the server accepts what the service rejects. Each question has a device of its own."""
        (first, other), (second, spent), (third, bare), (fourth, repeated) = devices
        following = self.refresh(spent, second)
        assert following is not None, "a valid refresh token is rejected"
        proof = make_dpop(fourth, "POST", self.url + self.token_path, self.nonce)
        next_one = self.refresh(repeated, proof=proof)
        assert next_one is not None, "a valid refresh token is rejected"
        return {
            "a spent refresh token": self.refresh(spent, second) is not None,
            "the key of another device": self.refresh(other, new_device_key()) is not None,
            "no proof": self.refresh(bare) is not None,
            "the same proof again": self.refresh(next_one, proof=proof) is not None,
        }


def environment(name: str, *requirements: str) -> pathlib.Path:
    """Installs packages of PyPI into an environment of their own, and returns the folder of its programs."""
    home = ROOT / ".build" / "peers" / name
    programs, wanted = home / "bin", "\n".join(requirements)
    done = home / "installed.txt"
    if not done.exists() or done.read_text() != wanted:
        shutil.rmtree(home, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", home], check=True)
        subprocess.run(
            [programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements],
            check=True)
        done.write_text(wanted)
    return programs


def require_rules(peer: Peer, accepted: dict[str, bool], unbound: bool) -> None:
    """The comparison is fair only if a refresh token is valid once and with its key only."""
    for what, is_accepted in accepted.items():
        print(f"{peer.name}: {what}: {'accepted' if is_accepted else 'rejected'}")
    if accepted["a spent refresh token"]:
        raise SystemExit(f"{peer.name} accepts a spent refresh token. Nothing is measured.")
    if accepted["the key of another device"] and not unbound:
        raise SystemExit(
            f"{peer.name} accepts a refresh token with the key of another device, so it does less than the service. "
            "Nothing is measured. With --unbound it is measured all the same.")


def compare(kind: type[Peer]) -> None:
    """The command of a script: measures the service and this server in the same rounds."""
    script = sys.modules["__main__"]
    parser = argparse.ArgumentParser(description=script.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--benchmark", type=pathlib.Path, default=ROOT / "Service" / ".build" / "release" / "service-benchmark")
    parser.add_argument("--folder", help="a folder on the disk that is measured, for both servers")
    parser.add_argument(
        "--sessions", type=int, default=1,
        help="one for each connection; with 16, the server is also measured at 16 connections (default: 1)")
    parser.add_argument(
        "--unbound", action="store_true", help="measure also a server that accepts a refresh token with any key")
    options, others = parser.parse_known_args()
    if options.folder:
        others += ["--folder", options.folder]
    pinned = "--unpinned" not in others and shutil.which("taskset") is not None and (os.cpu_count() or 1) > 1
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        peer = kind(pathlib.Path(folder), pinned)
        try:
            peer.start()
            devices = [peer.sign_in() for _ in range(options.sessions + CHECKING_DEVICES)]
            peer.settle()
            accepted = peer.accepted(devices[options.sessions:])
            require_rules(peer, accepted, options.unbound)
            description = pathlib.Path(folder) / "peer.json"
            description.write_text(json.dumps({
                "name": peer.name, "pid": peer.pid, "port": peer.port, "path": peer.token_path,
                "form": urllib.parse.urlencode(peer.form), "sessions": [
                    {"key": key.as_dict(private=True)["d"], "refreshToken": token}
                    for key, token in devices[:options.sessions]]}))
            status = measure([options.benchmark, "run", "--peer", description, *others])
        finally:
            peer.stop()
    raise SystemExit(status)


def measure(command: list) -> int:
    """Runs the benchmark. It ends its own servers, also if this script is interrupted."""
    with subprocess.Popen(command) as process:
        try:
            return process.wait()
        finally:
            if process.poll() is None:
                process.terminate()
