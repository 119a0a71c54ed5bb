#!/usr/bin/env python3
"""Compares forms of the table of used proofs, in SQLite alone.

Usage: proof_tables.py [--proofs 1000000] [--rounds 10] [--folder DIR]

Each round inserts 4000 proofs into each form, in turns, in commits of 1 and of 16, and then copies the log into the database.
Prints the medians of the CPU time and of the bytes that the process wrote, for each proof.
"""

import argparse
import pathlib
import random
import sqlite3
import statistics
import tempfile
import time

KEYED = "CREATE TABLE proofs (key INTEGER, app_id TEXT, expires_at INTEGER, PRIMARY KEY (key, app_id)) WITHOUT ROWID"
ORDERED = "CREATE TABLE proofs (sequence INTEGER PRIMARY KEY, key INTEGER, app_id TEXT, expires_at INTEGER)"
INSERT = "INSERT INTO proofs (key, app_id, expires_at) VALUES (?, 'abc1234', ?)"
UPSERT = INSERT + " ON CONFLICT (key, app_id) DO UPDATE SET expires_at = excluded.expires_at WHERE expires_at <= 0"
SELECT = "SELECT count(*) FROM proofs WHERE key = ? AND app_id = 'abc1234' AND expires_at > 0"
FORMS = {
    "by key": (KEYED, None, UPSERT, None),
    "by key, with an index by expiry": (KEYED, "CREATE INDEX expiry ON proofs (expires_at)", UPSERT, None),
    "by arrival, with an index by key": (ORDERED, "CREATE INDEX keys ON proofs (key)", INSERT, SELECT),
    "by arrival, found elsewhere": (ORDERED, None, INSERT, None),
}
INSERTED = 4000


class Form:
    def __init__(self, folder: str, name: str, proofs: int, chance: random.Random):
        table, index, self.insert, self.select = FORMS[name]
        self.chance, self.time = chance, 1
        self.database = sqlite3.connect(f"{folder}/{name}", isolation_level=None)
        for sql in ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL", "PRAGMA cache_size = -65536", table, "BEGIN"):
            self.database.execute(sql)
        rows = [(self.key(), number) for number in range(proofs)]
        self.database.executemany(INSERT, sorted(rows) if table == KEYED else rows)
        if index:
            self.database.execute(index)
        self.database.execute("COMMIT")
        self.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def key(self) -> int:
        return self.chance.getrandbits(64) - 2**63

    def round(self, size: int) -> tuple[float, float]:
        begin, written = time.process_time(), bytes_written()
        for _ in range(INSERTED // size):
            self.database.execute("BEGIN IMMEDIATE")
            for _ in range(size):
                key, self.time = self.key(), self.time + 1
                if self.select:
                    self.database.execute(self.select, (key,)).fetchone()
                self.database.execute(self.insert, (key, self.time))
            self.database.execute("COMMIT")
        self.database.execute("PRAGMA wal_checkpoint(PASSIVE)")
        return (time.process_time() - begin) / INSERTED * 1e6, (bytes_written() - written) / INSERTED / 1024


def bytes_written() -> int:
    lines = pathlib.Path("/proc/self/io").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("wchar"))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--proofs", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        chance = random.Random(1)
        forms = {name: Form(folder, name, options.proofs, chance) for name in FORMS}
        for size in (16, 1):
            rounds = [{name: form.round(size) for name, form in forms.items()} for _ in range(options.rounds)]
            print(f"{options.proofs} proofs, commits of {size}")
            for name in FORMS:
                cpu, written = (statistics.median(one[name][part] for one in rounds) for part in (0, 1))
                print(f"  {name:34} {cpu:6.1f} µs  {written:5.1f} KiB")


if __name__ == "__main__":
    main()
