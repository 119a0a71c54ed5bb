"""Failover: several nodes, a primary and a synchronous standby that takes over."""

import concurrent.futures
import contextlib
import json
import subprocess
import time

import pytest

import postgres
from failover_load import Nodes, load_on, nodes_of
from person import new_email
from service import BINARY
from shifted_clock import needs_shift, shifted
from transport import Transport
from waiting import wait_until

SYNCHRONOUS = "synchronous_standby_names = '*'"

@contextlib.contextmanager
def pair(variables: dict | None = None):
    """A primary, and a standby that has each commit before it is answered. The standby has these environment variables."""
    with postgres.own_server() as primary, postgres.own_server(primary=primary, variables=variables) as standby:
        # Not before the standby exists: until then, each commit would wait for it.
        primary.configure(SYNCHRONOUS)
        yield primary, standby


def test_a_failover_loses_no_answered_write(tmp_path):
    with pair() as (primary, standby), nodes_of(tmp_path, primary, standby) as processes:
        nodes = Nodes(processes)
        with load_on(nodes).running() as load:
            load.until_all_did(3)
            primary.kill()
            killed = time.monotonic()
            standby.promote()
            promoted = time.monotonic()
            load.until_all_did(3)
        load.check()
        last = max(moment for moment in nodes.answered if moment < killed)
        first = min(moment for moment in nodes.answered if moment > killed)
        print(f"{first - last:.1f} s without writes, {promoted - killed:.1f} s until the standby was promoted; "
              f"{len(nodes.failed)} of {len(nodes.failed) + len(nodes.answered)} requests failed: "
              f"{sorted({reason for _, reason in nodes.failed})}")


@needs_shift
@pytest.mark.parametrize("seconds", [-15, 90])
def test_a_standby_with_another_clock_takes_over_and_no_event_is_missed(tmp_path, seconds):
    """Events are numbered by the clock of the server. With the clock of a new primary behind, new events have lower numbers."""
    with contextlib.ExitStack() as stack:
        primary, standby = stack.enter_context(pair(stack.enter_context(shifted(seconds))))
        difference = float(postgres.execute(standby.url, "SELECT extract(epoch FROM clock_timestamp())")) - time.time()
        assert abs(difference - seconds) < 5, "the clock of the standby is shifted"
        processes = stack.enter_context(nodes_of(tmp_path, primary, standby, count=2))
        output = tmp_path / "events"
        with open(output, "wb") as file:
            reader = subprocess.Popen(
                [BINARY, "events", "--follow", "--json", "--name", "user.session.created", "--database", processes[0].database],
                stdout=file, stderr=subprocess.STDOUT)
        stack.callback(reader.wait, 10)
        stack.callback(reader.terminate)
        with load_on(Nodes(processes)).running() as load:
            load.until_all_did(3)
            primary.kill()
            standby.promote()
            load.until_all_did(3)
        load.check()

        def unread() -> set[tuple]:
            assert reader.poll() is None, output.read_text()
            lines = [line for line in output.read_text().splitlines(keepends=True) if line.endswith("\n")]
            seen = [(json.loads(line)["id"],) for line in lines]
            assert len(seen) == len(set(seen)), "an event was read twice"
            database = f"{standby.url.rsplit('/', 1)[0]}/{processes[0].database.rsplit('/', 1)[1]}"
            return set(postgres.rows(database, "SELECT id FROM events WHERE name = 'user.session.created'")) - set(seen)

        wait_until(lambda: not unread(), 30)


def test_nodes_leave_a_primary_that_becomes_read_only(tmp_path):
    """Such as one that a fail-over manager has demoted, and that keeps its connections."""
    with pair() as (primary, standby), nodes_of(tmp_path, primary, standby) as processes:
        nodes = Nodes(processes)
        with load_on(nodes).running() as load:
            load.until_all_did(1)
            primary.configure("default_transaction_read_only = on")
            standby.promote()
            load.until_all_did(3)
            primary.kill()
            load.until_all_did(1)
        load.check()


def test_nodes_do_not_return_to_a_primary_that_was_replaced(tmp_path):
    """It was stopped for a while, and still accepts writes. It is the first one in the URL."""
    with pair() as (primary, standby), nodes_of(tmp_path, primary, standby, count=2) as processes:
        nodes = Nodes(processes)
        assert nodes.sign_in(), nodes.failed
        primary.freeze()
        standby.promote()
        wait_until(lambda: nodes.sign_in() is not None, 60)
        # Both nodes have seen the new primary.
        people = [nodes.sign_in() for _ in range(4)]
        primary.thaw()
        database = f"datname = '{processes[0].database.rsplit('/', 1)[1]}'"
        for server in (standby, primary):
            postgres.execute(server.url, f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {database}")
        for _ in range(4):
            for person in people:
                answer = nodes.send_until_answered(lambda: person.device.refresh(person.refresh_token))
                assert answer.status == 200, f"the old primary, which does not know this session, was asked: {answer}"
                person.keep(answer)


def test_a_commit_that_no_standby_has_confirmed_is_not_answered(tmp_path):
    """An administrator cancels commits that wait for a standby that is lost. PostgreSQL then reports success."""
    with pair() as (primary, standby), nodes_of(tmp_path, primary, count=1) as [node]:
        device = Nodes([node]).person().device
        assert device.start(new_email()).status == 204
        standby.stop()
        with concurrent.futures.ThreadPoolExecutor() as executor:
            answer = executor.submit(device.start, new_email())
            waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND datname LIKE 'system_%'"
            wait_until(lambda: postgres.execute(primary.url, f"SELECT count(*) {waiting}") != "0")
            postgres.execute(primary.url, f"SELECT pg_cancel_backend(pid) {waiting}")
            assert answer.result().status == 503, answer.result()
        assert "its wait was cancelled" in node.log()


def test_a_server_that_syncs_nothing_is_reported(tmp_path):
    with postgres.own_server() as server, nodes_of(tmp_path, server, count=1) as [node]:
        for name in ("fsync", "full_page_writes"):
            assert f"warning prelude-session: PostgreSQL has {name} = off" in node.log()


@pytest.mark.parametrize("value", ["off", "local"])
def test_an_answered_write_is_durable_whatever_the_default_is(tmp_path, value):
    with pair() as (primary, standby):
        primary.configure(f"synchronous_commit = {value}")
        with nodes_of(tmp_path, primary, count=1) as [node]:
            device = Nodes([node]).person().device
            assert device.start(new_email()).status == 204
            standby.stop()
            # The commit waits for the standby, although the default does not.
            with concurrent.futures.ThreadPoolExecutor() as executor:
                answer = executor.submit(device.start, new_email())
                waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND datname LIKE 'system_%'"
                wait_until(lambda: postgres.execute(primary.url, waiting) != "0")
                standby.start()
                assert answer.result().status == 204, answer.result()


@contextlib.contextmanager
def few_connections(server: postgres.Server, count: int):
    """Holds all connections that the server allows to others than superusers, but for some."""
    with contextlib.ExitStack() as stack:
        held: list[subprocess.Popen] = []

        def release(one: subprocess.Popen) -> None:
            one.stdin.close()
            one.wait(10)

        while True:
            one = subprocess.Popen(
                ["psql", "--no-psqlrc", "--quiet", server.url.replace("postgres@", "guest@")], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            stack.callback(release, one)
            one.stdin.write("\\echo connected\n")
            one.stdin.flush()
            if "connected" not in one.stdout.readline():
                break
            held.append(one)
        for one in held[:count]:
            release(one)
        yield


def test_a_node_works_with_the_connections_that_the_server_allows(tmp_path):
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(postgres.own_server("max_connections = 20"))
        postgres.execute(server.url, "CREATE ROLE guest LOGIN; CREATE ROLE prelude LOGIN")
        stack.enter_context(few_connections(server, 4))
        [node] = stack.enter_context(nodes_of(tmp_path, server, count=1, user="prelude"))
        nodes, address = Nodes([node]), Transport(node.url)
        assert nodes.sign_in(), nodes.failed
        connections = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'prelude'"
        assert 0 < int(postgres.execute(server.url, connections)) < 8, "the pool could not grow"
        began = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(24) as executor:
            answers = list(executor.map(lambda _: nodes.person().device.start(new_email()), range(24)))
        assert {answer.status for answer in answers} == {204}, [str(answer) for answer in answers]
        assert time.monotonic() - began < 5, "no call waited for a connection that the server refuses"

        postgres.execute(server.url, "ALTER ROLE prelude CONNECTION LIMIT 0")
        postgres.execute(server.url, connections.replace("count(*)", "pg_terminate_backend(pid)"))
        wait_until(lambda: address.send("GET", "/readyz").status == 503)
        wait_until(lambda: 'too many connections for role "prelude"' in node.log())
        postgres.execute(server.url, "ALTER ROLE prelude CONNECTION LIMIT -1")
        wait_until(lambda: address.send("GET", "/readyz").status == 200)
        assert nodes.sign_in(), nodes.failed
