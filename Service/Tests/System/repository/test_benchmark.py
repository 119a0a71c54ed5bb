"""Tests that the benchmark of the service measures every scenario without an error. No test looks at the times."""

import pathlib
import re
import subprocess
import sys
import tempfile

import pytest

from service import BINARY, ROOT

PROGRAM = BINARY.parent / "service-benchmark"

#: Name, connections and pace of each line of the table.
PHASES = [
    ("bound", 16, "closed"), ("refresh", 16, "closed"), ("bound", 64, "closed"), ("refresh", 64, "closed"),
    ("bound", 1, "closed"), ("refresh", 1, "closed"), ("refresh", 64, "open"), ("otp login, gateway", 16, "closed"),
    ("otp login, webhook", 16, "closed"),
    ("list sessions", 16, "closed"), ("step-up", 64, "closed"), ("verify only", 16, "closed"),
    ("mixed 10:1", 16, "closed"), ("password login", 16, "closed"), ("refresh alone", 64, "open"),
    ("refresh + passwords", 80, "open"),
]

#: A thread that ends takes its switches of context with it, so a line can have less than none of them.
LINE = re.compile(r"^(?P<name>[a-z].{0,19}?) +(?P<connections>\d+)  (?P<pace>closed|open \d+) +(?P<numbers>[\d. -]+)  (?P<errors>\S+)$")


@pytest.fixture(scope="module")
def output(tmp_path_factory):
    folder = tmp_path_factory.mktemp("benchmark")
    done = subprocess.run(
        [PROGRAM, "run", "--service", BINARY, "--rounds", "1", "--seconds", "0.3", "--unpinned", "--folder", folder],
        capture_output=True, text=True, timeout=150)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not list(folder.iterdir()), "the databases are removed"
    assert not processes(str(folder)), "the servers are stopped"
    return done


def processes(text: str) -> list[str]:
    """Returns the command lines of running processes that contain a text."""
    found = []
    for file in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = file.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if text in line:
            found.append(line)
    return found


def table(output) -> list[re.Match]:
    lines = output.stdout.splitlines()
    heading = next(index for index, line in enumerate(lines) if line.startswith("scenario"))
    rows = lines[heading + 1:lines.index("", heading)]
    return [match if (match := LINE.match(row)) else pytest.fail(f"no line of the table: {row}") for row in rows]


def test_every_scenario_is_measured_without_an_error(output):
    rows = table(output)
    assert [(row["name"], int(row["connections"]), row["pace"].split()[0]) for row in rows] == PHASES
    assert {row["errors"] for row in rows} == {"none"}, output.stdout + output.stderr
    assert not output.stderr


def test_each_line_has_a_rate_ordered_latencies_and_what_the_server_has_used(output):
    for row in table(output):
        rate, p50, p90, p99, p999, most, _, _, voluntary, _, generator, resident = map(float, row["numbers"].split())
        assert rate > 0 and 0 < p50 <= p90 <= p99 <= p999 <= most, row[0]
        assert voluntary > 0 and generator > 0 and resident > 1, row[0]


def test_the_last_line_compares_with_the_bound(output):
    last = output.stdout.splitlines()[-1]
    assert re.fullmatch(r"refresh \d+\.\d\d of the bound, p99/p50 \d+\.\d at half load", last)
    for name in ("in process: domain", "in process: router", "in process: argon2id", "otp login, gateway / refresh",
                 "otp login, webhook / refresh", "mixed 10:1, refresh", "refresh + passwords, password login",
                 "p99 of refreshes, beside password logins / alone", "password login beside refreshes / argon2id"):
        assert name in output.stdout


def test_a_service_that_does_not_start_is_reported_and_nothing_stays(tmp_path):
    done = subprocess.run(
        [PROGRAM, "run", "--service", "/bin/false", "--rounds", "1", "--seconds", "0.1", "--unpinned", "--folder", tmp_path],
        capture_output=True, text=True, timeout=60)
    assert done.returncode != 0 and "the service has ended with 1" in done.stderr, done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform != "linux", reason="the CPU time of a process is read from /proc")
def test_a_missing_program_ends_the_measurement_and_leaves_no_server(tmp_path):
    def servers() -> set[pathlib.Path]:
        return set(pathlib.Path(tempfile.gettempdir()).glob("sizing-*"))
    before = servers()
    done = subprocess.run(
        [sys.executable, "-B", ROOT / "Service" / "Benchmarks" / "sizing.py", tmp_path / "prelude-session", "--users", "200"],
        capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and done.stdout == "" and "Build it first" in done.stderr, done.stdout + done.stderr
    assert servers() <= before


@pytest.mark.skipif(sys.platform != "linux", reason="the CPU time of a process is read from /proc")
def test_the_size_of_a_machine_is_measured_on_both_stores_and_beside_the_bound(tmp_path):
    done = subprocess.run(
        [sys.executable, "-B", ROOT / "Service" / "Benchmarks" / "sizing.py", BINARY, "--users", "200", "2000",
         "--rounds", "1", "--refreshes", "100", "--seconds", "0.1", "--folder", tmp_path],
        capture_output=True, text=True, timeout=150)
    assert done.returncode == 0, done.stdout + done.stderr
    databases = [f"{store}, {size} users" for store in ("sqlite", "postgres") for size in (200, 2000)]
    lines = done.stdout.splitlines()
    for name in databases:
        [sizes, cost, memory] = [line.removeprefix(name) for line in lines if line.startswith(name)]
        _, *rows = re.match(r" +(\d+\.\d\d)" + r" +(\d+)" * 4 + " ", sizes).groups()
        assert all(10 < int(size) < 2000 for size in rows), sizes
        assert re.match(r"( +\d+){3}   \d\.\d\d \(\d\.\d\d to \d\.\d\d\) of it$", cost), cost
        assert re.match(r": \d+ MB resident", memory)
    for name in ("bound  ", "otp login, gateway  ", "password login  ", "in process: argon2id"):
        assert any(line.startswith(name) for line in lines), done.stdout
    assert not list(tmp_path.iterdir()), "the databases are removed"
    assert not processes(str(tmp_path)), "the services are stopped"


@pytest.mark.skipif(sys.platform != "linux", reason="the CPU time of a process is read from /proc")
def test_refreshes_beside_few_and_many_used_proofs_are_compared(tmp_path):
    done = subprocess.run(
        [sys.executable, "-B", ROOT / "Service" / "Benchmarks" / "proofs.py", BINARY, "--proofs", "2000", "--few", "200",
         "--sessions", "500", "--rounds", "1", "--refreshes", "100", "--folder", tmp_path],
        capture_output=True, text=True, timeout=150)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()[-2:]
    assert [re.fullmatch(
        r"prelude-session, (\d+) proofs: \d+ MB, \d+/s, \d+ us of CPU and (\d+)\.\d KiB written each", line)[1]
        for line in lines] == ["200", "2000"], done.stdout
    assert not list(tmp_path.iterdir()), "the databases are removed"
    assert not processes(str(tmp_path)), "the services are stopped"
