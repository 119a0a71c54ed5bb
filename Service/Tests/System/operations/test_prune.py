"""Tests which backups `backup prune` deletes, and that it deletes nothing else."""

import json
import pathlib
import shutil
import subprocess

import pytest

import postgres
from commands import backup
from service import Service, running

pytestmark = postgres.only_embedded

FILES = {"manifest.json", "master-keys.sealed", "session.sqlite"}


@pytest.fixture
def service(tmp_path):
    with running(Service(tmp_path)) as service:
        yield service


@pytest.fixture
def folder(service, tmp_path):
    """Returns a folder with the backups b1, b2 and b3 of three years. b3 is the newest."""
    folder = tmp_path / "backups"
    folder.mkdir()
    made = backup(service, "create", folder / "b1")
    assert made.returncode == 0, made.stderr
    for number, year in ((2, 2022), (3, 2023)):
        shutil.copytree(folder / "b1", folder / f"b{number}")
        describe(folder / f"b{number}", created_at=f"{year}-01-01T00:00:00Z")
    describe(folder / "b1", created_at="2021-01-01T00:00:00Z")
    return folder


def describe(path: pathlib.Path, **members) -> None:
    manifest = json.loads((path / "manifest.json").read_text())
    (path / "manifest.json").write_text(json.dumps(manifest | members))


def prune(service, folder: pathlib.Path, *arguments) -> subprocess.CompletedProcess:
    done = backup(service, "prune", folder, *arguments)
    assert done.returncode == 0, done.stderr
    return done


def left(folder: pathlib.Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_old_backups_are_deleted_by_number_and_age_and_nothing_else_is(service, folder, tmp_path):
    (folder / "notes").mkdir()
    (folder / "file").touch()
    others = {"notes", "file"}
    shown = prune(service, folder, "--keep", "2", "--dry-run")
    assert shown.stdout == f"would delete  {folder}/b1\n" and left(folder) == {"b1", "b2", "b3"} | others
    assert prune(service, folder, "--keep", "1", "--days", "36500").stdout == ""
    assert prune(service, f"{folder}/", "--keep", "2").stdout == f"deleted  {folder}/b1\n"
    assert left(folder) == {"b2", "b3"} | others
    done = prune(service, folder, "--keep", "1")
    assert left(folder) == {"b3"} | others and done.stderr == ""
    missing = backup(service, "prune", tmp_path / "nowhere")
    assert missing.returncode == 1 and "cannot be read" in missing.stderr


def test_a_link_to_a_backup_is_no_backup(service, folder, tmp_path):
    """A link to the newest one counted, and each of the two deleted the other one."""
    links = {"a", "latest", "z"}
    for name in links:
        (folder / name).symlink_to("b3")
    outside = tmp_path / "outside"
    shutil.move(folder / "b1", outside)
    (folder / "b1").symlink_to(outside)
    assert prune(service, folder, "--keep", "2").stdout == ""
    prune(service, folder, "--keep", "1")
    assert left(folder) == {"b1", "b3"} | links and left(outside) == FILES
    assert backup(service, "prune", folder / "latest").returncode == 0 and left(folder / "b3") == FILES
    # The folder itself can be named by a link.
    (tmp_path / "link").symlink_to(folder)
    shutil.copytree(folder / "b3", folder / "b4")
    assert prune(service, tmp_path / "link", "--keep", "1").stdout == f"deleted  {tmp_path}/link/b3\n"


def replaced_by_a_link(name: str):
    def change(path: pathlib.Path) -> None:
        target = path.parent.parent / f"moved-{name}"
        (path / name).rename(target)
        (path / name).symlink_to(target)
    return change


def emptied(path: pathlib.Path) -> None:
    (path / "session.sqlite").unlink()
    (path / "master-keys.sealed").write_bytes(b"")


BROKEN = {
    "without database, empty keys": emptied,
    "without database": lambda path: (path / "session.sqlite").unlink(),
    "without keys": lambda path: (path / "master-keys.sealed").unlink(),
    "empty keys": lambda path: (path / "master-keys.sealed").write_bytes(b""),
    "without settings": lambda path: describe(path, settings="settings.sealed"),
    "short database": lambda path: (path / "session.sqlite").write_bytes(b"short"),
    "directory as database": lambda path: ((path / "session.sqlite").unlink(), (path / "session.sqlite").mkdir()),
    "other file": lambda path: (
        (path / "thesis.doc").write_bytes(b"thesis"), describe(path, database={"file": "thesis.doc", "size": 6, "sha256": ""})),
    "no time": lambda path: describe(path, created_at="yesterday"),
    "newer format": lambda path: describe(path, format=999),
    "damaged manifest": lambda path: (path / "manifest.json").write_text("{}"),
    "link as database": replaced_by_a_link("session.sqlite"),
    "link as keys": replaced_by_a_link("master-keys.sealed"),
}


@pytest.mark.parametrize("change", BROKEN.values(), ids=BROKEN.keys())
def test_an_incomplete_backup_stays_and_does_not_take_the_place_of_a_complete_one(service, folder, change):
    change(folder / "b3")
    before = left(folder / "b3")
    assert prune(service, folder, "--keep", "2").stdout == ""
    done = prune(service, folder, "--keep", "1")
    assert left(folder) == {"b2", "b3"} and left(folder / "b2") == FILES and left(folder / "b3") == before
    assert f"{folder}/b3 stays and does not count: " in done.stderr


def test_what_is_not_a_backup_by_its_manifest_or_its_name_stays(service, folder):
    # The directory of a command that was killed between its last file and the rename.
    (folder / "b2").rename(folder / "b2.partial-1234")
    replaced_by_a_link("manifest.json")(folder / "b3")
    assert prune(service, folder, "--keep", "1").stdout == ""
    assert left(folder) == {"b1", "b2.partial-1234", "b3"}


def test_a_backup_from_the_future_stays_and_does_not_take_the_place_of_a_real_one(service, folder):
    for name in ("b4", "b5"):
        shutil.copytree(folder / "b3", folder / name)
        describe(folder / name, created_at="2099-01-01T00:00:00Z")
    done = prune(service, folder, "--keep", "2")
    assert left(folder) == {"b2", "b3", "b4", "b5"}
    for name in ("b4", "b5"):
        assert f"{folder}/{name} stays and does not count: the time in its manifest, 2099-01-01T00:00:00Z, is in the future." \
            in done.stderr


def test_other_files_in_an_old_backup_stay_with_their_directory(service, folder):
    precious = folder / "b1" / "precious" / "thesis.doc"
    precious.parent.mkdir()
    precious.write_text("thesis")
    (folder / "b2" / "settings.sealed").write_text("not of this backup")
    expected = [f"{folder}/{name} (the directory stays, because it has other files)" for name in ("b2", "b1")]
    shown = prune(service, folder, "--keep", "1", "--dry-run")
    assert shown.stdout.splitlines() == [f"would delete  {line}" for line in expected]
    done = prune(service, folder, "--keep", "1")
    assert done.stdout.splitlines() == [f"deleted  {line}" for line in expected]
    assert precious.read_text() == "thesis" and left(folder / "b1") == {"precious"}
    assert left(folder / "b2") == {"settings.sealed"}


@pytest.mark.parametrize("flag, numbers", [
    ("--keep", ["0", "100001", str(2**63 - 1), str(2**64)]),
    ("--days", ["-1", "36501", "106751991167301", str(2**63 - 1), str(2**64)]),
])
def test_a_number_out_of_range_is_refused_with_its_name(service, folder, flag, numbers):
    for number in numbers:
        refused = backup(service, "prune", folder, f"{flag}={number}")
        assert refused.returncode > 0 and flag in refused.stderr, refused
    assert left(folder) == {"b1", "b2", "b3"}


# The path of a new backup


@pytest.mark.parametrize("end", ["/", "//", "/.", "/./"])
def test_a_path_as_a_shell_completes_it_names_the_same_directory(service, tmp_path, end):
    made = backup(service, "create", f"{tmp_path}/new{end}")
    assert made.returncode == 0, made.stderr
    assert left(tmp_path / "new") == FILES and not list(tmp_path.glob("**/*.partial-*"))
    assert backup(service, "verify", f"{tmp_path}/new{end}").returncode == 0
    again = backup(service, "create", f"{tmp_path}/new{end}")
    assert again.returncode == 1 and "exists. Name a new directory" in again.stderr


def test_a_path_that_cannot_be_created_is_an_error_without_internals(service, tmp_path):
    (tmp_path / "dangling").symlink_to("nowhere")
    for path, expected in (
            ("", "Name a new directory"), ("/", "exists"), (f"{tmp_path}/dangling", "exists"),
            (f"{tmp_path}/missing/new", "does not exist. Create it"), (f"{tmp_path}/missing/..", "Name a new directory"),
            (f"{tmp_path}/{'n' * 250}", "cannot create")):
        refused = backup(service, "create", path)
        assert refused.returncode == 1 and expected in refused.stderr, refused.stderr
        assert "backup: " in refused.stderr and "NSCocoa" not in refused.stderr


def test_a_backup_of_another_service_and_one_whose_database_is_used_stay(service, folder):
    other = folder / "other-shop"
    shutil.copytree(folder / "b1", other)
    manifest = json.loads((other / "manifest.json").read_text())
    manifest["master_keys"]["ids"] = ["another"]
    (other / "manifest.json").write_text(json.dumps(manifest))
    shutil.copytree(folder / "b1", folder / "used")
    (folder / "used" / "session.sqlite-wal").touch()
    done = prune(service, folder, "--keep", "1")
    assert left(folder) == {"b3", "other-shop", "used"}
    assert f"{other} stays and does not count: it has other master keys" in done.stderr
    assert f"{folder}/used stays and does not count: a service uses its database" in done.stderr
