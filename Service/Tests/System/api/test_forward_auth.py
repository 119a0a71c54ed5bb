"""Tests forward authentication: what the service answers, and the recipes of docs/verify.md with a real nginx and a real Caddy."""

import http.server
import json
import re
import socket
import subprocess
import threading
from urllib.parse import urlsplit

import pytest
import yaml

from device import Device
from operator_api import Management
from person import Person
from dpop import make_dpop
from programs import program
from service import APP, ROOT, Service, running
from sockets import free_port
from transport import Answer, Transport
from waiting import wait_until

PAGE = (ROOT / "docs" / "verify.md").read_text().split("\n## At the proxy\n")[1].split("\n## ")[0]
PATH = f"/v1/session/verify?app={APP}"
SCOPE = "transfer:write"


def listing(kind: str) -> str:
    return re.search(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[1]


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """A service with a listener for the inside, which trusts the proxies of this machine."""
    service = Service(
        tmp_path_factory.mktemp("service"), "--management-port", str(free_port()), "--trusted-proxy", "127.0.0.1")
    with running(service) as service:
        service.inside = f"http://127.0.0.1:{service.flags[service.flags.index('--management-port') + 1]}"
        bind(service, "dpop")
        yield service


def bind(service: Service, binding: str) -> None:
    Management(service, url=service.inside).expect(200, "PUT", "/config/sessions", {"access_token_binding": binding})


@pytest.fixture(scope="module")
def ada(service) -> Person:
    return Person.signed_in(service)


class Backend(http.server.BaseHTTPRequestHandler):
    """Answers with the headers that it got."""

    def do_GET(self) -> None:
        body = json.dumps({name.lower(): value for name, value in self.headers.items()}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_) -> None:
        pass


@pytest.fixture(scope="module")
def backend():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", free_port()), Backend)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()


def ask(service: Service, person: Person, method="GET", url="https://api.example.com/orders", path=PATH, **changes) -> Answer:
    """Asks as a proxy does, about a request with a proof for `method` and `url`."""
    device = person.device
    proof = changes.pop("proof", None) or make_dpop(device.key, method, url, device.nonce, person.access_token)
    scheme, _, rest = url.partition("://")
    host, _, rest = rest.partition("/")
    headers = {
        "Authorization": f"DPoP {person.access_token}", "DPoP": proof, "X-Forwarded-Method": method,
        "X-Forwarded-Proto": scheme, "X-Forwarded-Host": host, "X-Forwarded-Uri": "/" + rest}
    headers |= changes
    answer = Transport(service.inside).send("GET", path, None, [(k, v) for k, v in headers.items() if v is not None])
    device.nonce = answer.headers["DPoP-Nonce"] or device.nonce
    return answer


def test_a_proxy_learns_who_calls(service, ada):
    answer = ask(service, ada, "POST", "https://api.example.com/orders?limit=3")
    assert answer.status == 200 and answer.body == b""
    claims = ada.claims()
    assert (answer.headers["X-User-Id"], answer.headers["X-Session-Id"]) == (claims["sub"], claims["sid"])
    assert answer.headers["X-Scopes"] == claims.get("scope", "") and answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(("changes", "status", "code"), [
    ({"X-Forwarded-Method": "POST"}, 401, "invalid_dpop_proof"),
    ({"X-Forwarded-Uri": "/other", "X-Original-URL": "https://api.example.com/orders"}, 401, "invalid_dpop_proof"),
    ({"X-Forwarded-Host": "evil.example.com"}, 401, "invalid_dpop_proof"),
    ({"X-Forwarded-Proto": "http"}, 401, "invalid_dpop_proof"),
    ({"DPoP": None}, 401, "missing_dpop_proof"),
    ({"Authorization": None}, 401, "unauthorized"),
    ({"Authorization": "Bearer none", "DPoP": None}, 401, "unauthorized"),
    ({"DPoP": "no proof"}, 401, "invalid_dpop_proof"),
    # Clients choose the target, so one that is none is no error of the proxy.
    ({"X-Forwarded-Uri": "orders"}, 401, "invalid_dpop_proof"), ({"X-Forwarded-Uri": "*"}, 401, "invalid_dpop_proof"),
    ({"X-Forwarded-Uri": "/orders\xe9"}, 401, "invalid_dpop_proof"),
    ({"X-Forwarded-Uri": "/orders#x"}, 401, "invalid_dpop_proof"),
    ({"X-Long": "x" * 16_384}, 403, "forbidden"),
])
def test_what_is_wrong_with_the_request_of_a_client_is_401_or_403_for_the_proxy(service, ada, changes, status, code):
    answer = ask(service, ada, **changes)
    assert (answer.status, answer.code) == (status, code)
    assert (status == 403 or answer.headers["WWW-Authenticate"]) and answer.headers["X-User-Id"] is None


def test_a_bound_token_is_no_bearer_token_and_a_proof_counts_once(service, ada):
    bearer = ask(service, ada, Authorization=f"Bearer {ada.access_token}")
    assert (bearer.status, bearer.code) == (401, "unauthorized")
    proof = make_dpop(ada.device.key, "GET", "https://api.example.com/orders", ada.device.nonce, ada.access_token)
    assert ask(service, ada, proof=proof).status == 200
    again = ask(service, ada, proof=proof)
    assert (again.status, again.code) == (401, "invalid_dpop_proof")
    other = Device(ada.transport)
    theirs = make_dpop(other.key, "GET", "https://api.example.com/orders", None, ada.access_token)
    assert ask(service, ada, proof=theirs).status == 401


@pytest.mark.parametrize(("changes", "field"), [
    ({"X-Forwarded-Method": None}, "X-Forwarded-Method"), ({"X-Forwarded-Proto": None}, "X-Forwarded-Proto"),
    ({"X-Forwarded-Host": None}, "X-Forwarded-Host"), ({"X-Forwarded-Uri": None}, "X-Forwarded-Uri"),
    *[({"X-Forwarded-Host": host}, "X-Forwarded-Host") for host in [
        "a/b@c", "ada@api.example.com", "api.example.com?", "api.example.com#", "a b", "a,b", "api.example.com:0", ""]],
    *[({"X-Forwarded-Proto": scheme}, "X-Forwarded-Proto") for scheme in [
        "ftp", "https:", "https://api.example.com/orders?", "https,http", ""]],
    ({"X-Forwarded-Method": "G T"}, "X-Forwarded-Method"), ({"X-Forwarded-Uri": ""}, "X-Forwarded-Uri"),
])
def test_a_proxy_that_does_not_say_what_was_called_gets_an_error_that_names_the_header(service, ada, changes, field):
    answer = ask(service, ada, **changes)
    assert (answer.status, answer.json["field"]) == (400, field), answer


def test_the_url_is_built_of_its_parts_and_the_scheme_of_a_websocket_is_that_of_its_proof(service, ada):
    proof = make_dpop(ada.device.key, "GET", "https://api.example.com/orders", ada.device.nonce, ada.access_token)
    forged = {
        "X-Forwarded-Proto": "https://api.example.com/orders?", "X-Forwarded-Host": "evil.example.com",
        "X-Forwarded-Uri": "/admin"}
    answer = ask(service, ada, proof=proof, **forged)
    assert (answer.status, answer.json["field"]) == (400, "X-Forwarded-Proto")
    assert ask(service, ada, **{"X-Forwarded-Proto": "wss"}).status == 200
    assert ask(service, ada, url="http://api.example.com/orders", **{"X-Forwarded-Proto": "ws"}).status == 200


@pytest.mark.parametrize(("query", "field"), [
    ("&scope=orders:read&scope=admin", "scope"), ("&scope=&scope=admin", "scope"), ("&scopes=admin", "scopes"),
    ("&Scope=admin", "Scope"), ("&scope", "scope"), ("&scope=", "scope"), ("&scope=,", "scope"),
    (f"&app={APP}", "app"), ("&x=1", "x")])
def test_a_parameter_that_would_be_ignored_is_refused(service, ada, query, field):
    answer = ask(service, ada, path=PATH + query)
    assert (answer.status, answer.json["field"]) == (400, field), answer


def test_a_block_also_covers_the_backend(service, ada):
    management = Management(service, url=service.inside)
    management.expect(201, "POST", "/blocks", {"address": "198.51.100.0/24", "seconds": 600})
    try:
        for address in ("198.51.100.7", "::ffff:198.51.100.7"):
            refused = ask(service, ada, **{"X-Forwarded-For": address})
            assert (refused.status, refused.code) == (403, "forbidden") and "blocked" in refused.json["message"]
        assert ask(service, ada, **{"X-Forwarded-For": "198.51.101.7"}).status == 200
    finally:
        management.expect(204, "DELETE", "/blocks?address=198.51.100.0/24")
    assert ask(service, ada, **{"X-Forwarded-For": "198.51.100.7"}).status == 200


def test_an_unbound_token_needs_neither_a_proof_nor_the_original_request(service):
    bind(service, "none")
    try:
        person = Person.signed_in(service)
    finally:
        bind(service, "dpop")
    nothing = {"DPoP": None, "X-Forwarded-Uri": None, "X-Forwarded-Method": None}
    answer = ask(service, person, Authorization=f"Bearer {person.access_token}", **nothing)
    assert (answer.status, answer.headers["X-User-Id"]) == (200, person.claims()["sub"])
    assert ask(service, person, Authorization=f"DPoP {person.access_token}", **nothing).status == 401


def test_the_app_and_the_scope_are_parameters(service, ada):
    assert ask(service, ada, path="/v1/session/verify?app=APP").json["field"] == "app"
    assert ask(service, ada, path="/v1/session/verify?app=zzzzzz9").status == 404
    refused = ask(service, ada, path=f"{PATH}&scope={SCOPE}")
    assert (refused.status, refused.code) == (403, "insufficient_scope") and SCOPE in refused.json["message"]
    assert 'error="insufficient_scope"' in refused.headers["WWW-Authenticate"]


def test_a_revoked_session_is_401_at_once(service):
    person = Person.signed_in(service)
    assert ask(service, person).status == 200
    assert service.run("session", "revoke", "--app", APP, "--user", person.claims()["sub"]).returncode == 0
    assert ask(service, person).status == 401


def test_strangers_cannot_ask(service, ada, tmp_path):
    assert Transport(service.url).send("GET", PATH, None, []).status == 404, "not on the listener for everyone"
    other = Service(tmp_path, "--management-port", str(free_port()), development=False)
    other.flags += ["--public-url", "https://{app_id}.example.com"]
    with running(other):
        inside = f"http://127.0.0.1:{other.flags[1]}"
        refused = Transport(inside).send("GET", "/v1/session/verify?app=abc1234", None, [])
        assert (refused.status, refused.code) == (403, "forbidden") and "trustedProxies" in refused.json["message"]


class Proxied:
    """A backend behind a proxy, for a device that calls it."""

    def __init__(self, url: str):
        self.transport = Transport(url)
        self.url = url

    def call(self, person: Person, path: str = "/orders", method: str = "GET", **headers) -> Answer:
        device = person.device
        for _ in range(2):
            proof = make_dpop(device.key, method, self.url + path.split("?")[0], device.nonce, person.access_token)
            sent = {"Authorization": f"DPoP {person.access_token}", "DPoP": proof} | headers
            answer = self.transport.send(method, path, None, [(k, v) for k, v in sent.items() if v is not None])
            device.nonce = answer.headers["DPoP-Nonce"] or device.nonce
            if answer.status != 401 or "use_dpop_nonce" not in (answer.headers["WWW-Authenticate"] or ""):
                return answer
        return answer


def check_the_recipe(proxied: Proxied, ada: Person) -> None:
    answer = proxied.call(ada, "/orders?limit=3", **{"X-User-Id": "usr_forged", "X-Scopes": "admin", "X-Session-Id": "ses_forged"})
    assert answer.status == 200, answer
    assert answer.json["x-user-id"] == ada.claims()["sub"]
    assert answer.json.get("x-scopes", "") == "" and answer.json.get("x-session-id", "") in ("", ada.claims()["sid"])
    without = proxied.transport.send("GET", "/orders", None, [("X-User-Id", "usr_forged")])
    assert without.status == 401 and without.headers["WWW-Authenticate"]
    # A client cannot choose the URL and the method that are checked.
    forged = {"X-Original-URL": proxied.url + "/orders", "X-Forwarded-Uri": "/orders", "X-Forwarded-Method": "GET"}
    proof = make_dpop(ada.device.key, "GET", proxied.url + "/orders", ada.device.nonce, ada.access_token)
    headers = {"Authorization": f"DPoP {ada.access_token}", "DPoP": proof} | forged
    assert proxied.transport.send("GET", "/admin", None, list(headers.items())).status == 401
    # A client cannot have the proxy drop a header on its way to the backend (RFC 9110 §7.6.1).
    dropped = proxied.call(ada, Connection="close, X-User-Id, X-Scopes")
    assert dropped.status != 200 or dropped.json["x-user-id"] == ada.claims()["sub"], dropped
    # Bytes that no URL has are an error of the client.
    proof = make_dpop(ada.device.key, "GET", proxied.url + "/orders", ada.device.nonce, ada.access_token)
    assert raw_status(proxied, b"/orders\xc3\xa9", {"Authorization": f"DPoP {ada.access_token}", "DPoP": proof}) == 401
    # A proof that was made for another site is not valid here, whatever the Host is. Caddy answers an unknown site itself.
    proof = make_dpop(ada.device.key, "GET", "http://evil.example.com/orders", ada.device.nonce, ada.access_token)
    relayed = proxied.transport.send("GET", "/orders", None, [
        ("Host", "evil.example.com"), ("Authorization", f"DPoP {ada.access_token}"), ("DPoP", proof)])
    assert relayed.status == 401 or relayed.body == b"", relayed


def raw_status(proxied: Proxied, target: bytes, headers: dict) -> int:
    """Sends a target that Python's client would refuse, and returns the status."""
    parts = urlsplit(proxied.url)
    fields = {"Host": parts.netloc, "Connection": "close"} | headers
    lines = [b"GET " + target + b" HTTP/1.1", *(f"{name}: {value}".encode() for name, value in fields.items()), b"", b""]
    with socket.create_connection((parts.hostname, parts.port), timeout=10) as connection:
        connection.sendall(b"\r\n".join(lines))
        return int(connection.makefile("rb").readline().split()[1])


NGINX = program("nginx", "nginx", "usr/sbin")


@pytest.mark.skipif(not NGINX, reason="there is no nginx; scripts/bootstrap unpacks it")
def test_the_recipe_for_nginx(service, ada, backend, tmp_path):
    port = free_port()
    locations = listing("nginx").replace("127.0.0.1:3000", f"127.0.0.1:{backend}").replace(
        "http://127.0.0.1:8081", service.inside).replace("abc1234", APP).replace("api.example.com", f"localhost:{port}")
    folders = "".join(f"{name}_temp_path {tmp_path}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (tmp_path / "nginx.conf").write_text(
        f"daemon off; pid {tmp_path}/pid; error_log {tmp_path}/error.log; events {{}}\n"
        f"http {{ access_log off; {folders} server {{ listen 127.0.0.1:{port}; {locations} }} }}\n")
    process = subprocess.Popen([NGINX, "-p", tmp_path, "-c", tmp_path / "nginx.conf", "-e", tmp_path / "error.log"])
    try:
        proxied = Proxied(f"http://localhost:{port}")
        wait_until(lambda: answers(proxied))
        check_the_recipe(proxied, ada)
    finally:
        process.terminate()
        process.wait(10)


CADDY = program("caddy", "caddy")


@pytest.mark.skipif(not CADDY, reason="there is no caddy; scripts/bootstrap unpacks it")
def test_the_recipe_for_caddy(service, ada, backend, tmp_path):
    port = free_port()
    site = listing("caddyfile").replace("127.0.0.1:3000", f"127.0.0.1:{backend}").replace(
        "127.0.0.1:8081", service.inside.removeprefix("http://")).replace("abc1234", APP).replace(
        "api.example.com", f"http://localhost:{port}")
    (tmp_path / "Caddyfile").write_text("{\n    admin off\n}\n" + site)
    process = subprocess.Popen(
        [CADDY, "run", "--config", tmp_path / "Caddyfile", "--adapter", "caddyfile"],
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}, stderr=open(tmp_path / "log", "wb"))
    try:
        proxied = Proxied(f"http://localhost:{port}")
        wait_until(lambda: answers(proxied))
        check_the_recipe(proxied, ada)
        asked = proxied.call(ada, Connection="keep-alive, Upgrade, X-User-Id", Upgrade="websocket")
        assert (asked.json["upgrade"], asked.json["x-user-id"]) == ("websocket", ada.claims()["sub"])
    finally:
        process.terminate()
        process.wait(10)


def answers(proxied: Proxied) -> bool:
    try:
        return proxied.transport.send("GET", "/", None, []).status == 401
    except OSError:
        return False


def test_the_recipe_for_traefik_has_documented_options():
    [(name, middleware)] = yaml.safe_load(listing("yaml"))["http"]["middlewares"].items()
    # https://doc.traefik.io/traefik/middlewares/http/forwardauth/
    documented = {"address", "trustForwardHeader", "authResponseHeaders", "authResponseHeadersRegex", "authRequestHeaders", "tls"}
    assert name == "session" and set(middleware) == {"forwardAuth"} and set(middleware["forwardAuth"]) <= documented
