"""Checks what docs/scale.md says about keys and settings against a database that a service has created."""

import re

import pytest

import postgres
from conftest import running
from person import Person
from service import ROOT, Service
from snippets import code

PAGE = "scale.md"
#: Tables that are as small as the configuration.
SMALL = {
    "apps", "signing_keys", "management_keys", "deleted_redemptions", "webhooks", "prelude_session", "settings_revision",
}


@pytest.fixture(scope="module")
def server():
    with postgres.own_server() as server:
        yield server


def node_of(database: str, directory) -> Service:
    node = Service(directory, "--key-file", str(directory / "keys"))
    node.database = database
    return node


def documented_keys() -> dict[str, list[str]]:
    lines = re.findall(r"^\| `(\w+)` \| ((?:`\w+`(?:, )?)+) \|.*\|$", (ROOT / "docs" / PAGE).read_text(), re.MULTILINE)
    return {table: re.findall(r"`(\w+)`", columns) for table, columns in lines}


def test_the_keys_of_the_page_are_those_of_the_tables(server, tmp_path):
    database = postgres.new_database(server.url)
    with running(node_of(database, tmp_path)):
        pass
    keys = postgres.rows(database, """
        SELECT relname, string_agg(attname, ' ' ORDER BY position) FROM pg_index
        CROSS JOIN LATERAL unnest(indkey::smallint[]) WITH ORDINALITY AS part (number, position)
        JOIN pg_class ON pg_class.oid = indrelid JOIN pg_attribute ON attrelid = indrelid AND attnum = part.number
        WHERE indisunique AND relnamespace = 'public'::regnamespace GROUP BY relname, indexrelid""")
    found = [(table, columns.split()) for table, columns in keys if table not in SMALL]
    assert len(found) == len(dict(found)), "each table has one unique key"
    assert dict(found) == documented_keys()
    assert all(columns[0] == "app_id" for _, columns in found)


def test_the_setting_for_shared_transactions_is_read_from_the_database(server, tmp_path):
    """The statement of the page, with the name of this database. A value that is neither is refused."""
    database = postgres.new_database(server.url)
    statement = code(PAGE, "sql").replace("prelude SET", database.rsplit("/", 1)[1] + " SET")
    assert "'off'" in statement
    postgres.execute(server.url, statement)
    with running(node_of(database, tmp_path)) as node:
        assert Person.signed_in(node).refresh()["sub"]
    postgres.execute(server.url, statement.replace("'off'", "'never'"))
    with pytest.raises(RuntimeError, match="prelude_session.shared_transactions must be on or off"):
        node_of(database, tmp_path).start()
