"""Tests `/metrics`, the dashboard and the alert rules: who may read them, their format, and that their metrics exist."""

import json
import re
import subprocess

import pytest

from observed_story import Secrets, play
from operator_api import Management
from programs import of_prometheus
from service import ROOT, Service, running
from sockets import free_port
from transport import Transport

PACKAGING = ROOT / "Packaging"
PAGE = (ROOT / "docs" / "observability.md").read_text()
#: A metric of the service or of its process.
METRIC = r"\b(?:prelude_session|process)_[a-z_]+"


def promtool(*arguments: str, text: str = "") -> subprocess.CompletedProcess:
    return subprocess.run(
        [of_prometheus("promtool"), *arguments], input=text, capture_output=True, text=True, timeout=60, cwd=PACKAGING / "prometheus")


def read(url: str, key: str | None):
    return Transport(url).send("GET", "/metrics", None, [("Authorization", f"Bearer {key}")] if key else [])


@pytest.fixture(scope="module")
def text(trusting, backend) -> str:
    """Returns the metrics after the story."""
    play(trusting, backend, Secrets())
    answer = read(trusting.url, trusting.key)
    assert answer.status == 200 and answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    return answer.body.decode()


def samples(text: str) -> dict[str, float]:
    return {name: float(value) for name, value in (
        line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))}


def families(text: str) -> set[str]:
    """Returns the names of the metrics that have samples, without the suffixes of histograms."""
    typed = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.MULTILINE))
    histograms = "|".join(name for name, kind in typed.items() if kind == "histogram")
    return {re.sub(rf"^({histograms})_(bucket|sum|count)$", r"\1", name.split("{")[0]) for name in samples(text)}


def expressions() -> list[str]:
    dashboard = json.loads((PACKAGING / "grafana" / "dashboard.json").read_text())
    rules = (PACKAGING / "prometheus" / "alerts.yml").read_text()
    return [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])] + re.findall(
        r"expr: >-\n +(.*)$", rules, re.MULTILINE)


# Proves: G7
def test_only_a_key_for_all_apps_reads_the_metrics(tmp_path):
    port = free_port()
    with running(Service(tmp_path, "--management-port", str(port))) as service:
        management = f"http://localhost:{port}"
        app_key = json.loads(service.run("key", "create", "one", "--app", service.app, "--json").stdout)[0]["key"]
        reader = json.loads(service.run("key", "create", "all", "--role", "read", "--json").stdout)[0]["key"]
        for key, status in [(None, 401), ("psk_wrong", 401), (app_key, 401), (reader, 200), (service.key, 200)]:
            assert read(management, key).status == status, key
            # The address of the apps never shows them.
            assert read(service.url, key).status == 404, key


def test_the_exposition_is_valid(text):
    checked = promtool("check", "metrics", text=text)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_story_is_in_the_metrics(text):
    values = samples(text)
    for name in [
        'prelude_session_logins_total{method="otp_email",outcome="succeeded"}',
        'prelude_session_logins_total{method="password",outcome="wrong_password"}',
        'prelude_session_logins_total{method="password",outcome="unknown_user"}',
        'prelude_session_refreshes_total{result="rotated"}',
        'prelude_session_refreshes_total{result="invalid_token"}',
        'prelude_session_dpop_proofs_rejected_total{reason="proof_wrong_target"}',
        'prelude_session_dpop_proofs_rejected_total{reason="proof_malformed"}',
        'prelude_session_limits_reached_total{limit="sends_hour"}',
        'prelude_session_hook_failures_total{reason="invalid_status_code"}',
        'prelude_session_messages_queued_total{channel="email",purpose="sign_in"}',
        'prelude_session_http_requests_total{route="/v1/session/refresh",method="POST",status="200"}',
        'prelude_session_http_requests_total{route="unmatched",method="GET",status="404"}',
        'prelude_session_http_requests_total{route="/health",method="GET",status="200"}',
        'prelude_session_password_hash_duration_seconds_count', 'prelude_session_commit_duration_seconds_count',
        'prelude_session_outbox_lag_seconds_count{outbox="messages"}',
        'prelude_session_signing_key_age_seconds{purpose="access"}',
        'prelude_session_ready', 'prelude_session_health_check_ok{check="database"}',
        'prelude_session_connections_open{listener="apps"}',
    ]:
        assert name in values, name
        assert values[name] > 0 or "key_age" in name, name


# Proves: A9
def test_the_metrics_contain_no_text_of_callers_and_no_id(text):
    assert not re.search(r"\b(?:usr|ses|msg|req|psk)_|@|devapp1|127\.0\.0\.1", text)


def test_the_metrics_of_dashboard_and_alerts_exist(text):
    known = set(re.findall(r"^# TYPE (\S+) ", text, re.MULTILINE))
    used = {name for expression in expressions() for name in re.findall(METRIC, expression)}
    assert len(used) > 30
    for name in used:
        assert name in known or re.sub(r"_(bucket|sum|count)$", "", name) in known, name
    # What nothing has happened to yet has a type and no sample.
    assert len(families(text)) > 25, known - families(text)


def test_the_labels_of_dashboard_and_alerts_exist():
    labels = {name: set(re.findall(r"`(\w+)`", cell)) for name, cell in re.findall(
        r"^\| `(\w+)` \| \w+ \| (.*?) \|", PAGE, re.MULTILINE)}
    for expression in expressions():
        for name, chosen in re.findall(rf"({METRIC}){{([^}}]*)}}", expression):
            family = name if name in labels else re.sub(r"_(bucket|sum|count)$", "", name)
            assert set(re.findall(r"(\w+)[=!]", chosen)) <= labels[family] | {"job", "instance"}, expression


def test_the_page_lists_every_metric_with_its_type_and_labels(text):
    rows = {name: (kind, labels) for name, kind, labels in re.findall(
        r"^\| `(\w+)` \| (\w+) \| (.*?) \|", PAGE, re.MULTILINE)}
    typed = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.MULTILINE))
    assert {name: kind for name, (kind, _) in rows.items()} == typed
    for sample in samples(text):
        name, _, labels = sample.partition("{")
        family = name if name in rows else re.sub(r"_(bucket|sum|count)$", "", name)
        assert set(re.findall(r'(\w+)="', labels)) - {"le"} == set(re.findall(r"`(\w+)`", rows[family][1])), sample


def test_the_alert_rules_are_valid_and_their_tests_pass():
    for arguments in [("check", "rules", "alerts.yml"), ("test", "rules", "alerts_test.yml")]:
        result = promtool(*arguments)
        assert result.returncode == 0, result.stdout + result.stderr


def test_every_alert_has_a_test_and_says_what_to_do_first():
    rules = (PACKAGING / "prometheus" / "alerts.yml").read_text().split("- alert: ")[1:]
    tests = (PACKAGING / "prometheus" / "alerts_test.yml").read_text()
    assert len(rules) > 10
    for rule in rules:
        name = rule.splitlines()[0]
        assert f"name: {name} fires" in tests and re.search(r'description: ".{20,}"', rule), name


def test_the_dashboard_is_a_dashboard_without_a_fixed_data_source():
    dashboard = json.loads((PACKAGING / "grafana" / "dashboard.json").read_text())
    panels = [panel for panel in dashboard["panels"] if panel["type"] != "row"]
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])
    for panel in panels:
        assert panel["title"] and panel["datasource"]["uid"] == "${datasource}" and panel["targets"]


# Proves: G7
def test_the_log_level_can_be_changed_while_the_service_runs(tmp_path):
    with running(Service(tmp_path)) as service:
        reader = json.loads(service.run("key", "create", "all", "--role", "read", "--json").stdout)[0]["key"]

        def send(method: str, body: dict | None = None, key: str = service.key):
            headers = [("Authorization", f"Bearer {key}")]
            return Transport(service.url).send(method, "/v2/session/log-level", body, headers)

        assert send("GET").json == {"level": "info"}
        assert send("GET", key=reader).status == 200 and send("PUT", {"level": "trace"}, key=reader).status == 403
        invalid = send("PUT", {"level": "loud"})
        assert (invalid.status, invalid.json["code"]) == (400, "bad_request") and invalid.json["message"].startswith("level ")
        Management(service).send("GET", "")
        lines = service.log().count(" info ")
        assert lines >= 4 and " debug " not in service.log()
        assert send("PUT", {"level": "warning"}).json == {"level": "warning"}
        Management(service).send("GET", "")
        assert service.log().count(" info ") == lines
        assert service.log().count("the log level was changed") == 1
        assert "from=info key_id=configuration key_name=" in service.log()
        assert send("PUT", {"level": "trace"}).status == 200
        assert read(service.url, service.key).status == 200
        assert " debug " in service.log() and service.log().count("the log level was changed") == 2
        created = json.loads(service.run("key", "create", "Night shift", "--json").stdout)[0]
        send("PUT", {"level": "info"}, key=created["key"])
        line = next(line for line in service.log().splitlines() if "to=info" in line)
        assert f'from=trace key_id={created["id"]} key_name="Night shift" ' in line and "request_id=req_" in line
