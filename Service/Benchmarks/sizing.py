#!/usr/bin/env python3
"""Measures what a machine needs for a number of users: bytes on disk, memory, refreshes and logins of one core.

Usage: sizing.py BINARY [--users 1000 100000] [--events 1] [--stores sqlite postgres] [--rounds 5] [--folder DIR]

Fills a database of each size in each store: users with a mail address, a session, and some events each. Then, in the same
rounds: refreshes of sessions all over each database over 16 connections, and the bound: a server that only checks one signature
and makes one, with the same requests. The service and the bound run on the first core, one at a time, the generator on the last
one, and PostgreSQL anywhere. "Of one core" is a second divided by the CPU time of the service. Last, `service-benchmark`
measures logins, and the bound again, on a small embedded database. Needs Linux, the release programs `prelude-session` and
`service-benchmark` in one folder, the Python of scripts/bootstrap, and a machine that does nothing else.
"""

import argparse
import pathlib
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable

from sessions import PATH, Subject, core_of_services, cpu, send_all, service_module, subjects_in
from stores import PostgresSubject, Server


class Bound:
    """A server with the two signatures of a refresh and nothing else."""

    name = "bound"

    def __init__(self, program: pathlib.Path, core: int | None):
        self.port = service_module.free_port()
        wrapper = [] if core is None else ["taskset", "-c", str(core)]
        self.process = subprocess.Popen(
            [*wrapper, program, "bound", "--port", str(self.port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.request = (
            f"POST {PATH} HTTP/1.1\r\nHost: localhost:{self.port}\r\nContent-Type: application/json\r\nContent-Length: 0\r\n"
            f"X-Refresh-Token: {'x' * 90}\r\nDPoP: {'x' * 560}\r\n\r\n").encode()
        while True:
            try:
                send_all([self.port], [self.request])
                return
            except ConnectionRefusedError:
                if self.process.poll() is not None:
                    raise SystemExit(f"{program} ended with {self.process.returncode}. Build it first") from None
                time.sleep(0.05)

    def cpu(self) -> float:
        return cpu(self.process.pid)

    def refresh(self, count: int) -> None:
        send_all([self.port], [self.request] * count)


def measure(measured: "Subject | Bound", count: int, run: Callable[[], None]) -> tuple[float, float, float]:
    """Returns operations per second, and microseconds of CPU of the server and of PostgreSQL for each."""
    def used() -> tuple[float, float]:
        return measured.cpu(), PostgresSubject.server.cpu() if isinstance(measured, PostgresSubject) else 0.0
    before, begin = used(), time.monotonic()
    run()
    seconds, after = time.monotonic() - begin, used()
    return count / seconds, *((end - start) / count * 1e6 for start, end in zip(before, after))


def fill(options, core: int | None, folder: pathlib.Path, subjects: list[Subject]) -> None:
    print(f"{'database':<28}{'GB':>7}{'user':>6}{'identifier':>11}{'session':>8}{'event':>6}   bytes of a row with its indexes")
    for store in options.stores:
        for size in options.users:
            kind, begin = PostgresSubject if store == "postgres" else Subject, time.monotonic()
            subjects.append(kind(folder / f"{store}-{size}", size, options.prepared, core, options.events))
            subject = subjects[-1]
            rows = subject.bytes_of_rows
            print(f"{subject.name:<28}{subject.megabytes / 1000:>7.2f}{rows['users']:>6.0f}{rows['identifiers']:>11.0f}"
                  f"{rows['sessions']:>8.0f}{rows.get('events', 0):>6.0f}   filled in {time.monotonic() - begin:.0f} s, "
                  f"starts in {subject.start_seconds:.1f} s with {subject.memory[0]:.0f} MB", flush=True)


def run_rounds(options, subjects: list[Subject], bound: Bound) -> dict[str, list[tuple[float, float, float]]]:
    results: dict[str, list[tuple[float, float, float]]] = {}
    for subject in subjects:
        # Statements are prepared, and the first pages are read.
        subject.measure(min(options.prepared, subject.size))
    count = options.refreshes
    for number in range(options.rounds):
        results.setdefault(bound.name, []).append(measure(bound, count, lambda: bound.refresh(count)))
        # Which database is first changes, because the state of a machine does.
        for subject in subjects[::-1 if number % 2 else 1]:
            requests = subject.requests(count)
            results.setdefault(subject.name, []).append(
                measure(subject, count, lambda: send_all(subject.ports, requests)))
    return results


def report(results, subjects: list[Subject]) -> None:
    print(f"\n{'a refresh':<28}{'of one core':>12}{'CPU us':>8}{'PostgreSQL us':>15}   CPU of the bound")
    for name, found in results.items():
        _, own, database = (statistics.median(values) for values in zip(*found))
        shares = [most[1] / each[1] for each, most in zip(found, results["bound"])]
        print(f"{name:<28}{1e6 / own:>12.0f}{own:>8.0f}{database:>15.0f}   "
              f"{statistics.median(shares):.2f} ({min(shares):.2f} to {max(shares):.2f}) of it")
    print()
    for subject in subjects:
        resident, own = subject.memory
        print(f"{subject.name}: {resident:.0f} MB resident at the end, {own:.0f} MB without pages of files")


def measure_logins(options, folder: pathlib.Path) -> None:
    """Prints the lines of `service-benchmark` that concern logins, and those of the refresh and the bound beside them."""
    program = service_module.BINARY.parent / "service-benchmark"
    done = subprocess.run(
        [program, "run", "--service", service_module.BINARY, "--folder", folder, "--rounds", str(options.rounds), "--seconds",
         str(options.seconds)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    print("\nof one core, as service-benchmark measures it:")
    wanted = ("scenario", "bound ", "refresh  ", "otp login, gateway", "password login", "in process: argon2id")
    for line in done.stdout.splitlines():
        if line.startswith(wanted) and " 64  " not in line and " 1  " not in line:
            print(line)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("--users", type=int, nargs="+", default=[1000, 100_000])
    parser.add_argument("--events", type=int, default=1, help="of each user")
    parser.add_argument("--stores", nargs="+", choices=["sqlite", "postgres"], default=["sqlite", "postgres"])
    parser.add_argument("--prepared", type=int, default=4000, help="sessions of each database that are refreshed, in turns")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--refreshes", type=int, default=4000, help="of each round and database")
    parser.add_argument("--seconds", type=float, default=3, help="of each phase of service-benchmark")
    parser.add_argument("--folder", help="a folder on the disk that is measured; that of PostgreSQL is in the temporary folder")
    options = parser.parse_args()
    service_module.BINARY = options.binary.resolve()
    if "postgres" in options.stores:
        # Not in a folder that other users cannot enter.
        PostgresSubject.server = Server(pathlib.Path(tempfile.mkdtemp(prefix="sizing-")))
    bound = None
    try:
        # After the start of PostgreSQL, which may use both cores.
        core = core_of_services()
        bound = Bound(service_module.BINARY.parent / "service-benchmark", core)
        with subjects_in(options.folder) as (subjects, folder):
            fill(options, core, folder, subjects)
            report(run_rounds(options, subjects, bound), subjects)
            for subject in subjects:
                subject.service.stop()
            measure_logins(options, folder)
    finally:
        if bound:
            bound.process.terminate()
            bound.process.wait()
        if "postgres" in options.stores:
            PostgresSubject.server.delete()


if __name__ == "__main__":
    main()
