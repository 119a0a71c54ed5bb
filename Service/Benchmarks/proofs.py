#!/usr/bin/env python3
"""Compares the cost of a refresh while the service remembers many used proofs with that beside few, in the same rounds.

Usage: proofs.py BINARY... [--proofs 1000000] [--few 1000] [--sessions 20000] [--rounds 5] [--refreshes 4000] [--folder DIR]

The service remembers each proof for 16 minutes, so 1040 refreshes per second leave a million. All databases have as many
sessions. Several programs are measured in the same rounds. Prints for each refresh the CPU time of the service and the
bytes that it writes to its files, and its resident memory at the end. The rest is as in sessions.py. Needs Linux.
"""

import argparse
import os
import pathlib
import secrets
import sqlite3
import statistics
import time

from sessions import Subject, core_of_services, service_module, subjects_in


class Remembering(Subject):
    """A service that has seen some proofs."""

    def __init__(self, folder: pathlib.Path, binary: pathlib.Path, proofs: int, sessions: int, core: int | None):
        self.proofs = proofs
        service_module.BINARY = binary
        super().__init__(folder, sessions, sessions, core)
        self.name = f"{binary.name}, {proofs} proofs"

    def fill(self) -> None:
        super().fill()
        database = sqlite3.connect(self.database)
        database.executescript("PRAGMA synchronous = OFF; PRAGMA cache_size = -500000")
        app = database.execute("SELECT app_id FROM sessions LIMIT 1").fetchone()[0]
        first, last = ((time.time() + seconds) * 1000 for seconds in (300, 600))
        database.executemany(
            "INSERT INTO proofs (key, app_id, expires_at) VALUES (?, ?, ?)",
            ((int.from_bytes(secrets.token_bytes(8), "big", signed=True), app,
              int(first + (last - first) * number / self.proofs)) for number in range(self.proofs)))
        database.commit()
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.close()
        os.sync()

    def written(self) -> int:
        """Returns the bytes that the processes have written to files."""
        return sum(
            int(line.split()[1]) for process in self.processes
            for line in pathlib.Path(f"/proc/{process}/io").read_text().splitlines() if line.startswith("write_bytes"))

    def measure(self, count: int) -> tuple[float, float, float]:
        before = self.written()
        rate, cpu = super().measure(count)
        return rate, cpu, (self.written() - before) / count / 1024

    @property
    def memory(self) -> float:
        """Resident memory in megabytes."""
        text = pathlib.Path(f"/proc/{self.processes[0]}/status").read_text()
        return int(text.partition("VmRSS:")[2].split()[0]) / 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=pathlib.Path, nargs="+")
    parser.add_argument("--proofs", type=int, default=1_000_000)
    parser.add_argument("--few", type=int, default=1000)
    parser.add_argument("--sessions", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--refreshes", type=int, default=4000, help="of each round and database")
    parser.add_argument("--folder", help="a folder on the disk that is measured")
    options = parser.parse_args()
    core = core_of_services()
    with subjects_in(options.folder) as (subjects, folder):
        for binary in options.binary:
            for size in (options.few, options.proofs):
                path = folder / str(len(subjects))
                subjects.append(Remembering(path, binary.resolve(), size, options.sessions, core))
                print(f"{subjects[-1].name}: started in {subjects[-1].start_seconds:.2f} s, "
                      f"{subjects[-1].memory:.0f} MB of memory", flush=True)
                subjects[-1].measure(options.refreshes)
        results = [[] for _ in subjects]
        for _ in range(options.rounds):
            for subject, found in zip(subjects, results):
                found.append(subject.measure(options.refreshes))
        for subject, found in zip(subjects, results):
            rate, cpu, written = (statistics.median(values) for values in zip(*found))
            print(f"{subject.name}: {subject.memory:.0f} MB, {rate:.0f}/s, {cpu:.0f} us of CPU and {written:.1f} KiB written each")


if __name__ == "__main__":
    main()
