"""Failover with Patroni under load. Run by scripts/test-failover, in namespaces of its own; not a test of the gate."""

import argparse
import contextlib
import dataclasses
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[4] / "Tests" / "ForeignJudge"))
import postgres  # noqa: E402
from failover_load import Load, Nodes, load_on, nodes_of  # noqa: E402
from patroni_cluster import PATIENCE, Cluster, Member, Programs  # noqa: E402

#: Seconds between two steps of a worker. The figures are about failover, not about a machine at its limit.
PAUSE = 0.1


class Fault:
    """What happens to a primary, and how it ends."""

    def __init__(self, cluster: Cluster, member: Member):
        self.cluster, self.member = cluster, member

    def begin(self) -> None:
        raise NotImplementedError

    def end(self) -> None:
        """Called when others accept writes again."""


class Crash(Fault):
    """PostgreSQL crashes (SIGKILL), Patroni runs on"""

    def begin(self) -> None:
        self.member.machine.kill("postgres")


class Kill(Fault):
    """all programs of the machine are killed"""

    def begin(self) -> None:
        self.member.machine.kill()

    def end(self) -> None:
        self.cluster.start(self.member)


class Freeze(Fault):
    """PostgreSQL and Patroni are stopped (SIGSTOP), and wake later; etcd runs on"""

    def begin(self) -> None:
        self.member.machine.freeze(but="etcd")

    def end(self) -> None:
        self.member.machine.thaw()


class Pause(Freeze):
    """the whole machine is stopped, with the leader of etcd, and wakes later"""

    def begin(self) -> None:
        self.cluster.lead_etcd(self.member)
        self.member.machine.freeze()


class CutOff(Fault):
    """cut off from etcd and replicas, not from nodes"""

    def begin(self) -> None:
        self.member.machine.unplug(self.cluster.lan)

    def end(self) -> None:
        self.member.machine.plug(self.cluster.lan)


class Disappear(Fault):
    """the machine loses all its networks"""

    def begin(self) -> None:
        self.member.machine.unplug(self.cluster.lan)
        self.member.machine.unplug(self.cluster.front)

    def end(self) -> None:
        self.member.machine.plug(self.cluster.front)
        self.member.machine.plug(self.cluster.lan)


class SwitchOver(Fault):
    """patronictl switchover"""

    def begin(self) -> None:
        self.cluster.switch_over(self.member)


FAULTS = {
    "crash": Crash, "kill": Kill, "freeze": Freeze, "pause": Pause, "cut-off": CutOff, "disappear": Disappear,
    "switchover": SwitchOver,
}


@dataclasses.dataclass
class Result:
    name: str
    #: The longest time without an answered write.
    seconds: float
    failed: int
    answered: int
    problems: list[str]

    @property
    def signed_out(self) -> int:
        return sum("signed out" in problem for problem in self.problems)

    @property
    def lost(self) -> int:
        return sum("is lost" in problem for problem in self.problems)


@contextlib.contextmanager
def noting(problems: list[str]):
    try:
        yield
    except AssertionError as error:
        problems.append(str(error))


def recovered(cluster: Cluster, nodes: Nodes) -> int:
    """Returns how many devices have had a refresh token that the database did not know: the answered rotation is lost."""
    cluster.await_health()
    return int(postgres.execute(
        f"{nodes.nodes[0].database}?target_session_attrs=read-write",
        "SELECT count(*) FROM events WHERE name = 'session.recovered'"))


def run(cluster: Cluster, nodes: Nodes, name: str) -> Result:
    """Breaks the primary under load, waits until writes are answered, repairs it, and checks all that was answered."""
    problems: list[str] = []
    leader, before = cluster.await_health(), recovered(cluster, nodes)
    fault = FAULTS[name](cluster, leader)
    load = load_on(nodes, PAUSE)
    answered, failed = len(nodes.answered), len(nodes.failed)
    with noting(problems), load.running():
        load.until_all_did(3, PATIENCE)
        began = time.monotonic()
        fault.begin()
        load.until_all_did(3, PATIENCE)
        fault.end()
        cluster.await_health()
        load.until_all_did(3, PATIENCE)
    moments = sorted([began, *(moment for moment in nodes.answered[answered:] if moment > began)])
    seconds = max(later - earlier for earlier, later in zip(moments, moments[1:]))
    result = Result(name, seconds, len(nodes.failed) - failed, len(nodes.answered) - answered, problems)
    for worker in load.workers:
        with noting(problems):
            worker.check()
    problems += ["an answered rotation is lost"] * (recovered(cluster, nodes) - before)
    reasons = sorted({reason for _, reason in nodes.failed[failed:]})
    print(f"{name}: {leader.name} was the primary, {cluster.await_health().name} is. {seconds:.1f} s without writes, "
          f"{result.failed} failed: {reasons}. Problems: {problems}", flush=True)
    return result


def table(results: list[Result]) -> str:
    lines = ["| what happens to the primary | runs | seconds without writes | failed of all requests | answered writes lost "
             "| devices signed out |", "| --- | --- | --- | --- | --- | --- |"]
    for name, fault in FAULTS.items():
        if not (found := [result for result in results if result.name == name]):
            continue
        seconds = sorted(result.seconds for result in found)
        shares = ", ".join(f"{result.failed} of {result.failed + result.answered}" for result in found)
        lines.append(
            f"| {fault.__doc__} | {len(found)} | {seconds[0]:.1f} to {seconds[-1]:.1f} | {shares} "
            f"| {sum(result.lost for result in found)} | {sum(result.signed_out for result in found)} |")
    return "\n".join(lines)


def positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("must be a whole number above 0")
    return int(text)


def time_to_live(text: str) -> int:
    if not text.isdecimal() or int(text) < 20:
        raise argparse.ArgumentTypeError("must be a whole number of seconds, 20 or more")
    return int(text)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/test-failover", description=__doc__)
    parser.add_argument("--runs", type=positive, default=1, help="how often each fault happens (1)")
    parser.add_argument("--ttl", type=time_to_live, default=30, help="ttl of Patroni in seconds (30); loop_wait and "
                        "retry_timeout are a third of it")
    parser.add_argument("--etcd", choices=["v2", "v3"], default="v2", help="the interface of etcd that Patroni uses (v2)")
    parser.add_argument("--fault", choices=FAULTS, action="append", help="only this one; can be repeated")
    parser.add_argument("--folder", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    for name in ("--etcd-program", "--patroni-packages", "--postgres-programs"):
        parser.add_argument(name, type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> int:
    options = arguments()
    results: list[Result] = []
    with contextlib.ExitStack() as stack:
        programs = Programs(options.etcd_program, options.patroni_packages, options.postgres_programs)
        cluster = Cluster(options.folder, programs, options.ttl, options.etcd)
        stack.callback(cluster.delete)
        (options.folder / "nodes").mkdir()
        leader = cluster.await_health()
        nodes = Nodes(
            stack.enter_context(nodes_of(options.folder / "nodes", leader, places=cluster.places)), timeout=30,
            patience=PATIENCE)
        for number in range(options.runs):
            for name in options.fault or FAULTS:
                results.append(run(cluster, nodes, name))
    print(table(results))
    return 1 if any(result.problems for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
