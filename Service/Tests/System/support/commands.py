"""Runs commands of operators on databases, without a service."""

import os
import pathlib
import re
import sqlite3
import subprocess

from service import BINARY, ROOT, Service

PREFIX = "PRELUDE_SESSION_"
#: The passphrase of the keys in a backup.
PASSPHRASE = "a passphrase of five words"


def command(
    directory: pathlib.Path, *arguments: str, binary: pathlib.Path = BINARY, **variables: str
) -> subprocess.CompletedProcess:
    """Runs a command in a directory. Its only settings are `variables`, whose names have no prefix."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    environment |= {PREFIX + name: value for name, value in variables.items()}
    return subprocess.run(
        [binary, *arguments], cwd=directory, env=environment, input="a password of some length\n", capture_output=True,
        text=True, timeout=60)


def backup(service: Service, *arguments, **variables) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PRELUDE_SESSION_BACKUP_PASSPHRASE": PASSPHRASE, "PRELUDE_SESSION_DATABASE": service.database}
    return subprocess.run(
        [BINARY, "backup", *map(str, arguments)], env=environment | variables, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=120)


def export(database: str, file: object = "-", *flags: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [BINARY, "export", "--database", database, "--output", str(file), *flags],
        capture_output=True, text=True, timeout=300)


def restore(database: str, file: object, *flags: str, text: str | None = None) -> subprocess.CompletedProcess:
    return subprocess.run(
        [BINARY, "import", "--database", database, str(file), *flags],
        input=text, capture_output=True, text=True, timeout=300)


def succeeded(done: subprocess.CompletedProcess) -> str:
    assert done.returncode == 0, done.stderr
    return done.stdout


def copied(source: str, target: str) -> str:
    """Moves everything through a pipe."""
    return succeeded(restore(target, "-", text=succeeded(export(source))))


def migrations() -> dict[int, str]:
    """Returns the SQL of each migration by its number, in order. One that only rewrites rows has none."""
    folder = ROOT / "Service" / "Sources" / "SessionSQLite" / "Migrations"
    source = "".join(file.read_text() for file in sorted(folder.glob("[0-9]*.swift")))
    parts = re.split(r"\n        number: (\d+), ", source)
    found = {int(number): re.search(r'sql: """\n(.*?)"""\)', text, re.DOTALL) for number, text in zip(parts[1::2], parts[2::2])}
    return {number: sql[1] if sql else "" for number, sql in found.items()}


#: The schema versions of a database in a file.
VERSIONS = list(migrations())
NEWEST = VERSIONS[-1]


def database(path: pathlib.Path, version: int) -> pathlib.Path:
    """Creates an empty database with the schema of this version."""
    with sqlite3.connect(path) as made:
        made.execute("PRAGMA journal_mode = WAL")
        made.executescript("".join(sql for number, sql in migrations().items() if number <= version))
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
