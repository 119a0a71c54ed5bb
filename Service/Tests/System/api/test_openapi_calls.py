"""Tests the running service against docs/openapi.yaml: generated calls with schemathesis, and a generated client."""

import importlib
import json
import os
import pathlib
import subprocess
import sys
import time

import pytest
import yaml

import openapi_document
from operator_api import Management
from person import Person, new_email
from service import APP, Service

PROGRAMS = pathlib.Path(sys.executable).parent

#: No 5xx, and every response fits the document. What generated calls are accepted depends on rules of fields, such as the
#: range of a phone number, that a schema does not have.
CHECKS = [
    "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
    "response_schema_conformance",
]
#: The management API also rejects what no schema allows. The frontend API ignores unknown members, as the hosted product.
STRICT_CHECKS = [*CHECKS, "negative_data_rejection"]
#: The edges of what the schemas allow, and just outside of them, then some random calls, most of them invalid. Their number
#: does not depend on the speed of the machine.
SETTINGS = """
[checks.negative_data_rejection]
expected-statuses = ["4xx"]

[phases.coverage]
unexpected-methods = []
generate-duplicate-query-parameters = false

[phases.coverage.generation]
mode = "{coverage}"

[phases.fuzzing.generation]
mode = "all"
"""


def try_calls(
    service: Service, directory: pathlib.Path, paths: str, headers: list[tuple[str, str]], is_strict: bool, **values
) -> dict:
    """Sends generated calls to the operations whose path matches. Returns the report."""
    document = openapi_document.fix_paths(openapi_document.close(openapi_document.document()), **values)
    # A configuration can be sent back as it was read. The service does not read its times, so it accepts any text.
    for schema in ("ClaimsConfigBody", "MigrationConfigBody", "PasskeyConfigBody", "StepUpConfigBody"):
        for member in ("created_at", "updated_at"):
            document["components"]["schemas"][schema]["properties"][member].pop("format", None)
    (directory / "openapi.yaml").write_text(yaml.safe_dump(document))
    (directory / "schemathesis.toml").write_text(SETTINGS.format(coverage="all" if is_strict else "positive"))
    report = directory / "report.json"
    run = subprocess.run(
        [PROGRAMS / "schemathesis", "run", "openapi.yaml", "--url", service.url, "--include-path-regex", paths,
         *(part for name, value in headers for part in ("--header", f"{name}: {value}")), "--seed", "1",
         "--phases", "examples,coverage,fuzzing", "--max-examples", "3", "--checks", ",".join(STRICT_CHECKS if is_strict else CHECKS), "--no-shrink",
         "--continue-on-failure", "--report", "json", "--report-json-path", report, "--no-color",
         "--request-timeout", "60", "--suppress-health-check", "all"],
        cwd=directory, capture_output=True, text=True, timeout=1500,
        env={**os.environ, "PATH": f"{PROGRAMS}:{os.environ['PATH']}", "HYPOTHESIS_STORAGE_DIRECTORY": str(directory)})
    assert run.returncode == 0, run.stdout[-20_000:] + run.stderr[-2_000:]
    return json.loads(report.read_text())


def assert_all_tested(report: dict, paths: int) -> None:
    operations = report["operations"]
    assert operations["tested"] == operations["selected"] >= paths and not operations["errored"], operations
    assert report["test_cases"]["generated"] > 5 * paths and not report["failures"], report["test_cases"]


def test_generated_calls_of_operators_get_responses_of_the_document(service, tmp_path):
    management = Management(service)
    users = [
        management.expect(201, "POST", "/users", {"identifiers": [{"type": "email_address", "value": new_email()}]})["id"]
        for _ in range(3)]
    keys = [management.expect(201, "POST", "/keys", {"name": "other"})["id"] for _ in range(2)]
    configs = [config["id"] for config in management.get("/config/login/otp")["configs"]]
    hook = management.expect(201, "POST", "/webhooks", {"url": "https://backend.example.com/events"})["id"]
    report = try_calls(
        service, tmp_path, "^/v2/|^/metrics", [("Authorization", f"Bearer {service.key}")], True,
        user_id=[*users, "usr_x"], key_id=[*keys, "mk_x"], config_id=[*configs, "lcfg_x"], webhook_id=[hook, "web_x"])
    assert_all_tested(report, 75)


def test_generated_calls_of_clients_get_responses_of_the_document(service, tmp_path):
    person = Person.signed_in(service)
    report = try_calls(
        service, tmp_path, "^/(?!v2/|metrics)", [("Authorization", f"Bearer {person.access_token}")], False)
    assert_all_tested(report, 25)


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """Returns a Python client that openapi-python-client makes of the document."""
    directory = tmp_path_factory.mktemp("generated")
    # The generator does not know application/yaml, and no client of the API reads the document with it.
    document = openapi_document.document()
    del document["paths"]["/openapi.yaml"]
    (directory / "openapi.yaml").write_text(yaml.safe_dump(document))
    (directory / "settings.yaml").write_text("post_hooks: []\n")
    made = subprocess.run(
        [PROGRAMS / "openapi-python-client", "generate", "--path", "openapi.yaml", "--meta", "none", "--config",
         "settings.yaml", "--output-path", "session_api", "--fail-on-warning"],
        cwd=directory, capture_output=True, text=True, timeout=600)
    assert made.returncode == 0, made.stdout + made.stderr
    sys.path.insert(0, str(directory))
    yield importlib.import_module("session_api")
    sys.path.remove(str(directory))


def call(package, name: str, *arguments, **named):
    """Calls an operation of the generated client, such as `users.create_user`."""
    module = importlib.import_module(f"{package.__name__}.api.{name}")
    return module.sync_detailed(*arguments, **named)


def test_a_generated_client_creates_finds_reads_and_deletes_a_user(package, shared):
    models = importlib.import_module(f"{package.__name__}.models")
    api = package.AuthenticatedClient(base_url=shared.url, token=shared.key)
    address = new_email()
    body = models.CreateUserBody(
        identifiers=[models.Identifier(type_=models.IdentifierType.EMAIL_ADDRESS, value=address)],
        external_id=f"external-{time.monotonic_ns()}")
    created = call(package, "users.create_user", APP, client=api, body=body)
    assert created.status_code == 201, created.content
    user = created.parsed
    assert isinstance(user, models.UserBody) and user.identifiers[0].value == address
    suspended = models.StatusBody(status=models.StatusBodyStatus.SUSPENDED)
    assert call(package, "users.set_user_status", APP, user.id, client=api, body=suspended).status_code == 200
    listed = call(package, "users.find_users", APP, client=api, status=models.FindUsersStatus.SUSPENDED, limit=100).parsed
    assert user.id in [found.id for found in listed.users] and listed.total >= 1
    read = call(package, "users.get_user", APP, user.id, client=api).parsed
    assert read.status == models.UserBodyStatus.SUSPENDED and read.created_at == user.created_at
    assert call(package, "users.delete_user", APP, user.id, client=api).status_code == 204
    missing = call(package, "users.get_user", APP, user.id, client=api)
    assert missing.status_code == 404 and isinstance(missing.parsed, models.ManagementErrorBody)
    assert missing.parsed.code == "not_found"


def test_a_generated_client_reads_all_pages(package, shared):
    models = importlib.import_module(f"{package.__name__}.models")
    unset = importlib.import_module(f"{package.__name__}.types").UNSET
    api = package.AuthenticatedClient(base_url=shared.url, token=shared.key)
    management = Management(shared)
    made = {
        management.expect(201, "POST", "/users", {"identifiers": [{"type": "email_address", "value": new_email()}]})["id"]
        for _ in range(5)}
    found, cursor = [], unset
    while True:
        page = call(package, "users.find_users", APP, client=api, limit=2, cursor=cursor).parsed
        assert isinstance(page, models.UserListBody) and len(page.users) <= 2
        found += [user.id for user in page.users]
        cursor = page.next_
        if cursor is unset:
            break
    assert len(found) == len(set(found)) and made <= set(found)
