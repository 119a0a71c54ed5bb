"""Tests the files for compose and Kubernetes: by their schemas, and their settings with `prelude-session check`."""

import ipaddress
import json
import os
import re
import secrets
import subprocess
import sys

import kubernetes_validate
import pytest
import yaml

import postgres
from service import BINARY, ROOT

COMPOSE = ROOT / "Packaging" / "container" / "compose.yaml"
MANIFESTS = ROOT / "Packaging" / "kubernetes"


def check(*arguments: str, **variables: str) -> subprocess.CompletedProcess:
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PRELUDE_SESSION_", "PG"))}
    return subprocess.run(
        [BINARY, *(arguments or ["check"])], env={**clean, **variables}, capture_output=True, text=True, timeout=60)


# Compose


def composed(tmp_path, *arguments: str, **variables: str) -> dict:
    """The file as Podman Compose reads it with these variables in `.env`."""
    (tmp_path / "compose.yaml").write_text(COMPOSE.read_text())
    (tmp_path / ".env").write_text("".join(f"{key}={value}\n" for key, value in variables.items()))
    shown = subprocess.run(
        [sys.executable, "-m", "podman_compose", *arguments, "config"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert shown.returncode == 0, shown.stderr
    return yaml.safe_load(shown.stdout)


def test_compose_starts_a_service_without_privileges_behind_a_proxy(tmp_path):
    file = composed(tmp_path)
    assert file["services"].keys() == {"proxy", "session"}
    session = file["services"]["session"]
    assert session["read_only"] and session["cap_drop"] == ["ALL"] and session["security_opt"] == ["no-new-privileges:true"]
    assert session["healthcheck"]["test"] == ["CMD", "prelude-session", "health"]
    assert file["services"]["proxy"]["depends_on"]["session"]["condition"] == "service_healthy"
    # The management API is reached from this machine only.
    assert session["ports"] == ["127.0.0.1:8081:8081"]


def test_compose_trusts_the_proxy_and_nothing_outside_of_its_network(tmp_path):
    file = composed(tmp_path)
    assert {"networks": ["inside"]}.items() <= file["services"]["proxy"].items()
    [network] = file["networks"]["inside"]["ipam"]["config"]
    trusted = file["services"]["session"]["environment"]["PRELUDE_SESSION_TRUSTED_PROXIES"]
    assert trusted == network["ip_range"]
    # Clients on this machine have the address of the gateway.
    assert ipaddress.ip_address(network["gateway"]) not in ipaddress.ip_network(trusted)
    assert ipaddress.ip_network(trusted).subnet_of(ipaddress.ip_network(network["subnet"]))
    # From outside, only the proxy reaches the listener of the apps.
    assert not [port for port in file["services"]["session"]["ports"] if port.endswith(":8080")]


def test_the_profile_of_compose_adds_postgresql(tmp_path):
    file = composed(tmp_path, "--profile", "postgres", DATABASE="postgresql://prelude@postgres/prelude?sslmode=disable")
    server = file["services"]["postgres"]
    assert file["services"]["session"]["environment"]["PRELUDE_SESSION_DATABASE"].endswith("@postgres/prelude?sslmode=disable")
    assert file["services"]["session"]["depends_on"] == {"postgres": {"condition": "service_healthy", "required": False}}
    assert server["environment"]["POSTGRES_PASSWORD_FILE"] == f"/run/secrets/{server['secrets'][0]}"


@pytest.mark.parametrize("mail", [False, True])
def test_the_settings_of_compose_are_valid(tmp_path, mail):
    password = tmp_path / "mail-password"
    password.write_text("correct-horse")
    password.chmod(0o600)
    file = composed(tmp_path, DOMAIN="auth.example.com")
    settings = file["services"]["session"]["environment"]
    named = {key for key, value in settings.items() if value is None}
    values = {key: value for key, value in settings.items() if value is not None}
    given = {
        "PRELUDE_SESSION_EMAIL_ROUTE": "smtp", "PRELUDE_SESSION_EMAIL_HOST": "smtp.example.com",
        "PRELUDE_SESSION_EMAIL_FROM": "login@example.com", "PRELUDE_SESSION_EMAIL_USERNAME": "login",
        "PRELUDE_SESSION_EMAIL_SECRET_FILE": str(password),
    }
    assert given.keys() <= named
    assert values["PRELUDE_SESSION_PUBLIC_URL"] == "https://auth.example.com"
    values |= {
        "PRELUDE_SESSION_DATABASE": f"sqlite:{tmp_path}/session.sqlite", "PRELUDE_SESSION_KEY_FILE": f"{tmp_path}/master.keys"}
    checked = check(**values, **(given if mail else {}))
    assert checked.returncode == 0, checked.stdout + checked.stderr


# Kubernetes


def manifests(kind: str = "") -> list[dict]:
    found = [one for file in sorted(MANIFESTS.iterdir()) for one in yaml.safe_load_all(file.read_text())]
    return [one for one in found if kind in ("", one["kind"])]


def pods() -> list[dict]:
    return [one["spec"]["template"]["spec"] for one in manifests("Deployment") + manifests("Job")]


@pytest.mark.parametrize("one", manifests(), ids=lambda one: f"{one['kind']}-{one['metadata']['name']}")
def test_kubernetes_accepts_the_manifest(one):
    for version in ("1.29", "1.37"):
        kubernetes_validate.validate(one, version, strict=True)
    # The manifests work in any namespace.
    assert "namespace" not in one["metadata"]


def test_pods_have_no_privileges_and_no_variables_of_services():
    assert len(pods()) == 2
    for pod in pods():
        assert pod["securityContext"]["runAsNonRoot"] and pod["securityContext"]["runAsUser"] == 64000
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert pod["enableServiceLinks"] is False and pod["automountServiceAccountToken"] is False
        [container] = pod["containers"]
        assert container["securityContext"] == {
            "readOnlyRootFilesystem": True, "allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
        assert container["image"].endswith("/prelude-session:VERSION")


def test_services_reach_the_ports_of_the_pods():
    [deployment] = manifests("Deployment")
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    ports = {port["name"]: port["containerPort"] for port in deployment["spec"]["template"]["spec"]["containers"][0]["ports"]}
    assert ports == {"http": 8080, "management": settings()["managementPort"]}
    for one in manifests("Service"):
        assert one["spec"]["selector"] == labels and one["spec"]["ports"][0]["targetPort"] in ports
    [budget] = manifests("PodDisruptionBudget")
    assert budget["spec"]["selector"]["matchLabels"] == labels
    assert budget["spec"]["minAvailable"] < deployment["spec"]["replicas"]


def test_a_pod_has_the_time_to_drain():
    [deployment] = manifests("Deployment")
    # Messages have eight seconds, and running requests some more.
    assert deployment["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] >= settings()["drainDelay"] + 30


def settings() -> dict:
    [configuration] = manifests("ConfigMap")
    return json.loads(re.sub(r"^\s*//.*$", "", configuration["data"]["session.json"], flags=re.MULTILINE))


def test_every_value_of_an_example_has_a_mark():
    text = (MANIFESTS / "settings.yaml").read_text()
    blocks = re.split(r"(?=REPLACE:)", text)
    assert not re.search(r"example\.com|192\.0\.2", blocks[0]) and len(blocks) == 8
    [secret] = manifests("Secret")
    assert set(secret["stringData"].values()) == {"REPLACE"}


def test_the_job_migrates_and_the_settings_are_valid(tmp_path):
    [configuration], [secret], [job] = manifests("ConfigMap"), manifests("Secret"), manifests("Job")
    with postgres.own_server() as server:
        database = postgres.new_database(server.url)
        path = tmp_path / "session.json"
        path.write_text(configuration["data"]["session.json"].replace(settings()["database"], database))
        path.chmod(0o640)
        [container] = job["spec"]["template"]["spec"]["containers"]
        variables = {one["name"]: one["value"] for one in container["env"]}
        assert variables == {"PRELUDE_SESSION_CONFIG": "/etc/prelude/session.json"}
        variables = {
            **dict.fromkeys(secret["stringData"], "correct-horse"), "PRELUDE_SESSION_CONFIG": str(path),
            "PRELUDE_SESSION_MASTER_KEYS": secrets.token_urlsafe(32)}
        for _ in range(2):
            migrated = check(*container["args"], **variables)
            assert migrated.returncode == 0, migrated.stdout + migrated.stderr
        checked = check(**variables)
        assert checked.returncode == 0, checked.stdout + checked.stderr
