"""Tests the settings of an app that have a schema: the command `config`, and what openapi.yaml and the pages say about them."""

import json
import re

import pytest
import yaml

import settings_page
from operator_api import Management
from service import APP, BINARY, ROOT, Service, running

GROUPS = {
    "app": "AppChangeBody", "sessions": "SessionConfigBody", "limits": "LimitsConfigBody", "notices": "NoticesConfigBody",
    "login.password": "PasswordConfigChangeBody", "migration": "MigrationConfigBody", "passkey": "PasskeyConfigBody",
    "templates": "TemplateSettingsBody"}
#: The bodies that responses have where requests may leave members out.
RESPONSES = {"AppChangeBody": "AppBody", "PasswordConfigChangeBody": "PasswordConfigBody", "OTPConfigChangeBody": "OTPConfigBody"}
#: What bodies have besides the settings: ids, times, and names that two limits have in the body of password login, too.
BESIDES = {"id", "created_at", "updated_at", "hash_method", "rate_limit_login_ip", "rate_limit_login_identifier"}
SCHEMAS = yaml.safe_load((ROOT / "docs" / "openapi.yaml").read_text())["components"]["schemas"]


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with running(Service(tmp_path_factory.mktemp("service"))) as service:
        yield service


def config(service: Service, action: str, *arguments: str):
    return service.run("config", action, "--app", APP, *arguments)


def shown(service: Service, *arguments: str) -> dict[str, dict]:
    done = config(service, "get", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return {row["setting"]: row for row in json.loads(done.stdout)}


def changed(done) -> dict[str, tuple]:
    assert done.returncode == 0, done.stderr
    return {row["setting"]: (row["before"], row["after"]) for row in json.loads(done.stdout)}


@pytest.fixture(scope="module")
def schema(service) -> dict[str, dict]:
    return shown(service)


@pytest.mark.parametrize(("group", "body"), GROUPS.items())
def test_openapi_has_each_setting_with_its_range(schema, group, body):
    own = {name.removeprefix(group + "."): row for name, row in schema.items() if name.startswith(group + ".")}
    properties = SCHEMAS[body]["properties"]
    assert set(own) == set(properties) - BESIDES
    for name, row in own.items():
        stated, possible = properties[name], row["range"] or ""
        if "enum" in stated:
            assert re.split(", | or ", possible) == stated["enum"], name
        elif stated.get("type") == "integer":
            ends = [re.sub(r" (seconds|days).*", "", end) for end in possible.split(" to ")]
            for end, key in zip(ends, ("minimum", "maximum")):
                # An end can be another setting. Then openapi.yaml has the one that this setting can have.
                bound = properties[end][key] if end in properties else int(end)
                assert stated[key] == bound, name
        elif stated.get("type") == "boolean":
            assert row["default"] in (True, False), name
        elif stated.get("type") == "array":
            assert possible.startswith(f"at most {stated['maxItems']} "), name
        elif name == "password_compliancy":
            assert row["default"].keys() == SCHEMAS[stated["$ref"].rsplit("/", 1)[1]]["properties"].keys()
        elif "$ref" in stated and name != "send_hook":
            rate = SCHEMAS[stated["$ref"].rsplit("/", 1)[1]]["properties"]
            # Only one limit has a shorter window.
            assert row["default"].keys() == rate.keys() and set(re.findall(r"\d+", possible)) - {"3600"} <= {
                str(each[end]) for each in rate.values() for end in ("minimum", "maximum")}, name


@pytest.mark.parametrize(("request_body", "response_body"), RESPONSES.items())
def test_a_response_has_each_setting_of_a_request(request_body, response_body):
    request, response = SCHEMAS[request_body], SCHEMAS[response_body]
    assert set(request["properties"]) <= set(response["properties"])
    # The ids of a login are there if it has them.
    assert set(response["properties"]) - {"template_id", "sender_id"} == set(response["required"])


def test_the_page_of_settings_is_what_the_program_says():
    written = settings_page.page(settings_page.settings(str(BINARY)))
    assert (ROOT / "docs" / "settings.md").read_text() == written, "Run Service/Tests/System/support/settings_page.py"


def test_settings_are_changed_as_by_the_management_api(service):
    limits = Management(service).expect(200, "GET", "/config/limits")["config"]
    trial = config(service, "set", "limits", "code_lifetime=300", 'starts={"limit": 3, "window": 60}', "--dry-run", "--json")
    expected = {
        "limits.code_lifetime": (600, 300), "limits.starts.limit": (limits["starts"]["limit"], 3),
        "limits.starts.window": (limits["starts"]["window"], 60)}
    assert changed(trial) == expected
    assert Management(service).expect(200, "GET", "/config/limits")["config"] == limits, "nothing was stored"
    done = config(service, "set", "limits", "code_lifetime=300", 'starts={"limit": 3, "window": 60}', "--json")
    assert changed(done) == expected
    stored = Management(service).expect(200, "GET", "/config/limits")["config"]
    assert stored == limits | {"code_lifetime": 300, "starts": {"limit": 3, "window": 60}}
    [event] = service.sql("SELECT data FROM events WHERE name = 'management.app.updated' ORDER BY sequence DESC LIMIT 1")
    assert json.loads(event[0])["changes"]["limits.code_lifetime"] == {"before": 600, "after": 300}
    assert changed(config(service, "set", "limits", "code_lifetime=null", "--json")) == {"limits.code_lifetime": (300, 600)}
    assert changed(config(service, "set", "limits", "code_lifetime=600", "--json")) == {}, "it is the value already"


def test_words_lists_and_groups_are_values(service):
    hook = '{"url": "https://backend.example.com/send", "if_unavailable": "deny"}'
    assert changed(config(service, "set", "limits", f"send_hook={hook}", 'allowed_prefixes=["+33"]', "--json")) == {
        "limits.send_hook.url": (None, "https://backend.example.com/…"), "limits.send_hook.if_unavailable": (None, "deny"),
        "limits.allowed_prefixes": ([], ["+33"])}
    config(service, "set", "limits", "send_hook=null", "allowed_prefixes=null")
    local = 'send_hook={"url": "http://127.0.0.1:9000/send"}'
    refused = config(service, "set", "limits", local)
    assert refused.returncode != 0 and "send_hook.url" in refused.stderr
    assert config(service, "set", "limits", local, "--development").returncode == 0
    config(service, "set", "limits", "send_hook=null", "--development")
    assert changed(config(service, "set", "sessions", "device_key=required", "--json")) == {
        "sessions.device_key": ("optional", "required")}
    # A request of the management API that leaves it out keeps it. Here each setting is named, so null is the default.
    assert changed(config(service, "set", "sessions", "device_key=null", "--json")) == {
        "sessions.device_key": ("required", "optional")}
    assert shown(service, "notices")["notices.new_device"]["value"] is False


def test_settings_of_the_app_itself_and_groups_that_it_may_be_without_are_changed_the_same_way(service):
    management = Management(service)
    assert changed(config(service, "set", "app", "sign_up=false", 'domains=["A.example.com"]', "--json")) == {
        "sign_up": (True, False), "domains": ([], ["a.example.com"])}
    app = management.expect(200, "GET", "")
    assert (app["sign_up"], app["domains"]) == (False, ["a.example.com"])
    other = json.loads(service.run("app", "create", "Other", "--json").stdout)[0]["id"]
    for trial in ([], ["--dry-run"]):
        taken = service.run("config", "set", "--app", other, "app", 'domains=["a.example.com"]', *trial)
        assert taken.returncode != 0 and "belongs to another app" in taken.stderr, taken
    config(service, "set", "app", "sign_up=true", "domains=null")
    management.expect(404, "GET", "/config/migration")
    assert shown(service, "migration")["migration.session_validation_url"]["value"] is None
    assert changed(config(
        service, "set", "migration", "session_validation_url=https://backend.example.com/", "--json")) == {
        "migration.session_validation_url": (None, "https://backend.example.com")}
    created = management.expect(200, "GET", "/config/migration")["config"]
    assert created["session_validation_url"] == "https://backend.example.com/" and created["created_at"] > "2026"
    stored = service.sql("SELECT settings FROM apps")
    assert service.run("app", "enable", "--app", APP, "--password").returncode == 0
    assert service.sql("SELECT settings FROM apps") == stored, "it was on already"
    policy = 'password_compliancy={"min_length": 12, "symbols": 1}'
    password = config(service, "set", "login.password", policy, "--json")
    assert {name: after for name, (_, after) in changed(password).items()} == {
        "login.password.password_compliancy.min_length": 12, "login.password.password_compliancy.symbols": 1}
    assert management.expect(200, "GET", "/config/login/password")["config"]["password_compliancy"]["symbols"] == 1


def test_members_of_an_object_that_are_not_named_stay(service):
    hook = 'send_hook={"url": "https://backend.example.com/send", "if_unavailable": "deny"}'
    config(service, "set", "limits", hook)
    assert changed(config(service, "set", "limits", 'send_hook={"url": "https://b.example.com/"}', "--json")) == {
        "limits.send_hook.url": ("https://backend.example.com/…", "https://b.example.com")}
    assert shown(service, "limits")["limits.send_hook"]["value"]["if_unavailable"] == "deny"
    config(service, "set", "limits", "send_hook=null")


def test_config_turns_on_no_login(service):
    other = json.loads(service.run("app", "create", "Other", "--json").stdout)[0]["id"]
    refused = service.run("config", "set", "--app", other, "login.password", "reject_common_passwords=false")
    assert refused.returncode == 1 and "password login is not configured" in refused.stderr


def test_a_change_of_nothing_is_no_change(service):
    management = Management(service)
    config = management.expect(200, "GET", "/config/login/password")["config"]
    assert management.expect(200, "PUT", "/config/login/password", config)["config"] == config


def test_a_url_that_is_not_allowed_any_more_stays_until_it_changes(tmp_path):
    service = Service(tmp_path, "--egress-network", "10.0.0.0/8", development=False)
    service.flags += ["--public-url", "https://{app_id}.example.com"]
    with running(service):
        made = service.run("app", "create", "Shop", "--id", "abc1234")
        assert made.returncode == 0, made.stderr
        hook = {"url": "https://10.0.0.5/send", "if_unavailable": "deny"}
        service.app = "abc1234"
        Management(service).expect(200, "PUT", "/config/limits", {"send_hook": hook})
        service.flags.remove("--egress-network")
        service.flags.remove("10.0.0.0/8")
        service.stop()
        service.start()
        management = Management(service)
        changed = management.expect(200, "PUT", "/config/limits", {"send_hook": hook, "code_lifetime": 300})
        assert changed["config"]["send_hook"] == hook
        other = management.send("PUT", "/config/limits", {"send_hook": hook | {"url": "https://10.0.0.6/send"}})
        assert other.status == 400


def test_a_rate_of_password_logins_reads_back_as_it_was_sent(service):
    management = Management(service)
    config = management.expect(200, "GET", "/config/login/password")["config"]
    for ttl in (1_500_000_000, 86_400_000_000_001):
        refused = management.send("PUT", "/config/login/password", config | {"rate_limit_login_ip": {"limit": 1, "ttl": ttl}})
        assert refused.status == 400 and b"rate_limit_login_ip.ttl must be whole seconds" in refused.body


@pytest.mark.parametrize(("arguments", "problem"), [
    (["limits", "code_lifetime=7"], "code_lifetime must be 60 to 600 seconds"),
    (["limits", "code_lifetime=soon"], "code_lifetime must be a whole number"),
    (["limits", "code_life=60"], "code_life is unknown; did you mean code_lifetime?"),
    (["limits", "resend_delay=601"], "resend_delay must be 0 to code_lifetime seconds"),
    (["limits", 'starts={"limit": 1, "windo": 2}'], "starts.windo is unknown; did you mean window?"),
    (["limits", 'send_hook={"url": "http://169.254.169.254/"}'], "send_hook.url"),
    (["limits", 'send_hook={"url": "https://a.example", "if_unavailable": "no"}'], "send_hook.if_unavailable must be allow or deny"),
    (["sessions", "device_key=browser"], "device_key must be optional or required"),
    (["sessions", "idle_lifetime=100"], "idle_lifetime must be access_token_lifetime to 31536000 seconds"),
    (["notices", "new_device=1"], "new_device must be a boolean"),
    (["app", "event_retention=0"], "event_retention must be 1 to 3650 days"),
    (["app", "name=evil.com"], "name must not contain evil.com"), (["app", "name=null"], "name must have 1 to 100 characters"),
    (["app", "signing_algorithm=none"], "signing_algorithm must be EdDSA, Ed25519, ES256 or RS256"),
    (["app", 'domains=["a.example.", "b.example"]'], "domains must be at most 20 different bare hosts"),
    (["login.password", 'password_compliancy={"min_length": 300}'], "password_compliancy.min_length must be 0 to 256"),
    (["login.password", 'password_compliancy={"max_length": 5}'], "password_compliancy.max_length is too small for the other rules"),
    (["migration", "session_validation_url=http://169.254.169.254/"], "session_validation_url"),
    (["limits", "code_lifetime=60", "code_lifetime=61"], "code_lifetime is named twice"),
    (["passkey", "rp_id=Example.com"], "rp_id must be a host in lower case"),
    (["passkey", "rp_id=example.com", 'ios_app_ids=["com.example.app"]'], "ios_app_ids must be at most 20 different app ids"),
    (["passkey", "rp_id=example.com", 'granted_scopes=["no:where"]'], "granted_scopes contains no:where, which is not registered"),
    (["passkey", "rp_id=example.com", "login_enabled=false", "codes_with_passkey=false"], "codes_with_passkey must be true while"),
    (["claims", "a=1"], "app, sessions, limits, notices, login.password, migration, passkey, templates"), (["limits", "code_lifetime"], "code_lifetime"),
])
def test_a_wrong_value_is_refused_by_its_name(service, arguments, problem):
    refused = config(service, "set", *arguments)
    assert refused.returncode != 0 and problem in refused.stderr and refused.stdout == "", refused


def test_a_group_is_shown_alone_and_an_unknown_app_is_an_error(service):
    assert config(service, "get", "limits").stdout.count("setting") == 22
    missing = service.run("config", "set", "--app", "zzzzzz9", "limits", "code_lifetime=60")
    assert missing.returncode != 0 and "there is no app zzzzzz9" in missing.stderr
