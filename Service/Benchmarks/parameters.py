#!/usr/bin/env python3
"""Measures what binary parameters and results would save: the CPU time of PostgreSQL and of libpq.

Usage: parameters.py URL [--executions 20000] [--rounds 7]

Runs one prepared statement with 16 parameters and 16 results, in turns as text and as binary values. Prints medians in
microseconds for each execution, and the difference for each value. It reads the CPU time of the server's process, so both
run on this machine. Needs Linux and libpq.
"""

import argparse
import ctypes
import ctypes.util
import os
import pathlib
import statistics
import time

COUNT = 16
pq = ctypes.CDLL(ctypes.util.find_library("pq"))
for name in ["PQconnectdb", "PQprepare", "PQexecPrepared"]:
    getattr(pq, name).restype = ctypes.c_void_p
pq.PQerrorMessage.restype = ctypes.c_char_p


def ran(result: int) -> None:
    """Ends with an error unless a command succeeded (1) or returned rows (2)."""
    assert pq.PQresultStatus(ctypes.c_void_p(result)) in (1, 2)
    pq.PQclear(ctypes.c_void_p(result))


def seconds(process: int) -> float:
    fields = pathlib.Path(f"/proc/{process}/schedstat").read_text().split()
    return int(fields[0]) / 1e9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--executions", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    connection = ctypes.c_void_p(pq.PQconnectdb(options.url.encode()))
    assert pq.PQstatus(connection) == 0, pq.PQerrorMessage(connection).decode()
    columns = ", ".join(f"${number}::bigint" for number in range(1, COUNT + 1))
    ran(pq.PQprepare(connection, b"s", f"SELECT {columns}".encode(), 0, None))
    backend = pq.PQbackendPID(connection)
    numbers = [1_800_000_000_000 + number for number in range(COUNT)]
    kinds = {}
    for name, values, code in [
        ("text", [str(number).encode() for number in numbers], 0),
        ("binary", [number.to_bytes(8, "big") for number in numbers], 1),
    ]:
        kinds[name] = (
            (ctypes.c_char_p * COUNT)(*values), (ctypes.c_int * COUNT)(*map(len, values)),
            (ctypes.c_int * COUNT)(*[code] * COUNT), code)
    server: dict[str, list[float]] = {name: [] for name in kinds}
    client: dict[str, list[float]] = {name: [] for name in kinds}
    for number in range(options.rounds):
        for name, (values, lengths, formats, code) in list(kinds.items())[::1 if number % 2 else -1]:
            begun, own = seconds(backend), time.process_time()
            for _ in range(options.executions):
                ran(pq.PQexecPrepared(connection, b"s", COUNT, values, lengths, formats, code))
            server[name].append((seconds(backend) - begun) / options.executions * 1e6)
            client[name].append((time.process_time() - own) / options.executions * 1e6)
    for side, times in [("server", server), ("client", client)]:
        text, binary = statistics.median(times["text"]), statistics.median(times["binary"])
        print(f"{side}: text {text:.2f} µs, binary {binary:.2f} µs, for each value {(text - binary) / COUNT:.3f} µs")


main()
