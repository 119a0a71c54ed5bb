"""Commands on the database: configured as the service is, they make nothing by mistake and migrate nothing at all."""

import json
import os
import pathlib
import re
import shutil
import sqlite3
import stat
import subprocess

import pytest

from conftest import running
from service import APP, BINARY, ROOT, Service

PREFIX = "PRELUDE_SESSION_"

#: Master keys: 32 bytes in base64url.
KEYS = "A" * 43

#: Whatever needs a database that is there already.
ON_WHAT_IS_THERE = [
    ["app", "list"], ["key", "list"], ["key", "create", "backend"], ["key", "revoke", "mk_1"], ["key", "rotate"],
    ["key", "signing"], ["key", "reseal"], ["user", "create", "--app", APP, "--email", "ada@example.com"],
    ["user", "find", "--app", APP, "--email", "ada@example.com"],
    ["user", "set-status", "--app", APP, "usr_1", "inactive"], ["user", "delete", "--app", APP, "usr_1"],
    ["user", "set-password", "--app", APP, "usr_1"],
]
BEGIN = ["app", "create", "Shop", "--id", APP]


def name(arguments: list[str]) -> str:
    return " ".join(arguments[:2])


def command(
    directory: pathlib.Path, *arguments: str, binary: pathlib.Path = BINARY, **variables: str
) -> subprocess.CompletedProcess:
    """In a folder, with no setting but those of the variables, which come without their prefix."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    environment |= {PREFIX + name: value for name, value in variables.items()}
    return subprocess.run(
        [binary, *arguments], cwd=directory, env=environment, input="a password of some length\n", capture_output=True,
        text=True, timeout=60)


def settings(directory: pathlib.Path, **values) -> str:
    path = directory / "settings.json"
    path.write_text(json.dumps(values))
    return str(path)


def names_of_apps(told: subprocess.CompletedProcess) -> list[str]:
    assert told.returncode == 0, told.stderr
    return [app["name"] for app in json.loads(told.stdout)]


# Where the database is


def test_flags_win_over_the_environment_and_the_environment_over_the_file(tmp_path):
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


@pytest.mark.parametrize("arguments", ON_WHAT_IS_THERE, ids=name)
def test_a_command_on_what_is_there_makes_no_database(tmp_path, arguments):
    refused = command(tmp_path, *arguments)
    assert refused.returncode != 0 and refused.stdout == ""
    assert f"there is none at {tmp_path}/prelude-session.sqlite (the default" in refused.stderr
    assert "--database, PRELUDE_SESSION_DATABASE or --config" in refused.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "variables", "source"), [
        (["--database", "sqlite:nowhere"], {}, "from --database"),
        ([], {"DATABASE": "sqlite:nowhere"}, "from PRELUDE_SESSION_DATABASE"),
        (["--config", "settings.json"], {}, "from database in settings.json"),
    ], ids=["flag", "environment", "file"])
def test_a_database_that_is_not_there_is_told_with_who_named_it(tmp_path, arguments, variables, source):
    settings(tmp_path, database="sqlite:nowhere")
    refused = command(tmp_path, "app", "list", *arguments, **variables)
    assert refused.returncode != 0
    assert f"{tmp_path}/nowhere ({source})" in refused.stderr
    assert not (tmp_path / "nowhere").exists()


def test_on_a_fresh_machine_an_app_can_come_before_the_service(tmp_path):
    file = settings(tmp_path, database="sqlite:shop", keyFile="shop-keys", publicUrl="https://shop.example.com")
    made = command(tmp_path, *BEGIN, "--config", file)
    assert made.returncode == 0, made.stderr
    assert f"Made a new database, {tmp_path}/shop, and master keys in shop-keys" in made.stderr
    for path in (tmp_path / "shop", tmp_path / "shop-keys"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    second = command(tmp_path, "app", "create", "Other", "--config", file)
    assert second.returncode == 0 and "Made" not in second.stderr
    service = Service(tmp_path, "--key-file", f"{tmp_path}/shop-keys", "--public-url", "https://shop.example.com",
                      development=False)
    service.database = f"sqlite:{tmp_path}/shop"
    with running(service):
        assert names_of_apps(command(tmp_path, "app", "list", "--json", "--config", file)) == ["Shop", "Other"]
    assert "created the database" not in service.log() and "migrated" not in service.log()


def test_a_database_in_memory_is_nobody_else_s(tmp_path):
    for arguments in (["app", "list"], BEGIN):
        refused = command(tmp_path, *arguments, DATABASE="sqlite::memory:")
        assert refused.returncode != 0 and "in memory" in refused.stderr


# What else is configured


def test_a_command_has_every_setting_of_the_service(tmp_path):
    assert command(tmp_path, *BEGIN).returncode == 0
    refused = command(tmp_path, "key", "rotate", "--config", settings(tmp_path, keyPublishAhead=394))
    assert refused.returncode != 0 and "key-publish-ahead" in refused.stderr
    allowed = command(
        tmp_path, "key", "rotate", "--json", "--config", settings(tmp_path, keyPublishAhead=394, development=True))
    assert allowed.returncode == 0, allowed.stderr


@pytest.mark.parametrize(
    "arguments", [["app", "list"], BEGIN[:2] + ["Other"], ["key", "list"], ["key", "signing"], ["key", "reseal"],
                  ["user", "create", "--app", APP, "--email", "ada@example.com"]], ids=name)
def test_a_command_that_gives_no_key_a_successor_works_beside_a_service_in_development(tmp_path, arguments):
    """The service has --development as a flag, and the rest in the environment that both of them have."""
    assert command(tmp_path, *BEGIN).returncode == 0
    worked = command(tmp_path, *arguments, KEY_PUBLISH_AHEAD="60")
    assert worked.returncode == 0, worked.stderr


@pytest.mark.parametrize(
    "arguments", [["key", "rotate"], ["serve", "--public-url", "https://a.example.com"]], ids=name)
def test_keys_get_no_successors_too_early_and_the_error_says_what_allows_it(tmp_path, arguments):
    assert command(tmp_path, *BEGIN).returncode == 0
    refused = command(tmp_path, *arguments, KEY_PUBLISH_AHEAD="60")
    assert refused.returncode != 0
    assert "key-publish-ahead: must be at least 395" in refused.stderr
    assert "PRELUDE_SESSION_DEVELOPMENT=true" in refused.stderr
    if arguments[0] == "key":
        assert command(tmp_path, *arguments, KEY_PUBLISH_AHEAD="60", DEVELOPMENT="true").returncode == 0


@pytest.mark.parametrize("arguments", [*ON_WHAT_IS_THERE, BEGIN, ["serve"]], ids=name)
def test_the_help_names_the_variables_beside_the_flags(tmp_path, arguments):
    told = command(tmp_path, *arguments[:2 if arguments[0] != "serve" else 1], "--help").stdout
    for variable in ("DATABASE", "KEY_FILE", "CONFIG"):
        assert f"(else ${PREFIX}{variable}" in " ".join(told.split()), told


@pytest.mark.parametrize(
    ("text", "word"), [
        ('{"databse": "sqlite:x"}', "unknown setting databse"), ('{"database": ["sqlite:x"]}', "database"),
        ('{"database": null}', "database"), ("[]", "one JSON object"), ('{"port": "http"}', "port"),
    ])
def test_a_file_that_says_something_else_is_refused(tmp_path, text, word):
    (tmp_path / "settings.json").write_text(text)
    refused = command(tmp_path, *BEGIN, "--config", "settings.json")
    assert refused.returncode != 0 and word in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["settings.json"]


def test_wrong_master_keys_leave_no_database_behind(tmp_path):
    refused = command(tmp_path, *BEGIN, MASTER_KEYS="AAAA")
    assert refused.returncode != 0 and "32 bytes" in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_no_key_file_is_made_beside_a_service_that_has_its_keys_elsewhere(tmp_path):
    """Nothing is sealed yet, so nothing would tell that an app's keys are sealed under another key than the service's."""
    service = Service(tmp_path, "--public-url", "https://shop.example.com", development=False)
    os.environ[PREFIX + "MASTER_KEYS"] = KEYS
    try:
        with running(service):
            pass
    finally:
        del os.environ[PREFIX + "MASTER_KEYS"]
    refused = command(tmp_path, *BEGIN, DATABASE=service.database)
    assert refused.returncode != 0
    assert "session.sqlite.keys is missing" in refused.stderr and "--key-file" in refused.stderr
    assert not list(tmp_path.glob("*.keys"))
    assert command(tmp_path, *BEGIN, DATABASE=service.database, MASTER_KEYS=KEYS).returncode == 0


def test_what_the_service_refuses_is_told_in_its_words(tmp_path):
    assert command(tmp_path, *BEGIN).returncode == 0
    refused = command(tmp_path, "user", "find", "--app", APP, "--email", "nobody@example.com")
    assert (refused.returncode, refused.stderr) == (1, "Error: there is no such user\n")


# From a checkout


@pytest.fixture
def checkout(tmp_path) -> pathlib.Path:
    """A checkout in which the command is built, and `scripts/run` has not run."""
    (tmp_path / "checkout" / "scripts").mkdir(parents=True)
    shutil.copy(ROOT / "scripts" / "prelude-session", tmp_path / "checkout" / "scripts")
    (tmp_path / "checkout" / ".build" / "debug").mkdir(parents=True)
    (tmp_path / "checkout" / ".build" / "debug" / "prelude-session").symlink_to(BINARY)
    (tmp_path / "elsewhere").mkdir()
    return tmp_path / "checkout"


def script(checkout: pathlib.Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess:
    return command(
        checkout.parent / "elsewhere", *arguments, binary=checkout / "scripts" / "prelude-session", **variables)


@pytest.mark.parametrize("arguments", [*ON_WHAT_IS_THERE, BEGIN], ids=name)
def test_the_script_works_on_the_development_database_though_it_is_not_there_yet(checkout, arguments):
    refused = script(checkout, *arguments)
    assert refused.returncode != 0
    assert f"{checkout}/.build/development/session.sqlite" in refused.stderr
    assert list((checkout.parent / "elsewhere").iterdir()) == []


def test_the_script_makes_and_finds_the_development_database(checkout):
    (checkout / ".build" / "development").mkdir()
    assert script(checkout, *BEGIN).returncode == 0
    assert names_of_apps(script(checkout, "app", "list", "--json")) == ["Shop"]
    assert (checkout / ".build" / "development" / "session.sqlite").exists()


@pytest.mark.parametrize(
    ("arguments", "variables"), [
        (["--database", "sqlite:mine"], {}), (["--database=sqlite:mine"], {}), ([], {"DATABASE": "sqlite:mine"}),
        (["--config", "settings.json"], {}), ([], {"CONFIG": "settings.json"})])
def test_the_script_s_database_gives_way_to_one_that_was_named(checkout, arguments, variables):
    settings(checkout.parent / "elsewhere", database="sqlite:mine")
    made = script(checkout, *BEGIN, *arguments, **variables)
    assert made.returncode == 0, made.stderr
    assert (checkout.parent / "elsewhere" / "mine").exists()
    assert not (checkout / ".build" / "development").exists()


# Schemas


def migrations() -> list[str]:
    """The SQL of each step, from the first."""
    files = sorted((ROOT / "Sources" / "SessionSQLite" / "Migrations").glob("[0-9]*.swift"))
    return [re.search(r'sql: """\n(.*?)"""\)', file.read_text(), re.DOTALL)[1] for file in files]


NEWEST = len(migrations())


def database(path: pathlib.Path, version: int) -> pathlib.Path:
    """A database as the version of the software with this schema leaves it, without anything in it."""
    with sqlite3.connect(path) as made:
        made.execute("PRAGMA journal_mode = WAL")
        made.executescript("".join(migrations()[:version]))
        made.executescript(f"PRAGMA application_id = {int.from_bytes(b'PSES')}; PRAGMA user_version = {version}")
    made.close()
    return path


def contents(path: pathlib.Path) -> list:
    reader = sqlite3.connect(path)
    try:
        schema = reader.execute("SELECT name, sql FROM sqlite_schema ORDER BY name").fetchall()
        return [*reader.execute("PRAGMA user_version").fetchone(), *schema]
    finally:
        reader.close()


@pytest.mark.parametrize("arguments", [*ON_WHAT_IS_THERE, BEGIN], ids=name)
def test_no_command_migrates_what_an_older_service_may_be_using(tmp_path, arguments):
    path = database(tmp_path / "old", NEWEST - 1)
    before = contents(path)
    refused = command(tmp_path, *arguments, "--database", "sqlite:old", MASTER_KEYS=KEYS)
    assert refused.returncode != 0 and refused.stdout == ""
    assert f"{path} (from --database) has schema {NEWEST - 1}" in refused.stderr
    assert "start the service of this version" in refused.stderr
    assert contents(path) == before


@pytest.mark.parametrize("arguments", [["app", "list"], BEGIN, ["serve", "--development"]], ids=name)
def test_a_database_of_a_newer_version_is_refused_with_the_remedy(tmp_path, arguments):
    path = database(tmp_path / "new", NEWEST + 1)
    before = contents(path)
    refused = command(tmp_path, *arguments, "--database", "sqlite:new", MASTER_KEYS=KEYS)
    assert refused.returncode != 0 and refused.stdout == ""
    assert f"{path} (from --database) has schema {NEWEST + 1}" in refused.stderr
    assert "a newer version has migrated it. Use that one, or restore the backup" in refused.stderr
    assert contents(path) == before


@pytest.mark.parametrize("version", range(1, NEWEST))
def test_the_service_migrates_says_so_and_then_commands_work(tmp_path, version):
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


def test_an_empty_file_is_the_service_s_to_fill(tmp_path):
    (tmp_path / "empty").touch()
    refused = command(tmp_path, "app", "list", "--database", "sqlite:empty")
    assert refused.returncode != 0 and "is empty. Start the service" in refused.stderr
    # Whoever made it, nothing is in it.
    assert command(tmp_path, *BEGIN, "--database", "sqlite:empty").returncode == 0
