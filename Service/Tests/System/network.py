"""A network of its own for the programs of a test: addresses, names, ports and trusted authorities. Needs root on Linux.

The programs reach each other at the addresses and ports of the pages, as on a server, and nothing else can reach them.
"""

import os
import pathlib
import shutil
import subprocess

#: Why there can be no such network here. Empty: there can.
MISSING = (
    "needs root" if os.geteuid() != 0
    else "there is no ip (Debian: iproute2)" if not shutil.which("ip")
    else "this system allows no namespaces" if subprocess.run(
        ["unshare", "--mount", "--net", "true"], capture_output=True, check=False).returncode != 0
    else "")

ROOTS = "/etc/ssl/certs/ca-certificates.crt"

SET_UP = """\
ip link set lo up
for address in {addresses}; do ip address add $address/32 dev lo; done
mount --bind {hosts} /etc/hosts
mount --bind {roots} {system}
echo ready
exec sleep infinity
"""


class Network:
    """Inside a `with` block, `enter` is the beginning of a command that runs in the network."""

    def __init__(self, folder: pathlib.Path, roots: pathlib.Path, addresses: list[str]):
        self._hosts = folder / "hosts"
        self._script = SET_UP.format(addresses=" ".join(addresses), hosts=self._hosts, roots=roots, system=ROOTS)
        self.name({})

    def name(self, names: dict[str, str]) -> None:
        """Replaces the addresses of names. A program that calls an address of its own machine calls from this address."""
        lines = [f"{address} {name}\n" for name, address in {"localhost": "127.0.0.1", **names}.items()]
        self._hosts.write_text("".join(lines))

    def __enter__(self) -> "Network":
        self._holder = subprocess.Popen(
            ["unshare", "--mount", "--net", "bash", "-euc", self._script], stdout=subprocess.PIPE, text=True)
        assert self._holder.stdout.readline() == "ready\n"
        self.enter = ["nsenter", f"--target={self._holder.pid}", "--mount", "--net"]
        return self

    def __exit__(self, *_) -> None:
        self._holder.kill()
        self._holder.wait(10)
        self._holder.stdout.close()
