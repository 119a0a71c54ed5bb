"""Tests that commands on the database use the service's configuration, create nothing by mistake and never migrate.

test_configuration.py tests the checks of the configuration."""

import json
import os
import pathlib
import shutil
import sqlite3
import stat
import subprocess

import postgres
from commands import NEWEST, PREFIX, VERSIONS, command, contents, database
import pytest

from service import APP, BINARY, ROOT, Service, running

#: Master keys: 32 bytes in base64url.
KEYS = "A" * 43

#: The commands that need an existing database.
NEEDS_DATABASE = [
    ["app", "list"], ["key", "list"], ["key", "create", "backend"], ["key", "revoke", "mk_1"], ["key", "rotate"],
    ["key", "signing"], ["key", "reseal"], ["events"], ["user", "create", "--app", APP, "--email", "ada@example.com"],
    ["user", "find", "--app", APP, "--email", "ada@example.com"],
    ["user", "set-status", "--app", APP, "usr_1", "inactive"], ["limits", "clear", "--app", APP, "usr_1"],
    ["limits", "show", "--app", APP, "usr_1"], ["config", "get", "--app", APP],
    ["config", "set", "--app", APP, "limits", "code_lifetime=300"], ["block", "list", "--app", APP], ["user", "show", "--app", APP, "usr_1"],
    ["user", "delete", "--app", APP, "usr_1"],
    ["user", "set-password", "--app", APP, "usr_1"], ["session", "revoke", "--all", "--yes"],
    ["session", "list", "--app", APP, "usr_1"], ["scope", "list", "--app", APP],
    ["scope", "add", "--app", APP, "transfer:write"], ["scope", "remove", "--app", APP, "transfer:write"],
    ["domain", "list", "--app", APP], ["domain", "add", "--app", APP, "session.example.com"],
    ["domain", "remove", "--app", APP, "session.example.com"], ["template", "list", "--app", APP],
    ["template", "show", "--app", APP, "sms", "sign_in", "de"],
    ["template", "set", "--app", APP, "sms", "sign_in", "de", "--text", "{{code}}"],
    ["template", "remove", "--app", APP, "sms", "sign_in", "de"],
    ["template", "preview", "--app", APP, "sms", "sign_in", "de"], ["step-up", "show", "--app", APP],
    ["step-up", "set", "--app", APP, "transfer:write"], ["step-up", "remove", "--app", APP, "transfer:write"],
    ["webhook", "list", "--app", APP], ["webhook", "show", "--app", APP, "web_1"],
    ["webhook", "create", "--app", APP, "https://backend.example.com/events"],
    ["webhook", "update", "--app", APP, "web_1", "https://backend.example.com/events"],
    ["webhook", "activate", "--app", APP, "web_1"], ["webhook", "deliveries", "--app", APP, "web_1"],
    ["webhook", "delete", "--app", APP, "web_1"],
    ["backup", "create", "a-new-backup"],
]
CREATE_APP = ["app", "create", "Shop", "--id", APP]


def name(arguments: list[str]) -> str:
    return " ".join(arguments[:2])


def settings(directory: pathlib.Path, **values) -> str:
    path = directory / "settings.json"
    path.write_text(json.dumps(values))
    return str(path)


def names_of_apps(result: subprocess.CompletedProcess) -> list[str]:
    assert result.returncode == 0, result.stderr
    return [app["name"] for app in json.loads(result.stdout)]


# The path of the database


def test_a_flag_overrides_the_environment_and_the_environment_overrides_the_file(tmp_path):
    for place in ("flag", "environment", "file"):
        assert command(tmp_path, "app", "create", place, "--database", f"sqlite:{place}").returncode == 0
    assert command(tmp_path, "app", "create", "default").returncode == 0
    file = settings(tmp_path, database="sqlite:file")
    both = {"DATABASE": "sqlite:environment", "CONFIG": file}
    listing = ["app", "list", "--json"]
    assert names_of_apps(command(tmp_path, *listing, "--database", "sqlite:flag", **both)) == ["flag"]
    assert names_of_apps(command(tmp_path, *listing, **both)) == ["environment"]
    assert names_of_apps(command(tmp_path, *listing, CONFIG=file)) == ["file"]
    assert names_of_apps(command(tmp_path, *listing, "--config", file, CONFIG="/nowhere")) == ["file"]
    assert names_of_apps(command(tmp_path, *listing)) == ["default"]


@pytest.mark.parametrize("arguments", NEEDS_DATABASE, ids=name)
def test_a_command_on_existing_data_creates_no_database(tmp_path, arguments):
    result = command(tmp_path, *arguments)
    assert result.returncode != 0 and result.stdout == ""
    assert f"{tmp_path}/prelude-session.sqlite (the default) does not exist" in result.stderr
    assert "--database, PRELUDE_SESSION_DATABASE or --config" in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "variables", "source"), [
        (["--database", "sqlite:nowhere"], {}, "from --database"),
        ([], {"DATABASE": "sqlite:nowhere"}, "from PRELUDE_SESSION_DATABASE"),
        (["--config", "settings.json"], {}, "from `database` in settings.json"),
    ], ids=["flag", "environment", "file"])
def test_the_error_for_a_missing_database_names_the_source_of_its_path(tmp_path, arguments, variables, source):
    settings(tmp_path, database="sqlite:nowhere")
    result = command(tmp_path, "app", "list", *arguments, **variables)
    assert result.returncode != 0
    assert f"{tmp_path}/nowhere ({source})" in result.stderr
    assert not (tmp_path / "nowhere").exists()


def test_an_app_can_be_created_before_the_first_start_of_the_service(tmp_path):
    file = settings(tmp_path, database="sqlite:shop", keyFile="shop-keys", publicUrl="https://shop.example.com")
    made = command(tmp_path, *CREATE_APP, "--config", file)
    assert made.returncode == 0, made.stderr
    assert f"Created the database {tmp_path}/shop and its master keys shop-keys" in made.stderr
    for path in (tmp_path / "shop", tmp_path / "shop-keys"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    second = command(tmp_path, "app", "create", "Other", "--config", file)
    assert second.returncode == 0 and "Created" not in second.stderr
    service = Service(tmp_path, "--key-file", f"{tmp_path}/shop-keys", "--public-url", "https://shop.example.com",
                      development=False)
    service.database = f"sqlite:{tmp_path}/shop"
    with running(service):
        assert names_of_apps(command(tmp_path, "app", "list", "--json", "--config", file)) == ["Shop", "Other"]
    assert "created the database" not in service.log() and "migrated" not in service.log()


def test_commands_reject_a_database_in_memory(tmp_path):
    for arguments in (["app", "list"], CREATE_APP):
        result = command(tmp_path, *arguments, DATABASE="sqlite::memory:")
        assert result.returncode != 0 and "in memory" in result.stderr


# Other settings


def test_a_command_reads_every_setting_of_the_service(tmp_path):
    assert command(tmp_path, *CREATE_APP).returncode == 0
    result = command(tmp_path, "key", "rotate", "--config", settings(tmp_path, keyPublishAhead=394))
    assert result.returncode != 0 and "settings.json:1: keyPublishAhead: must be at least 395" in result.stderr
    allowed = command(
        tmp_path, "key", "rotate", "--json", "--config", settings(tmp_path, keyPublishAhead=394, development=True))
    assert allowed.returncode == 0, allowed.stderr


@pytest.mark.parametrize(
    "arguments", [["app", "list"], CREATE_APP[:2] + ["Other"], ["key", "list"], ["key", "signing"], ["key", "reseal"],
                  ["user", "create", "--app", APP, "--email", "ada@example.com"]], ids=name)
def test_a_command_that_rotates_no_key_works_beside_a_service_in_development(tmp_path, arguments):
    """Service and command share the environment, but only the service has the flag --development."""
    assert command(tmp_path, *CREATE_APP).returncode == 0
    worked = command(tmp_path, *arguments, KEY_PUBLISH_AHEAD="60")
    assert worked.returncode == 0, worked.stderr


@pytest.mark.parametrize(
    "arguments", [["key", "rotate"], ["serve", "--public-url", "https://a.example.com"]], ids=name)
def test_a_short_publish_ahead_is_rejected_and_the_error_names_the_remedy(tmp_path, arguments):
    assert command(tmp_path, *CREATE_APP).returncode == 0
    result = command(tmp_path, *arguments, KEY_PUBLISH_AHEAD="60")
    assert result.returncode != 0
    assert "PRELUDE_SESSION_KEY_PUBLISH_AHEAD: must be at least 395" in result.stderr
    assert "PRELUDE_SESSION_DEVELOPMENT=true" in result.stderr
    if arguments[0] == "key":
        assert command(tmp_path, *arguments, KEY_PUBLISH_AHEAD="60", DEVELOPMENT="true").returncode == 0


@pytest.mark.parametrize("arguments", [*NEEDS_DATABASE, CREATE_APP, ["serve"]], ids=name)
def test_the_help_names_the_environment_variables_of_the_flags(tmp_path, arguments):
    help_text = command(tmp_path, *arguments[:2 if arguments[0] != "serve" else 1], "--help").stdout
    for variable in ("DATABASE", "KEY_FILE", "CONFIG"):
        assert f"(default: ${PREFIX}{variable}" in " ".join(help_text.split()), help_text


@pytest.mark.parametrize(
    ("text", "word"), [
        ('{"databse": "sqlite:x"}', "databse: is an unknown setting. Did you mean database?"), ('{"database": ["sqlite:x"]}', "database"),
        ('{"database": null}', "database"), ("[]", "settings.json:1: config: the file must begin with {"), ('{"port": "http"}', "port"),
    ])
def test_an_invalid_settings_file_is_rejected(tmp_path, text, word):
    (tmp_path / "settings.json").write_text(text)
    result = command(tmp_path, *CREATE_APP, "--config", "settings.json")
    assert result.returncode != 0 and word in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["settings.json"]


def test_invalid_master_keys_create_no_database(tmp_path):
    result = command(tmp_path, *CREATE_APP, MASTER_KEYS="AAAA")
    assert result.returncode != 0 and "32 bytes" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_no_key_file_is_created_if_the_service_has_its_keys_elsewhere(tmp_path):
    """Nothing is sealed yet, so a later check could not find that the app's keys are sealed with another master key."""
    service = Service(tmp_path, "--public-url", "https://shop.example.com", development=False)
    os.environ[PREFIX + "MASTER_KEYS"] = KEYS
    try:
        with running(service):
            pass
    finally:
        del os.environ[PREFIX + "MASTER_KEYS"]
    result = command(tmp_path, *CREATE_APP, DATABASE=service.database)
    assert result.returncode != 0
    assert "session.sqlite.keys is missing" in result.stderr and "--key-file" in result.stderr
    assert not list(tmp_path.glob("*.keys"))
    assert command(tmp_path, *CREATE_APP, DATABASE=service.database, MASTER_KEYS=KEYS).returncode == 0


@pytest.mark.parametrize("name", ["http://evil.example/login", "Booking.com"])
def test_an_app_whose_name_is_a_link_is_not_created(tmp_path, name):
    result = command(tmp_path, "app", "create", name, "--id", APP)
    assert result.returncode == 1 and "Error: name must not contain " in result.stderr, result
    assert command(tmp_path, *CREATE_APP).returncode == 0


def test_a_command_prints_the_error_message_of_the_service(tmp_path):
    assert command(tmp_path, *CREATE_APP).returncode == 0
    result = command(tmp_path, "user", "find", "--app", APP, "--email", "nobody@example.com")
    assert (result.returncode, result.stderr) == (1, "Error: there is no such user\n")


# From a checkout


@pytest.fixture
def checkout(tmp_path) -> pathlib.Path:
    """A checkout in which the command is built and `scripts/run` has not run."""
    (tmp_path / "checkout" / "scripts").mkdir(parents=True)
    shutil.copy(ROOT / "scripts" / "prelude-session", tmp_path / "checkout" / "scripts")
    (tmp_path / "checkout" / ".build").mkdir()
    (tmp_path / "checkout" / "Service" / ".build" / "debug").mkdir(parents=True)
    (tmp_path / "checkout" / "Service" / ".build" / "debug" / "prelude-session").symlink_to(BINARY)
    (tmp_path / "elsewhere").mkdir()
    return tmp_path / "checkout"


def script(checkout: pathlib.Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess:
    return command(
        checkout.parent / "elsewhere", *arguments, binary=checkout / "scripts" / "prelude-session", **variables)


@pytest.mark.parametrize("arguments", [*NEEDS_DATABASE, CREATE_APP], ids=name)
def test_the_script_names_the_development_database_if_it_does_not_exist(checkout, arguments):
    result = script(checkout, *arguments)
    assert result.returncode != 0
    assert f"{checkout}/.build/development/session.sqlite" in result.stderr
    assert list((checkout.parent / "elsewhere").iterdir()) == []


def test_the_script_creates_and_finds_the_development_database(checkout):
    (checkout / ".build" / "development").mkdir()
    assert script(checkout, *CREATE_APP).returncode == 0
    assert names_of_apps(script(checkout, "app", "list", "--json")) == ["Shop"]
    assert (checkout / ".build" / "development" / "session.sqlite").exists()


@pytest.mark.parametrize(
    ("arguments", "variables"), [
        (["--database", "sqlite:mine"], {}), (["--database=sqlite:mine"], {}), ([], {"DATABASE": "sqlite:mine"}),
        (["--config", "settings.json"], {}), ([], {"CONFIG": "settings.json"})])
def test_a_configured_database_overrides_the_database_of_the_script(checkout, arguments, variables):
    settings(checkout.parent / "elsewhere", database="sqlite:mine")
    made = script(checkout, *CREATE_APP, *arguments, **variables)
    assert made.returncode == 0, made.stderr
    assert (checkout.parent / "elsewhere" / "mine").exists()
    assert not (checkout / ".build" / "development").exists()


# Schemas


@pytest.mark.parametrize("arguments", [*NEEDS_DATABASE, CREATE_APP], ids=name)
def test_no_command_migrates_an_older_database(tmp_path, arguments):
    path = database(tmp_path / "old", VERSIONS[-2])
    before = contents(path)
    result = command(tmp_path, *arguments, "--database", "sqlite:old", MASTER_KEYS=KEYS)
    assert result.returncode != 0 and result.stdout == ""
    assert f"{path} (from --database) has schema {VERSIONS[-2]}" in result.stderr
    assert "start the service of this version" in result.stderr
    assert contents(path) == before


@pytest.mark.parametrize("arguments", [["app", "list"], CREATE_APP, ["serve", "--development"]], ids=name)
def test_the_error_for_a_newer_database_names_the_remedy(tmp_path, arguments):
    path = database(tmp_path / "new", NEWEST + 1)
    before = contents(path)
    result = command(tmp_path, *arguments, "--database", "sqlite:new", MASTER_KEYS=KEYS)
    assert result.returncode != 0 and result.stdout == ""
    assert f"{path} (from --database) has schema {NEWEST + 1}" in result.stderr
    assert "cannot use it any more. Use that version, or restore the backup" in result.stderr
    assert contents(path) == before


@postgres.only_embedded
@pytest.mark.parametrize("version", VERSIONS[:-1])
def test_the_service_migrates_and_logs_it_and_then_commands_work(tmp_path, version):
    path = database(tmp_path / "session.sqlite", version)
    service = Service(tmp_path)
    with running(service):
        log = service.log()
        assert "migrated the database" in log and f"from={version}" in log and f"to={NEWEST}" in log
        assert service.run("app", "list").returncode == 0
        service.stop()
        service.start()
        assert service.log().count("migrated the database") == 1
    assert contents(path)[0] == NEWEST


def test_only_serve_and_app_create_fill_an_empty_database_file(tmp_path):
    (tmp_path / "empty").touch()
    result = command(tmp_path, "app", "list", "--database", "sqlite:empty")
    assert result.returncode != 0 and "is empty. Start the service" in result.stderr
    # The file contains nothing, so `app create` may use it.
    assert command(tmp_path, *CREATE_APP, "--database", "sqlite:empty").returncode == 0


def test_an_address_that_an_earlier_version_accepted_is_still_found(tmp_path):
    assert command(tmp_path, *CREATE_APP).returncode == 0
    user = ["--app", APP, "--email"]
    assert command(tmp_path, "user", "create", *user, "strauss@example.com").returncode == 0
    with sqlite3.connect(tmp_path / "prelude-session.sqlite") as stored:
        stored.execute("UPDATE identifiers SET canonical = ?, value = ?", ("strauß@example.com", "Strauß@example.com"))
    stored.close()
    found = command(tmp_path, "user", "find", *user, "Strauß@example.com", "--json")
    assert found.returncode == 0 and json.loads(found.stdout)[0]["identifiers"] == ["Strauß@example.com"]
    created = command(tmp_path, "user", "create", *user, "STRAUß@example.com")
    assert created.returncode != 0 and "U+DF" in created.stderr


def test_a_key_needs_an_existing_app(tmp_path):
    assert command(tmp_path, *CREATE_APP).returncode == 0
    result = command(tmp_path, "key", "create", "backend", "--app", "absent7")
    assert (result.returncode, result.stderr) == (1, "Error: there is no app absent7\n")
    assert "backend" not in command(tmp_path, "key", "list").stdout


def test_no_stored_text_controls_the_terminal(tmp_path):
    """Earlier versions accepted such names, and an external id can be any text."""
    assert command(tmp_path, *CREATE_APP).returncode == 0
    assert command(tmp_path, "key", "create", "backend").returncode == 0
    name = "a\x1b[2J\nid  mk_forged\u009b\u202e"
    with sqlite3.connect(tmp_path / "prelude-session.sqlite") as stored:
        stored.execute("UPDATE management_keys SET name = ?", (name,))
    stored.close()
    text = command(tmp_path, "key", "list").stdout
    assert r"a\u{1B}[2J\nid  mk_forged\u{009B}\u{202E}" in text
    for output in [text, command(tmp_path, "key", "list", "--json").stdout]:
        assert not any(character in output for character in "\x1b\u009b\u202e")
    assert json.loads(command(tmp_path, "key", "list", "--json").stdout)[0]["name"] == name
