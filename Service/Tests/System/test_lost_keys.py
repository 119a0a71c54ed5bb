"""Tests what helps after master keys are lost: `key replace-master`, the keys of a backup alone, its settings and age."""

import json
import os
import pathlib
import subprocess
import tarfile

import pytest

import postgres
from conftest import running
from operator_api import Management
from person import Person
from service import APP, BINARY, Service

PASSPHRASE = "a passphrase of five words"
ROUTE = {"email": [{
    "type": "smtp", "host": "smtp.example.com", "username": "login", "secret": "the secret", "from": "login@example.com"}]}

pytestmark = postgres.only_embedded


@pytest.fixture
def service(tmp_path):
    service = Service(tmp_path)
    with running(service) as service:
        yield service


def keys_of(service: Service) -> pathlib.Path:
    return pathlib.Path(service.database.removeprefix("sqlite:") + ".keys")


def backup(service: Service, *arguments, **variables) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PRELUDE_SESSION_BACKUP_PASSPHRASE": PASSPHRASE, "PRELUDE_SESSION_DATABASE": service.database}
    return subprocess.run(
        [BINARY, "backup", *map(str, arguments)], env=environment | variables, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=120)


def test_a_service_goes_on_without_its_master_keys_and_everybody_signs_in_again(service):
    ada = Person.signed_in(service, "ada@example.com")
    user = ada.claims()["sub"]
    Management(service).expect(200, "PUT", "/config/delivery", ROUTE)
    old = {key["key_id"] for key in json.loads(service.run("key", "signing", "--app", APP, "--json").stdout)}

    running_still = service.run("key", "replace-master", "--yes")
    assert running_still.returncode == 1 and "is in use. Stop the service on all nodes" in running_still.stderr
    service.stop()
    nothing_lost = service.run("key", "replace-master", "--yes")
    assert nothing_lost.returncode == 1 and "has all keys of this database. Nothing was changed" in nothing_lost.stderr

    keys_of(service).unlink()
    with pytest.raises(RuntimeError, match="is missing, and the database has apps"):
        service.start()
    unconfirmed = service.run("key", "replace-master")
    assert unconfirmed.returncode != 0 and "Add --yes to confirm." in unconfirmed.stderr
    assert not keys_of(service).exists()

    done = service.run("key", "replace-master", "--yes", "--json")
    assert done.returncode == 0, done.stderr
    [report] = json.loads(done.stdout)
    assert (report["revoked_sessions"], report["apps_without_their_routes"]) == (1, [APP])
    assert report["replaced_signing_keys"] == len(old) and len(report["lost_master_keys"]) == 1
    assert service.run("check", *service.flags, "--port", str(service.port)).returncode == 0

    service.start()
    new = {key["key_id"] for key in json.loads(service.run("key", "signing", "--app", APP, "--json").stdout)}
    assert new and not new & old
    assert ada.device.refresh(ada.refresh_token).status == 401
    assert ada.device.sessions(ada.access_token).status == 401
    assert Person.signed_in(service, "ada@example.com").claims()["sub"] == user
    assert Management(service).expect(200, "GET", "/config/delivery")["config"]["email"] == []


def test_the_keys_of_a_backup_are_restored_alone(service, tmp_path):
    ada = Person.signed_in(service)
    folder = tmp_path / "backup"
    assert backup(service, "create", folder).returncode == 0
    ada.refresh()
    before = keys_of(service).read_bytes()
    service.stop()
    keys_of(service).unlink()
    (folder / "session.sqlite").unlink()
    wrong = backup(service, "restore", folder, "--keys-only", PRELUDE_SESSION_BACKUP_PASSPHRASE="another passphrase")
    assert wrong.returncode == 1 and not keys_of(service).exists()
    done = backup(service, "restore", folder, "--keys-only")
    assert done.returncode == 0 and "Wrote the master keys" in done.stdout, done.stderr
    assert json.loads(keys_of(service).read_bytes()) == json.loads(before)
    service.start()
    assert ada.refresh()["sub"], "the database is the newer one"


def test_a_backup_has_the_settings_and_only_the_passphrase_opens_them(service, tmp_path):
    settings = tmp_path / "settings.json"
    settings.write_text('{\n  // The shop\n  "managementKey": "a secret of the settings"\n}\n')
    folder = tmp_path / "backup"
    made = backup(service, "create", folder, "--config", settings)
    assert made.returncode == 0, made.stderr
    assert all(b"a secret of" not in file.read_bytes() for file in folder.iterdir())
    assert backup(service, "settings", folder).stdout == settings.read_text()
    wrong = backup(service, "settings", folder, PRELUDE_SESSION_BACKUP_PASSPHRASE="another passphrase")
    assert wrong.returncode == 1 and wrong.stdout == ""
    changed = json.loads((folder / "manifest.json").read_text()) | {"settings": "../settings.sealed"}
    (folder / "manifest.json").write_text(json.dumps(changed))
    assert "the manifest is damaged" in backup(service, "settings", folder).stderr
    without = tmp_path / "without"
    assert backup(service, "create", without).returncode == 0
    assert "has no settings" in backup(service, "settings", without).stderr


def test_a_passphrase_can_be_in_a_file_that_a_variable_names(service, tmp_path):
    file = tmp_path / "passphrase"
    file.write_text(PASSPHRASE + "\n")
    variables = {"PRELUDE_SESSION_BACKUP_PASSPHRASE_FILE": str(file)}
    both = backup(service, "create", tmp_path / "both", **variables)
    assert both.returncode == 1 and "PRELUDE_SESSION_BACKUP_PASSPHRASE_FILE: is set, and" in both.stderr
    os.environ.pop("PRELUDE_SESSION_BACKUP_PASSPHRASE", None)
    environment = {**os.environ, "PRELUDE_SESSION_DATABASE": service.database, **variables}
    made = subprocess.run(
        [BINARY, "backup", "create", tmp_path / "made"], env=environment, capture_output=True, text=True, timeout=60)
    assert made.returncode == 0, made.stderr
    assert backup(service, "verify", tmp_path / "made").returncode == 0


def test_old_backups_are_deleted_by_number_and_age_and_nothing_else_is(service, tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    first = folder / "first"
    assert backup(service, "create", first).returncode == 0
    manifest = json.loads((first / "manifest.json").read_text())
    for name, created in [("2020", "2020-01-01T00:00:00Z"), ("2021", "2021-01-01T00:00:00Z"), ("2022", "2022-01-01T00:00:00Z")]:
        (folder / name).mkdir()
        (folder / name / "manifest.json").write_text(json.dumps(manifest | {"created_at": created}))
    (folder / "notes").mkdir()
    (folder / "first.partial-1").mkdir()
    everything = {"first", "2020", "2021", "2022", "notes", "first.partial-1"}

    def left() -> set[str]:
        return {path.name for path in folder.iterdir()}

    assert backup(service, "prune", folder, "--keep", "0").returncode != 0
    shown = backup(service, "prune", folder, "--keep", "2", "--dry-run")
    assert shown.stdout.count("would delete") == 2 and left() == everything
    assert backup(service, "prune", folder, "--keep", "1", "--days", "36500").stdout == "" and left() == everything
    assert backup(service, "prune", folder, "--keep", "2").returncode == 0 and left() == everything - {"2020", "2021"}
    assert backup(service, "prune", folder, "--keep", "1").returncode == 0 and left() == {"first", "notes", "first.partial-1"}
    missing = backup(service, "prune", tmp_path / "nowhere")
    assert missing.returncode == 1 and "cannot be read" in missing.stderr


def test_a_backup_goes_to_a_command_that_gets_no_secret(service, tmp_path):
    archive = tmp_path / "backup.tar"
    seen = tmp_path / "environment"
    done = backup(service, "create", tmp_path / "made", "--to", f"cat > {archive}; env > {seen}; echo noise", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[0]["sha256"] and not (tmp_path / "made").exists()
    assert PASSPHRASE not in seen.read_text() and "PRELUDE_SESSION_" not in seen.read_text()
    with tarfile.open(archive) as tar:
        tar.extractall(tmp_path / "unpacked", filter="data")
    assert backup(service, "verify", tmp_path / "unpacked" / "made").returncode == 0
    failed = backup(service, "create", tmp_path / "kept", "--to", "cat > /dev/null; exit 3")
    assert failed.returncode == 1 and "command 3" in failed.stderr
    assert backup(service, "verify", tmp_path / "kept").returncode == 0, "what was not sent is not lost"
