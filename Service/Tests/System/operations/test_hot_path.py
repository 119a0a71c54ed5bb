"""Tests that a refresh with a proof, and a login with a code, do not cost more calls than now. No limit is a time.

The counts are those of the debug program over real HTTP, on one connection. To change a budget on purpose, change it
here and say why in the commit. `Service/Tests/SessionSQLiteTests/HotPathTests.swift` has the statements themselves, in their order.
"""

import pytest

from refresh_costs import (
    CountedLogins, CountedService, GroundService, TracedService, needs_callgrind, needs_counters, needs_strace)
from service import running

#: Per refresh. Half a call more fails: these numbers do not vary.
EXACT = {
    "SQL statements": 7,
    # All statements are prepared once.
    "SQL preparations": 0,
    "syncs of the disk": 1,
}
#: Per login of a new user with a code: the transactions of the start, of the message's result, of the check and of the
#: session. The test looks into the mailbox, which begins and ends a read.
LOGIN = {"SQL statements": 55, "SQL preparations": 2, "syncs of the disk": 4}
#: Calls that allocate memory. One part in twelve more is accepted, because versions of Swift and Foundation differ.
ALLOCATIONS, ALLOCATION_SLACK = 2913, 2913 / 12
#: System calls on files and for randomness, per refresh. Half a call more fails.
SYSTEM_CALLS = {
    "fdatasync": 1, "pwrite64": 6, "pread64": 2, "fcntl": 6, "newfstatat": 3, "getrandom": 2, "writev": 1,
}
#: Calls that wait, wake or use sockets: 12 on an idle machine, up to 17 on a busy one. Only their sum has a
#: budget, and a loose one.
WAITING = {"read", "write", "epoll_wait", "epoll_pwait", "epoll_ctl", "timerfd_settime"}
WAITS, WAITS_SLACK = 17, 4
#: Instructions of the debug program, whose cryptography is compiled without optimization, too. One part in twelve more is
#: accepted, as for allocations. callgrind shows the program a simple processor, so processors differ little.
INSTRUCTIONS, INSTRUCTION_SLACK = 9_400_000, 9_400_000 / 12
#: Depends on how threads meet: 4 to 15 per refresh. Has no budget.
IGNORED = {"futex"}


def compare(costs: dict[str, float], budgets: dict[str, float], slack: float = 0.5) -> list[str]:
    """Returns a line for each cost that has grown: its name, its count now, and its budget."""
    return [
        f"{name}: {costs.get(name, 0):g}, budget {budget:g} (fails above {budget + slack:g})"
        for name, budget in budgets.items() if costs.get(name, 0) > budget + slack]


def check(grown: list[str], what: str = "refresh") -> None:
    assert not grown, f"a {what} costs more than its budget in Service/Tests/System/operations/test_hot_path.py:\n" + "\n".join(grown)


@pytest.fixture(scope="module")
def counted(tmp_path_factory):
    with running(CountedService(tmp_path_factory.mktemp("counted"))) as service:
        return service.costs()


@pytest.fixture(scope="module")
def traced(tmp_path_factory):
    with running(TracedService(tmp_path_factory.mktemp("traced"))) as service:
        return service.costs()


@needs_counters
def test_a_refresh_runs_no_more_statements_and_syncs(counted):
    assert counted["syncs of the disk"] > 0, "a refresh is durable before its response"
    check(compare(counted, EXACT))


@needs_counters
def test_a_login_runs_no_more_statements_and_syncs(tmp_path):
    with running(CountedLogins(tmp_path)) as service:
        counted = service.costs()
    assert counted["syncs of the disk"] > 0, "each response of a login is durable"
    check(compare(counted, LOGIN), "login")


@needs_counters
def test_a_refresh_allocates_no_more_memory(counted):
    assert counted["allocations"] > ALLOCATIONS / 4, "the library counts"
    check(compare(counted, {"allocations": ALLOCATIONS}, ALLOCATION_SLACK))


@needs_strace
def test_a_refresh_makes_no_more_system_calls(traced):
    if not traced:
        pytest.skip("strace may not trace here")
    assert traced["fdatasync"] > 0, "a refresh is durable before its response"
    waits = {"calls that wait or wake": sum(count for name, count in traced.items() if name in WAITING)}
    others = {name: 0 for name in traced if name not in WAITING | IGNORED | SYSTEM_CALLS.keys()}
    check(compare(traced, SYSTEM_CALLS | others) + compare(waits, {"calls that wait or wake": WAITS}, WAITS_SLACK))


@needs_callgrind
def test_a_refresh_runs_no_more_instructions(tmp_path):
    with running(GroundService(tmp_path)) as service:
        instructions = service.costs()
    assert instructions > INSTRUCTIONS / 4, "callgrind counts"
    check(compare({"instructions": instructions}, {"instructions": INSTRUCTIONS}, INSTRUCTION_SLACK))
