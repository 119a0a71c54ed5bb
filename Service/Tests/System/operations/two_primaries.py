"""Two servers of the same origin accept writes at the same time: a node uses only the one that was promoted last.

`scripts/test-failover --two-primaries` runs this. It is no part of `scripts/test`, because it waits longer than
the minute after which a node goes back to an older primary if the newer one is lost (`PrimaryHistory.patience`)."""

import contextlib
import pathlib
import re
import time

import postgres
from failover_load import Nodes, Refresher
from operator_api import Management
from service import Service, running
from transport import Transport
from waiting import wait_until

CONNECTIONS = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'prelude-session'"
#: A node also connects to an older primary to see which of the two it is, and leaves at once.
STAYING = CONNECTIONS + " AND backend_start < now() - interval '3 seconds'"
#: Seconds. Longer than the minute, and the pauses between attempts.
OBSERVED = 80


@contextlib.contextmanager
def split(directory: pathlib.Path):
    """An older and a newer primary that both accept writes, and a node with both in its URL, the older one first."""
    with postgres.own_server() as older:
        node = Service(directory, "--key-file", str(directory / "keys"))
        node.database = postgres.new_database(older.url)
        name = node.database.rsplit("/", 1)[1]
        with running(node):
            Nodes([node]).sign_in()
        with postgres.own_server(primary=older) as newer:
            newer.promote()
            older.stop()
            node.database = f"postgresql://postgres@{older.place},{newer.place}/{name}"
            with running(node):
                older.start()
                yield older, newer, node, name


def connections(server: postgres.Server, query: str = CONNECTIONS) -> int:
    return int(postgres.execute(server.url, query))


def test_a_connection_that_is_lost_is_not_replaced_by_one_to_the_older_primary(tmp_path):
    """The newer one refuses new connections, and other connections of the node still have its answers."""
    with split(tmp_path) as (older, newer, node, name):
        nodes = Nodes([node])
        worker = Refresher(nodes)
        assert postgres.execute(older.url, "SELECT pg_is_in_recovery()") == "f"
        assert postgres.execute(newer.url, "SELECT pg_is_in_recovery()") == "f"
        before = connections(newer)
        assert before > 1 and connections(older) == 0
        postgres.execute(newer.url, f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        postgres.execute(newer.url, CONNECTIONS.replace("count(*)", "pg_terminate_backend(pid)") + " LIMIT 1")
        created = 0
        end = time.monotonic() + OBSERVED
        while time.monotonic() < end:
            # Writes keep all threads of the pool busy, also the one without a connection.
            worker.step()
            Management(node).expect(201, "POST", "/users", {"identifiers": [
                {"type": "email_address", "value": f"user-{created}@example.com"}]})
            created += 1
            assert connections(older, STAYING) == 0, "a thread uses the older primary"
        assert connections(newer) < before, "the lost connection could not be replaced"
        worker.check()
        postgres.execute(newer.url, f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        users = "SELECT count(*) FROM users"
        # One user signed in before the promotion, and is on both. The worker is on the newer one only.
        stored = [postgres.execute(re.sub(r"/[^/]*$", f"/{name}", server.url), users) for server in (newer, older)]
        assert stored == [str(created + 2), "1"]
        print(f"{created} users and {worker.steps} refreshes in {OBSERVED} s, all on the newer primary")


def test_the_older_primary_is_used_when_the_newer_one_is_lost_for_a_minute(tmp_path):
    """The manager of the servers has then decided for it. No thread uses both."""
    with split(tmp_path) as (older, newer, node, _):
        nodes = Nodes([node], patience=120)
        assert connections(newer) > 0
        newer.kill()
        killed = time.monotonic()
        health = Transport(node.url)
        wait_until(lambda: health.send("GET", "/readyz").status == 503, 60)
        # Attempts must not pause for long: a pause ends the minute.
        while nodes.sign_in() is None:
            assert time.monotonic() < killed + 150, nodes.failed[-1]
            time.sleep(0.5)
        waited = time.monotonic() - killed
        assert waited >= 59, "an older primary is not used before a minute has passed"
        assert connections(older) > 0
        print(f"the older primary was used after {waited:.0f} s")
