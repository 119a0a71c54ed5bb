"""Three machines as operators run them, each with etcd, Patroni and PostgreSQL. Nodes reach them by another network."""

import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import urllib.error
import urllib.request

import postgres
from machines import Lan, Machine
from waiting import wait_until

USER = "postgres"
#: Seconds for which a cluster may take for anything, on a machine that is busy.
PATIENCE = 300


@dataclasses.dataclass
class Programs:
    etcd: pathlib.Path
    #: The folder of the Python packages of Patroni.
    patroni: pathlib.Path
    #: The folder of the programs of PostgreSQL.
    postgres: pathlib.Path


class Member:
    def __init__(self, folder: pathlib.Path, number: int, lans: list[Lan]):
        self.name = f"db{number}"
        self.folder = folder / self.name
        self.folder.mkdir()
        shutil.chown(self.folder, USER)
        self.machine = Machine(self.name, 10 + number, *lans)
        #: What the other machines call, and what the nodes call.
        self.inner, self.place = self.machine.addresses["cluster"], f"{self.machine.addresses['front']}:5432"

    @property
    def url(self) -> str:
        return f"postgresql://postgres@{self.place}/postgres"


class Cluster:
    def __init__(self, folder: pathlib.Path, programs: Programs, ttl: int, interface: str):
        """`ttl` is that of Patroni in seconds, and `interface` what it uses of etcd: v2 or v3."""
        self._programs, self._ttl = programs, ttl
        self._section = {"v2": "etcd", "v3": "etcd3"}[interface]
        self._variables = {"PYTHONPATH": str(programs.patroni), "LC_ALL": "C.UTF-8"}
        self.lan, front = Lan("cluster", "10.98.0"), Lan("front", "10.99.0")
        self.front = front
        self.members = [Member(folder, number, [self.lan, front]) for number in (1, 2, 3)]
        for member in self.members:
            self._start_etcd(member)
        for member in self.members:
            self._start_patroni(member)
            # The first one creates the data that the others copy.
            wait_until(lambda: self.states().get(member.name) in ("running", "streaming"), PATIENCE)
        self.await_health()

    @property
    def places(self) -> str:
        return ",".join(member.place for member in self.members)

    def start(self, member: Member) -> None:
        """Starts all programs of the machine."""
        self._start_etcd(member)
        self._start_patroni(member)

    def _start_etcd(self, member: Member) -> None:
        member.machine.start([self._programs.etcd, *self._flags(member)], member.folder / "etcd.log", USER)

    def _start_patroni(self, member: Member) -> None:
        """Starts Patroni, which starts PostgreSQL."""
        settings = member.folder / "patroni.json"
        settings.write_text(json.dumps(self._settings(member)))
        member.machine.start(
            ["/usr/bin/python3", "-m", "patroni", settings], member.folder / "patroni.log", USER,
            self._variables)

    def _flags(self, member: Member) -> list[str]:
        peers = ",".join(f"{one.name}=http://{one.inner}:2380" for one in self.members)
        return [
            f"--name={member.name}", f"--data-dir={member.folder / 'etcd'}", f"--initial-cluster={peers}",
            f"--listen-peer-urls=http://{member.inner}:2380", f"--initial-advertise-peer-urls=http://{member.inner}:2380",
            f"--listen-client-urls=http://{member.inner}:2379", f"--advertise-client-urls=http://{member.inner}:2379",
            # A busy machine answers late. These are the values for a slow network.
            "--heartbeat-interval=500", "--election-timeout=5000", "--enable-v2", "--logger=zap", "--log-level=warn",
        ]

    def _settings(self, member: Member) -> dict:
        step = self._ttl // 3
        users = {name: {"username": name, "password": "secret"} for name in ("superuser", "replication", "rewind")}
        users["superuser"]["username"] = USER
        return {
            "scope": "prelude", "name": member.name,
            "restapi": {"listen": f"{member.inner}:8008", "connect_address": f"{member.inner}:8008"},
            self._section: {"hosts": [f"{one.inner}:2379" for one in self.members]},
            "bootstrap": {
                "dcs": {
                    "ttl": self._ttl, "loop_wait": step, "retry_timeout": step,
                    "synchronous_mode": True, "synchronous_mode_strict": True,
                    "postgresql": {
                        "use_pg_rewind": True, "use_slots": True,
                        "parameters": {"max_connections": 100, "dynamic_shared_memory_type": "mmap"},
                    },
                },
                "initdb": ["no-sync", {"encoding": "UTF8"}, {"locale": "C"}],
            },
            "postgresql": {
                "listen": "0.0.0.0:5432", "connect_address": f"{member.inner}:5432", "bin_dir": str(self._programs.postgres),
                "data_dir": str(member.folder / "data"), "pgpass": str(member.folder / "pgpass"),
                "authentication": users, "parameters": {"unix_socket_directories": ""},
                "pg_hba": ["host all all all trust", "host replication all all trust"],
            },
        }

    def _status(self) -> list[dict]:
        """Returns what Patroni says of the members, from the first one that answers and knows the most."""
        found: list[list[dict]] = []
        for member in self.members:
            try:
                with urllib.request.urlopen(f"http://{member.inner}:8008/cluster", timeout=2) as answer:
                    found.append(json.load(answer)["members"])
            except (urllib.error.URLError, OSError, ValueError):
                continue
        return max(found, key=len, default=[])

    def states(self) -> dict[str, str]:
        return {member["name"]: member["state"] for member in self._status()}

    def leader(self) -> Member | None:
        """Returns the member that accepts writes now."""
        for member in self.members:
            command = ["psql", "--no-psqlrc", "-tAc", "SELECT pg_is_in_recovery()", f"{member.url}?connect_timeout=2"]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=5)
            except subprocess.TimeoutExpired:
                continue
            if done.stdout.strip() == "f":
                return member
        return None

    def is_healthy(self) -> bool:
        """Whether all members follow one leader, and one of them synchronously."""
        status = self._status()
        roles = sorted(member["role"] for member in status if member["state"] in ("running", "streaming"))
        if roles != ["leader", "replica", "sync_standby"] or (leader := self.leader()) is None:
            return False
        states = postgres.execute(leader.url, "SELECT state || ' ' || sync_state FROM pg_stat_replication ORDER BY 1")
        return states.splitlines() == ["streaming async", "streaming sync"]

    def await_health(self) -> Member:
        """Waits until all members follow one leader, and returns it."""
        wait_until(self.is_healthy, PATIENCE)
        leader = self.leader()
        assert leader is not None
        return leader

    def _ask_etcd(self, member: Member, call: str, body: dict | None = None) -> dict:
        request = urllib.request.Request(
            f"http://{member.inner}:2379/v3/maintenance/{call}", json.dumps(body or {}).encode(), method="POST")
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def lead_etcd(self, member: Member) -> None:
        """Makes the etcd of this machine the leader of etcd."""
        ids = {self._ask_etcd(one, "status")["header"]["member_id"]: one for one in self.members}
        [target] = [id for id, one in ids.items() if one is member]
        leader = ids[self._ask_etcd(member, "status")["leader"]]
        if leader is not member:
            self._ask_etcd(leader, "transfer-leadership", {"targetID": target})

    def switch_over(self, leader: Member) -> None:
        settings = leader.folder / "patroni.json"
        subprocess.run(
            ["/usr/bin/python3", "-c", "from patroni.ctl import ctl; ctl()", "--config-file", settings, "switchover",
             "--primary", leader.name, "--force"],
            env={**os.environ, **self._variables}, stdout=subprocess.DEVNULL, check=True, timeout=PATIENCE)

    def delete(self) -> None:
        for member in self.members:
            member.machine.delete()
