"""Nodes that reach PostgreSQL through PgBouncer."""

import pytest

import postgres
from commands import copied
from failover_load import Nodes, load_on, nodes_of
from person import Person
from pooler import needs_pgbouncer, pooler
from service import Service, running

pytestmark = needs_pgbouncer


@pytest.fixture(scope="module")
def server():
    with postgres.own_server() as server:
        yield server


@pytest.mark.parametrize("mode, size", [("transaction", 3), ("session", 40)])
def test_nodes_work_through_a_pooler(server, tmp_path, mode, size):
    with pooler(server, mode, size) as pool, nodes_of(tmp_path, server, places=pool.place, count=2) as processes:
        nodes = Nodes(processes)
        with load_on(nodes).running() as load:
            load.until_all_did(3)
            server.restart("fast")
            load.until_all_did(3)
        load.check()
        settings = ["lock_timeout", "statement_timeout", "plan_cache_mode"]
        asked = ", ".join(f"current_setting('{name}')" for name in settings)
        database = processes[0].database.replace("?", "?application_name=psql&")
        assert postgres.rows(database, f"SELECT {asked}") == [(0, 0, "auto")], "nothing is left for the next transaction"
        assert postgres.rows(database, "SELECT count(*) FROM pg_prepared_statements") == [(0,)]
        assert postgres.rows(database, "SELECT count(*) FROM pg_listening_channels()") == [(0,)]
        assert "ERROR" not in "".join(node.log() for node in processes)


def test_an_import_through_a_pooler_leaves_no_setting(server, tmp_path):
    service = Service(tmp_path)
    service.database = f"sqlite:{tmp_path}/session.sqlite"
    with running(service):
        Person.signed_in(service)
        service.stop()
    database = postgres.new_database(server.url)
    name = database.rsplit("/", 1)[1]
    settings = ["lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout"]
    for setting in settings:
        postgres.execute(database, f"ALTER DATABASE {name} SET {setting} = '77s'")
    # With one connection to the server, each client gets that of the import.
    with pooler(server, "transaction", 1) as pool:
        pooled = f"postgresql://postgres@{pool.place}/{name}"
        assert "they have the same rows" in copied(service.database, pooled)
        asked = ", ".join(f"current_setting('{setting}')" for setting in settings)
        assert postgres.execute(f"{pooled}?application_name=psql", f"SELECT {asked}") == "77s|77s|77s"
        assert "they have the same rows" in copied(pooled, f"sqlite:{tmp_path}/back.sqlite")


def test_a_pooler_that_keeps_no_connection_for_a_transaction_is_refused(server, tmp_path):
    with pooler(server, "statement", 3) as pool:
        with pytest.raises(RuntimeError, match="must keep a connection for a transaction, or for a session"):
            with nodes_of(tmp_path, server, places=pool.place, count=1):
                pass
