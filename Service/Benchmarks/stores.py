#!/usr/bin/env python3
"""Compares the cost of a refresh on PostgreSQL with that of another setup, in the same rounds.

Usage: stores.py BINARY stores|nodes|pooler [--sessions 1000] [--rounds 7] [--refreshes 4000] [--partitions N]

stores: the embedded store and PostgreSQL, with as many sessions
nodes:  two nodes and one node, on one database; each node has 16 connections
pooler: a node that is connected through PgBouncer (transaction mode) and one that is not

Starts a PostgreSQL server of its own, which syncs each commit. Fills the databases with SQL, and refreshes sessions that are
spread over the whole database, with a new proof each, over 16 connections to each node. The services run on the first core, one setup at a
time, the generator on the last one, and PostgreSQL anywhere. Prints, for each refresh, the CPU time of the service and that of
PostgreSQL, and what the server has counted. Needs Linux, the Python of scripts/bootstrap, and a machine that does nothing else.
"""

import argparse
import contextlib
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

import sessions
from sessions import CONNECTIONS, Subject, core_of_services

import pooler  # noqa: E402
import postgres  # noqa: E402
from person import Person  # noqa: E402
import service as service_module  # noqa: E402

LOGINS = 100


class Server(postgres.Server):
    """A server with the settings of production."""

    SETTINGS = {
        "fsync": "on", "full_page_writes": "on", "shared_buffers": "'1GB'", "max_wal_size": "'4GB'",
        "shared_preload_libraries": "'pg_stat_statements'", "track_wal_io_timing": "on",
    }

    def __init__(self, folder: pathlib.Path):
        super().__init__(folder)
        for name, value in self.SETTINGS.items():
            postgres.execute(self.url, f"ALTER SYSTEM SET {name} = {value}")
        self.restart("fast")
        postgres.execute(self.url, "CREATE EXTENSION pg_stat_statements")
        self.process = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])

    def cpu(self) -> float:
        """Returns the CPU seconds of all its processes. Those that have ended count in steps of 10 ms."""
        ended = pathlib.Path(f"/proc/{self.process}/stat").read_text().rsplit(")", 1)[1].split()[13:15]
        children = pathlib.Path(f"/proc/{self.process}/task/{self.process}/children").read_text().split()
        return sum(map(int, ended)) / os.sysconf("SC_CLK_TCK") + sum(map(sessions.cpu, map(int, children)))

    def reset(self) -> None:
        postgres.execute(self.url, "SELECT pg_stat_reset_shared('wal'); SELECT pg_stat_statements_reset(); CHECKPOINT")

    def counts(self) -> dict[str, int]:
        """Returns what was counted since the reset. Connections report after ten idle seconds at the latest."""
        time.sleep(11)
        wal = postgres.rows(self.url, "SELECT wal_records, wal_bytes, wal_fpi, wal_sync FROM pg_stat_wal")[0]
        calls = postgres.rows(
            self.url, "SELECT sum(calls)::bigint FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat%'")[0]
        return dict(zip(("records of WAL", "bytes of WAL", "page images", "syncs", "statements"), wal + calls))


def run_sql(database: str, sql: str) -> None:
    """Runs statements that take their time."""
    subprocess.run(
        ["psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", database], input=sql, text=True, check=True,
        stdout=subprocess.DEVNULL)


class PostgresSubject(Subject):
    """One or two nodes with a database of a given size."""

    store = "postgres"
    server: Server
    partitions = 0
    #: Whether requests go to all nodes.
    both = False
    #: The connections of the service go through it.
    pool: pooler.Pooler | None = None

    def configure(self, folder: pathlib.Path) -> None:
        url = postgres.new_database(self.server.url)
        if self.partitions:
            name = url.rsplit("/", 1)[1]
            postgres.execute(url, f"ALTER DATABASE {name} SET prelude_session.partitions = '{self.partitions}'")
        self.url, self.folder = url, folder
        self.service.database = url.replace(self.server.place, self.pool.place) if self.pool else url
        self.service.variables["PRELUDE_SESSION_KEY_FILE"] = str(folder / "session.sqlite.keys")
        self.others: list[service_module.Service] = []

    def add_node(self) -> None:
        folder = self.folder / str(len(self.others))
        folder.mkdir()
        node = service_module.Service(folder, "--public-url", self.service.url)
        node.database, node.variables, node.wrapper = self.service.database, self.service.variables, self.service.wrapper
        node.start()
        self.others.append(node)

    @property
    def nodes(self) -> list[service_module.Service]:
        return [self.service, *(self.others if self.both else [])]

    @property
    def ports(self) -> list[int]:
        return [node.port for node in self.nodes]

    @property
    def processes(self) -> list[int]:
        return [node.process.pid for node in self.nodes]

    @property
    def megabytes(self) -> float:
        return postgres.rows(self.url, "SELECT pg_database_size(current_database())")[0][0] / 1e6

    def fill(self) -> None:
        model, prefix = self.rows_of_a_user(), "SET session_replication_role = replica; SET synchronous_commit = off; "
        thumbprints = ", ".join(f"'{text}'" for text in model)
        number = "lpad(n::text, 26, '0')"
        user, mail = f"'usr_' || {number}", "'person' || n || '@example.org'"
        of_user = "user_id NOT LIKE 'usr_0000%'"
        for table, values, model in [
                ("users", {"id": user}, "id NOT LIKE 'usr_0000%'"),
                ("identifiers", {"canonical": mail, "value": mail, "user_id": user}, of_user),
                ("sessions", {
                    "id": f"'ses_' || {number}", "user_id": user, "generation": "0", "last_proof": "NULL",
                    "key_thumbprint": f"(ARRAY[{thumbprints}])[n % {CONNECTIONS} + 1]", "last_attempt": "NULL",
                    "earlier_attempts": "''", "settled_generation": "0"}, of_user),
                ("events", {
                    "sequence": "n + 1000", "id": f"'evt_' || {number}",
                    "user_id": f"'usr_' || lpad((n / {self.events or 1})::text, 26, '0')"},
                 f"name = 'user.session.created' AND {of_user}"),
        ]:
            count = self.size * (self.events if table == "events" else 1)
            columns = [row[0] for row in postgres.rows(
                self.url,
                f"SELECT column_name FROM information_schema.columns WHERE table_name = '{table}' ORDER BY ordinal_position")]
            chosen = ", ".join(values.get(column, f"model.{column}") for column in columns)
            for first in range(0, count, 1_000_000):
                rows = f"generate_series({first}, {min(first + 1_000_000, count) - 1}) AS n"
                run_sql(
                    self.url,
                    f"{prefix}INSERT INTO {table} SELECT {chosen} FROM {rows}, "
                    f"(SELECT * FROM {table} WHERE {model} LIMIT 1) AS model")
            if count:
                [(size,)] = postgres.rows(
                    self.url, "SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class "
                    f"WHERE relkind = 'r' AND relname ~ '^{table}(_[0-9]+)?$'")
                self.bytes_of_rows[table] = size / count
        run_sql(self.url, "VACUUM ANALYZE; CHECKPOINT")

    def rows_of_a_user(self) -> list[str]:
        """Returns the thumbprints of the devices, in their order."""
        by_session = dict(postgres.rows(self.url, "SELECT id, key_thumbprint FROM sessions"))
        return [by_session[person.refresh_token.split(".")[0]] for person in self.people]


class PooledSubject(PostgresSubject):
    """One node that is connected through a pooler."""


def rounds(subjects: list, options) -> list[list[tuple[float, ...]]]:
    """Returns rate, CPU of the service, CPU of PostgreSQL and CPU of the pooler of each round, by setup."""
    results: list[list[tuple[float, ...]]] = [[] for _ in subjects]
    pool = PooledSubject.pool
    for number in range(options.rounds):
        # Which setup is first changes, because the state of a machine does.
        for index, subject in sorted(enumerate(subjects), reverse=number % 2 == 1):
            def others():
                return PostgresSubject.server.cpu(), sessions.cpu(pool.process.pid) if pool else 0.0
            before = others()
            rate, cpu = subject.measure(options.refreshes)
            spent = [(end - begin) / options.refreshes * 1e6 for begin, end in zip(before, others())]
            results[index].append((rate, cpu, *spent))
    return results


def report(names: list[str], results, options) -> None:
    """Prints medians, and the ratios of the first setup to the second one."""
    for name, found in zip(names, results):
        rate, cpu, server, pool = (statistics.median(values) for values in zip(*found))
        print(f"{name}: {rate:.0f}/s, service {cpu:.0f} us of CPU each, PostgreSQL {server:.0f} us"
              + (f", pooler {pool:.0f} us" if pool else ""))
    for part, name in ((1, "CPU of the service"), (2, "CPU of PostgreSQL"), (0, "rate")):
        ratios = [first[part] / second[part] for first, second in zip(*results) if second[part] > 0]
        if ratios and (part != 2 or options.what != "stores"):
            print(f"{name}: {statistics.median(ratios):.2f} times ({min(ratios):.2f} to {max(ratios):.2f}), "
                  + f"{names[0]} to {names[1]}")
    refreshes = options.rounds * options.refreshes * (1 if options.what == "stores" else 2)
    print_counts("refresh", refreshes)


def print_counts(operation: str, number: int) -> None:
    counts = PostgresSubject.server.counts()
    print(f"PostgreSQL, for each {operation}: " + ", ".join(f"{count / number:.2f} {name}" for name, count in counts.items()))


class Nodes:
    """The database of a subject, with its first node or with both."""

    def __init__(self, subject: PostgresSubject, both: bool):
        self.subject, self.both = subject, both

    def measure(self, count: int) -> tuple[float, float]:
        self.subject.both = self.both
        return self.subject.measure(count)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("what", choices=["stores", "nodes", "pooler"])
    parser.add_argument("--sessions", type=int, default=1000)
    parser.add_argument("--prepared", type=int, default=4000, help="sessions of each database that are refreshed, in turns")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--refreshes", type=int, default=4000, help="of each round and setup")
    parser.add_argument("--partitions", type=int, default=0, help="of each table of PostgreSQL")
    parser.add_argument("--hold", type=pathlib.Path, help="a file that exists while the rounds run")
    options = parser.parse_args()
    service_module.BINARY = options.binary.resolve()
    size = options.sessions
    # Not in a folder that other users cannot enter.
    PostgresSubject.server = Server(pathlib.Path(tempfile.mkdtemp(prefix="stores-")))
    PostgresSubject.partitions = options.partitions
    # After the start of PostgreSQL, which may use both cores.
    core = core_of_services()
    subjects: list[Subject] = []
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        def added(kind, name: str, size: int):
            begin = time.monotonic()
            subjects.append(kind(pathlib.Path(folder) / name, size, options.prepared, core))
            print(f"{name}: {size} sessions, {subjects[-1].megabytes:.0f} MB, {time.monotonic() - begin:.0f} s", flush=True)
            return subjects[-1]

        try:
            if options.what == "nodes":
                subject = added(PostgresSubject, "PostgreSQL", size)
                subject.add_node()
                names, measured = ["two nodes", "one node"], [Nodes(subject, True), Nodes(subject, False)]
            elif options.what == "pooler":
                PooledSubject.pool = stack.enter_context(pooler.pooler(PostgresSubject.server, "transaction", 20))
                measured = [added(PooledSubject, "PgBouncer", size), added(PostgresSubject, "direct", size)]
                names = ["through PgBouncer", "direct"]
            else:
                measured = [added(PostgresSubject, "PostgreSQL", size), added(Subject, "embedded", size)]
                names = ["PostgreSQL", "embedded"]
            for subject in measured:
                # Statements are prepared, and the first pages are read.
                subject.measure(min(options.prepared, size))
            PostgresSubject.server.reset()
            if options.hold:
                options.hold.touch()
            try:
                results = rounds(measured, options)
            finally:
                if options.hold:
                    options.hold.unlink(missing_ok=True)
            report(names, results, options)
            if options.what == "stores":
                PostgresSubject.server.reset()
                for _ in range(LOGINS):
                    Person.signed_in(subjects[0].service)
                print_counts("login by a code, of a new user", LOGINS)
        finally:
            for subject in subjects:
                for node in [subject.service, *getattr(subject, "others", [])]:
                    if node.process.poll() is None:
                        node.stop()
            PostgresSubject.server.delete()


if __name__ == "__main__":
    main()
