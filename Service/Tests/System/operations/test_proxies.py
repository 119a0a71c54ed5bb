"""Tests the files of docs/proxies.md that no program reads here. test_bare_debian.py runs the others."""

import re

import yaml

from installation import BLOCK, PROXIES

ANY = "a name that the operator chooses"
#: The documented options of Traefik 3 that the page uses (doc.traefik.io, references of both files), and their types.
INSTALLED = {
    "entryPoints": {ANY: {
        "address": str,
        "http": {"redirections": {"entryPoint": {"to": str, "scheme": str, "permanent": bool, "priority": int}}},
        "forwardedHeaders": {"insecure": bool, "trustedIPs": [str]}}},
    "certificatesResolvers": {ANY: {"acme": {
        "email": str, "storage": str, "caServer": str, "httpChallenge": {"entryPoint": str}}}},
    "providers": {"file": {"filename": str, "directory": str, "watch": bool}},
}
ROUTING = {"http": {
    "routers": {ANY: {
        "entryPoints": [str], "middlewares": [str], "service": str, "rule": str, "priority": int,
        "tls": {"certResolver": str, "options": str}}},
    "middlewares": {ANY: {
        "buffering": {"maxRequestBodyBytes": int, "memRequestBodyBytes": int, "retryExpression": str},
        "retry": {"attempts": int, "initialInterval": str}}},
    "services": {ANY: {"loadBalancer": {
        "servers": [{"url": str, "weight": int}], "passHostHeader": bool,
        "healthCheck": {"path": str, "interval": str, "timeout": str, "scheme": str, "hostname": str, "port": int}}}},
}}


def unknown(value, options, path: str = "") -> list[str]:
    """Returns the paths of values that are no documented option or have another type."""
    if isinstance(options, dict) and isinstance(value, dict):
        return [
            finding for name, inner in value.items()
            for finding in ([f"{path}.{name}"] if ANY not in options and name not in options
                            else unknown(inner, options.get(name, options.get(ANY)), f"{path}.{name}"))]
    if isinstance(options, list) and isinstance(value, list):
        return [finding for inner in value for finding in unknown(inner, options[0], path)]
    return [] if isinstance(options, type) and type(value) is options else [path]


def test_the_files_for_traefik_have_documented_options_and_name_each_other():
    files = {path: yaml.safe_load(block) for path, kind, block in BLOCK.findall(PROXIES) if kind == "yaml"}
    installed, routing = files.pop("/etc/traefik/traefik.yml"), files.pop("/etc/traefik/prelude-session.yml")
    assert not files
    assert unknown(installed, INSTALLED) == [] and unknown(routing, ROUTING) == []
    assert installed["providers"]["file"]["filename"] == "/etc/traefik/prelude-session.yml"
    [router] = routing["http"]["routers"].values()
    assert set(router["entryPoints"]) <= installed["entryPoints"].keys()
    assert set(router["middlewares"]) == routing["http"]["middlewares"].keys()
    assert router["service"] in routing["http"]["services"]
    assert router["tls"]["certResolver"] in installed["certificatesResolvers"]
    [service] = routing["http"]["services"].values()
    assert [server["url"][-5:] for server in service["loadBalancer"]["servers"]] == [":8080", ":8082"]
    # Go and Python read this pattern in the same way.
    pattern = re.search(r"!PathRegexp\(`(.*?)`\)", router["rule"])[1]
    for path in ("/v2/session/apps", "//v2/session/apps", "/v2", "/metrics", "/console", "/console/apps"):
        assert re.search(pattern, path)
    for path in ("/v1/session/otp", "/.well-known/jwks.json", "/readyz", "/v20"):
        assert not re.search(pattern, path)


def test_a_wrong_option_is_found():
    assert unknown({"providers": {"file": {"file": "a", "watch": "yes"}}}, INSTALLED) == [
        ".providers.file.file", ".providers.file.watch"]
