#!/usr/bin/env python3
"""Measures the health checks and the memory of a running service under load, on this machine.

Usage: load.py BINARY health|idle|burst [--seconds 15] [--connections N]

health: 400 clients refresh and 100 sign in with passwords, without a pause. Three probes ask /livez, /readyz and /health
        twenty times a second each, on new connections. Prints the times in milliseconds.
idle:   opens 10 000 connections, each with one answered request, and prints VmRSS before and meanwhile.
burst:  sends 6 000 refreshes at once, each on its own connection, and prints VmRSS before, the maximum, and afterwards.
"""

import argparse
import asyncio
import collections
import os
import pathlib
import random
import resource
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Service" / "Tests" / "System" / "support"), str(ROOT / "Tests" / "ForeignJudge")]
import service as service_module  # noqa: E402
from person import Person  # noqa: E402

PASSWORD = "correct horse battery"


def rss(pid: int) -> float:
    """Returns VmRSS in MiB."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0


def refresh_request(person: Person) -> bytes:
    path, attempt = "/v1/session/refresh", person.device.attempt(person.refresh_token)
    proof = person.device.proof("POST", path, attempt=attempt)
    return (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 0\r\n"
        f"DPoP: {proof}\r\nX-Refresh-Token: {person.refresh_token}\r\n\r\n").encode()


def password_request(email: str) -> bytes:
    body = f'{{"identifier":"{email}","password":"{PASSWORD}"}}'
    return (
        "POST /v1/session/login/email/password HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n{body}").encode()


async def answer(reader) -> tuple[int, dict]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
    await reader.readexactly(int(headers.get("content-length", 0)))
    return int(head[0].split()[1]), headers


async def repeating(port: int, ends: float, counts: collections.Counter, name: str, request, keep=None) -> None:
    while time.monotonic() < ends:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            while time.monotonic() < ends:
                writer.write(request())
                status, headers = await answer(reader)
                counts[f"{name} {status}"] += 1
                if status == 200 and keep:
                    keep(headers)
                if status in (429, 503):
                    await asyncio.sleep(random.random())
        except (OSError, asyncio.IncompleteReadError):
            counts[f"{name} lost"] += 1


def probe(port: int, path: str, ends: float) -> list[float]:
    """Asks on new connections. Runs in a process of its own, so the load does not delay its clock."""
    import socket
    times = []
    while time.monotonic() < ends:
        begin = time.monotonic()
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            text = connection.recv(4096)
            assert text.startswith(b"HTTP/1.1 200"), text
        times.append((time.monotonic() - begin) * 1000)
        time.sleep(0.05)
    return times


def refreshers(service, count: int) -> list[Person]:
    return [Person.signed_in(service) for _ in range(count)]


async def health(service, seconds: int) -> None:
    from concurrent.futures import ProcessPoolExecutor
    people = refreshers(service, 400)
    loop, counts = asyncio.get_running_loop(), collections.Counter()
    with ProcessPoolExecutor(3) as pool:
        ends = time.monotonic() + seconds
        paths = ["/livez", "/readyz", "/health"]
        probes = [loop.run_in_executor(pool, probe, service.port, path, ends) for path in paths]

        def keep(person):
            return lambda headers: setattr(person, "refresh_token", headers["x-refresh-token"])

        load = [
            repeating(service.port, ends, counts, "refresh", lambda p=person: refresh_request(p), keep(person))
            for person in people]
        load += [
            repeating(service.port, ends, counts, "password", lambda n=n: password_request(f"person{n}@example.com"))
            for n in range(100)]
        await asyncio.gather(*load)
        for path, times in zip(paths, await asyncio.gather(*probes)):
            times.sort()
            p = [times[int(len(times) * part)] for part in (0.5, 0.95, 0.99)]
            print(f"{path}: {len(times)} checks, ms p50 {p[0]:.1f}, p95 {p[1]:.1f}, p99 {p[2]:.1f}, most {times[-1]:.1f}")
    print(dict(counts), f"VmRSS {rss(service.process.pid):.0f} MiB")


async def opened(port: int, count: int) -> list:
    connections = []
    for _ in range(0, count, 200):
        connections += await asyncio.gather(*(asyncio.open_connection("127.0.0.1", port) for _ in range(200)))
    return connections


async def idle(service, count: int) -> None:
    pid = service.process.pid
    print(f"start: VmRSS {rss(pid):.0f} MiB")
    connections = await opened(service.port, count)
    request = b"GET /v1/session/password/compliancy HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for reader, writer in connections:
        writer.write(request)
    await asyncio.gather(*(answer(reader) for reader, _ in connections), return_exceptions=True)
    await asyncio.sleep(2)
    print(f"{count} idle connections: VmRSS {rss(pid):.0f} MiB")


async def burst(service, count: int) -> None:
    people, pid, counts = refreshers(service, 300), service.process.pid, collections.Counter()
    requests = [refresh_request(people[index % len(people)]) for index in range(count)]
    print(f"start: VmRSS {rss(pid):.0f} MiB")
    connections = await opened(service.port, count)
    print(f"{count} connections: VmRSS {rss(pid):.0f} MiB")
    most, begin, ends = rss(pid), time.monotonic(), asyncio.Event()

    async def watch():
        nonlocal most
        while not ends.is_set():
            most = max(most, rss(pid))
            await asyncio.sleep(0.02)

    watching = asyncio.create_task(watch())

    async def one(index: int):
        reader, writer = connections[index]
        writer.write(requests[index])
        try:
            status, _ = await asyncio.wait_for(answer(reader), 60)
            counts[status] += 1
        except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError) as error:
            counts[type(error).__name__] += 1

    await asyncio.gather(*(one(index) for index in range(count)))
    ends.set()
    await watching
    print(f"{count} refreshes in {time.monotonic() - begin:.1f} s: VmRSS at most {most:.0f} MiB, {dict(counts)}")
    for _, writer in connections:
        writer.close()
    await asyncio.sleep(5)
    print(f"5 seconds later: VmRSS {rss(pid):.0f} MiB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("what", choices=["health", "idle", "burst"])
    parser.add_argument("--seconds", type=int, default=15)
    parser.add_argument("--connections", type=int)
    parser.add_argument("--flag", action="append", default=[], help="a flag for the service, such as --request-limit=64")
    arguments = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    service_module.BINARY = arguments.binary.resolve()
    with tempfile.TemporaryDirectory() as directory:
        service = service_module.Service(
            pathlib.Path(directory), "--connection-limit", "20000", "--header-timeout", "120", *arguments.flag)
        service.start()
        try:
            if arguments.what == "health":
                asyncio.run(health(service, arguments.seconds))
            elif arguments.what == "idle":
                asyncio.run(idle(service, arguments.connections or 10_000))
            else:
                asyncio.run(burst(service, arguments.connections or 6_000))
        finally:
            service.kill()


if __name__ == "__main__":
    main()
