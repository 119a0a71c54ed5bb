"""Checks what docs/scale.md says about keys and settings against a database that a service has created, and computes its
sizes again."""

import re

import pytest

import postgres
from person import Person
from service import ROOT, Service, running
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
    lines = re.findall(r"^\| `(\w+)` \| ((?:`\w+`(?:, )?)+) \|$", (ROOT / "docs" / PAGE).read_text(), re.MULTILINE)
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


def cells(first: str) -> list[list[str]]:
    """Returns the rows of the page's tables whose first cell is this text, each without it."""
    rows = re.findall(r"^\| (.+) \|$", (ROOT / "docs" / PAGE).read_text(), re.MULTILINE)
    return [row.split(" | ")[1:] for row in rows if row.split(" | ")[0] == first]


def number(text: str) -> float:
    """Reads `17 500` or `401 µs`."""
    return float(re.match(r"[\d ]*\d(?:\.\d+)?", text)[0].replace(" ", ""))


def rounded(value: float) -> float:
    """The page has two digits of each computed number."""
    return float(f"{value:.1e}")


UNITS = {"": 1, "million": 1e6, "billion": 1e9, "MB/s": 1e6, "GB": 1e9, "TB": 1e12}


def amounts(cell: str) -> list[float]:
    """Reads `160 GB`, or both ends of `35 to 78 MB/s`."""
    unit = re.sub(r"[\d. ]|to", "", cell)
    return [number(part) * UNITS[unit] for part in cell.split(" to ")]


DAY = 86_400
DEVICES, REFRESHES, LOGINS, PEAK = 2, 10 / DAY, 1 / (30 * DAY), 3


@pytest.mark.parametrize(("name", "users"), [("1 million", 1e6), ("100 million", 1e8), ("1 billion", 1e9)])
def test_the_sizes_of_the_page_follow_from_its_measurements(name, users):
    [stated] = cells(name)
    rows = {"`users`": 1, "`identifiers`": 1, "`sessions`": DEVICES}
    # Another table of the page names `users` and `sessions` as well.
    widths = {
        table: [sum(map(number, row[1:])) for row in cells(table) if len(row) == 3][0] for table in rows}
    refreshes = users * REFRESHES * PEAK
    after_a_checkpoint = number(
        re.search(r"writes the whole page: (.+?) bytes", (ROOT / "docs" / PAGE).read_text().replace("\n", " "))[1])
    [[_, _, wal, _]], [[_, _, login, _]] = cells("refresh"), cells("login by a code, of a new user")
    logins = users * LOGINS * PEAK * number(login)
    [[service, database, _]] = cells("10 million sessions")[:1]
    computed = [
        [users * sum(rows.values())],
        [users * sum(count * widths[table] for table, count in rows.items())],
        [refreshes],
        [refreshes * number(wal) + logins, refreshes * after_a_checkpoint + logins],
        [refreshes * number(service) / 1e6],
        [refreshes * number(database) / 1e6],
    ]
    assert [amounts(cell) for cell in stated] == [[pytest.approx(rounded(value)) for value in part] for part in computed]


def test_the_rates_of_one_core_follow_from_the_measurements():
    [[service, database, _]] = cells("10 million sessions")[:1]
    text = (ROOT / "docs" / PAGE).read_text()
    stated = re.search(r"One core of a node gives about (.+?) refreshes per second, and one core of PostgreSQL about (.+?)\.", text)
    assert [number(part) for part in stated.groups()] == [
        rounded(1e6 / number(cell)) for cell in (service, database)]
