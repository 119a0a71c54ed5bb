"""Tests what helps after master keys are lost: `key replace-master`, the keys of a backup alone, its settings and age."""

import base64
import hashlib
import json
import os
import pathlib
import re
import subprocess
import tarfile

import pytest

import postgres
from commands import PASSPHRASE, backup
from operator_api import Management
from person import Person
from service import APP, BINARY, Service, running

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


def live_sessions(service: Service) -> int:
    return service.sql("SELECT count(*) FROM sessions WHERE revoked_at IS NULL")[0][0]


def stop_at(service: Service, what: str) -> None:
    """Makes the next write of a kind fail, so that a command ends in the middle of its work, as after a kill."""
    service.sql(f"CREATE TRIGGER stopped {what} BEGIN SELECT RAISE(ABORT, 'stopped'); END")


def test_a_replacement_that_was_stopped_at_any_step_is_finished_by_the_next_run(service):
    """A killed run left 4004 of 4005 sessions, and the next one found nothing to do."""
    people = [Person.signed_in(service) for _ in range(4)]
    service.stop()
    keys_of(service).unlink()
    last = service.sql("SELECT max(id) FROM sessions")[0][0]

    stop_at(service, f"BEFORE UPDATE ON sessions WHEN OLD.id = '{last}'")
    stopped = service.run("key", "replace-master", "--yes")
    assert stopped.returncode != 0 and live_sessions(service) >= 1
    assert not keys_of(service).exists(), "first the sessions end"
    service.sql("DROP TRIGGER stopped")

    stop_at(service, "BEFORE INSERT ON signing_keys")
    stopped = service.run("key", "replace-master", "--yes")
    assert stopped.returncode != 0 and live_sessions(service) == 0
    assert keys_of(service).exists()
    with pytest.raises(RuntimeError, match="lacks"):
        service.start()
    service.sql("DROP TRIGGER stopped")

    done = service.run("key", "replace-master", "--yes", "--json")
    assert done.returncode == 0, done.stderr
    [report] = json.loads(done.stdout)
    assert report["revoked_sessions"] == 0 and len(report["lost_master_keys"]) == 1
    again = service.run("key", "replace-master", "--yes")
    assert again.returncode == 1 and "has all keys of this database. Nothing was changed" in again.stderr
    service.start()
    assert [person.device.refresh(person.refresh_token).status for person in people] == [401] * 4


#: Contents of a key file that has no key.
DAMAGED = [b"", b"\n", b"\xff\x00garbage", b"some words", b"{", b'{"keys": [], "version": 1}', b'{"keys": 1}']


@pytest.mark.parametrize("content", DAMAGED)
def test_a_damaged_key_file_is_repaired_from_a_backup_and_kept(service, tmp_path, content):
    ada = Person.signed_in(service)
    folder = tmp_path / "backup"
    assert backup(service, "create", folder).returncode == 0
    service.stop()
    whole = json.loads(keys_of(service).read_bytes())
    for arguments in (["--keys-only"], []):
        keys_of(service).write_bytes(content)
        done = backup(service, "restore", folder, *arguments)
        assert done.returncode == 0, done.stderr
        assert json.loads(keys_of(service).read_bytes()) == whole
        assert keys_of(service).stat().st_mode & 0o077 == 0
        kept = re.search(r"is kept as (\S+)\. If it still has a key", done.stdout)
        assert kept and pathlib.Path(kept[1]).read_bytes() == content, done.stdout
    service.start()
    assert ada.refresh()["sub"]


@pytest.mark.parametrize("content", DAMAGED)
def test_a_damaged_key_file_is_kept_when_the_master_key_is_replaced(service, content):
    ada = Person.signed_in(service)
    service.stop()
    keys_of(service).write_bytes(content)
    done = service.run("key", "replace-master", "--yes", "--json")
    assert done.returncode == 0, done.stderr
    [report] = json.loads(done.stdout)
    assert pathlib.Path(report["damaged_key_file"]).read_bytes() == content
    assert report["revoked_sessions"] == 1
    service.start()
    assert ada.device.refresh(ada.refresh_token).status == 401


def test_a_damaged_key_file_that_may_have_a_key_is_left_to_the_operator(service):
    service.stop()
    whole = keys_of(service).read_bytes()
    secret = json.loads(whole)["keys"][0]["secret"].encode()
    for content in (
            whole[:whole.index(secret) + len(secret)], secret + b"\n" + secret, secret + b" short", secret + b"x short",
            whole.decode().encode("utf-16"), whole.replace(secret, secret[:20] + b"\n  " + secret[20:]), bytes(range(32, 64)),
            b":".join(b"%02x" % byte for byte in range(32))):
        keys_of(service).write_bytes(content)
        refused = service.run("key", "replace-master", "--yes")
        assert refused.returncode == 1 and "A text in it can be a key" in refused.stderr, refused.stderr
        assert keys_of(service).read_bytes() == content
    keys_of(service).write_bytes(whole)
    keys_of(service).chmod(0o644)
    readable = service.run("key", "replace-master", "--yes")
    assert readable.returncode == 1 and "Run: chmod 600" in readable.stderr


def test_a_link_to_the_key_file_stays_and_its_target_is_written(service, tmp_path):
    """A file in place of the link would put the secret on another disk."""
    folder, target = tmp_path / "backup", tmp_path / "secrets" / "keys"
    assert backup(service, "create", folder).returncode == 0
    service.stop()
    whole = json.loads(keys_of(service).read_bytes())
    target.parent.mkdir()
    keys_of(service).rename(target)
    keys_of(service).symlink_to(target)

    target.write_bytes(b"")
    done = backup(service, "restore", folder, "--keys-only")
    assert done.returncode == 0 and str(target) in done.stdout, done.stderr
    assert keys_of(service).is_symlink() and json.loads(target.read_bytes()) == whole
    assert [path.read_bytes() for path in target.parent.glob("keys.replaced-*")] == [b""]

    target.unlink()
    for refused in (backup(service, "restore", folder, "--keys-only"), service.run("key", "replace-master", "--yes")):
        assert refused.returncode == 1 and "is a symbolic link, and the file that it names does not exist" in refused.stderr
    assert keys_of(service).is_symlink() and not target.exists()

    target.touch(mode=0o600)
    assert service.run("key", "replace-master", "--yes").returncode == 0
    assert keys_of(service).is_symlink() and json.loads(target.read_bytes())["keys"] != whole["keys"]
    service.start()


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
    # A name that looks like an option of tar is a name.
    done = backup(service, "create", tmp_path / "--checkpoint=1", "--to", f"cat > {archive}")
    assert done.returncode == 0 and tarfile.open(archive).getnames()[0] == "--checkpoint=1", done.stderr
    failed = backup(service, "create", tmp_path / "kept", "--to", "cat > /dev/null; exit 3")
    assert failed.returncode == 1 and "command 3" in failed.stderr
    assert backup(service, "verify", tmp_path / "kept").returncode == 0, "what was not sent is not lost"


def test_a_file_of_another_kind_is_never_replaced_by_keys(service, tmp_path):
    """A mistyped --key-file can name the database, or the sealed keys of the backup itself."""
    folder = tmp_path / "backup"
    assert backup(service, "create", folder).returncode == 0
    database = pathlib.Path(service.database.removeprefix("sqlite:"))
    large = tmp_path / "large"
    large.write_bytes(b"x" * 70_000)
    for path, kind in ((database, "a database"), (folder / "master-keys.sealed", "a sealed file"), (large, "a file of 70000 bytes")):
        path.chmod(0o600)
        before = path.read_bytes()[:100]
        refused = backup(service, "restore", folder, "--keys-only", "--key-file", path)
        assert refused.returncode == 1 and f"is {kind}" in refused.stderr and "Name the right path" in refused.stderr, refused.stderr
        assert path.read_bytes()[:100] == before
    assert backup(service, "verify", folder).returncode == 0


def test_the_replacement_says_what_is_lost_before_it_asks(service):
    service.stop()
    secret = json.loads(keys_of(service).read_bytes())["keys"][0]["secret"]
    digest = hashlib.sha256(b"prelude-session key id" + base64.urlsafe_b64decode(secret + "=")).digest()
    lost = base64.urlsafe_b64encode(digest).decode()[:8]
    keys_of(service).unlink()
    asked = service.run("key", "replace-master")
    assert asked.returncode != 0 and f"Lost: {lost}. All users must sign in again" in asked.stderr, asked.stderr
    assert "has no key" in asked.stderr and not keys_of(service).exists()
