"""Machines of a test: each has network cards of its own in networks of the test. Needs root on Linux.

A machine is a network namespace. So that nothing outlives the test, it runs in PID and network namespaces of its own."""

import os
import pathlib
import signal
import subprocess
import time


def ip(*arguments) -> None:
    subprocess.run(["ip", *map(str, arguments)], check=True)


class Lan:
    """A network, with a switch. The test itself has an address in it."""

    def __init__(self, name: str, prefix: str):
        self.name, self.prefix = name, prefix
        ip("link", "add", name, "type", "bridge")
        ip("address", "add", f"{prefix}.1/24", "dev", name)
        ip("link", "set", name, "up")


class Machine:
    def __init__(self, name: str, number: int, *lans: Lan):
        """`number` is the last part of the addresses of the machine."""
        self.name = name
        self._holder = subprocess.Popen(
            ["unshare", "--net", "sh", "-c", "echo; exec sleep infinity"], stdout=subprocess.PIPE)
        self._holder.stdout.readline()
        self._enter = ["nsenter", f"--target={self._holder.pid}", "--net"]
        self._network = os.readlink(f"/proc/{self._holder.pid}/ns/net")
        self._run("link", "set", "lo", "up")
        self.addresses = {lan.name: f"{lan.prefix}.{number}" for lan in lans}
        for lan in lans:
            ip("link", "add", self._cable(lan), "type", "veth", "peer", "name", lan.name, "netns", self._holder.pid)
            self.plug(lan)
            ip("link", "set", self._cable(lan), "up")
            self._run("address", "add", f"{self.addresses[lan.name]}/24", "dev", lan.name)
            self._run("link", "set", lan.name, "up")

    def _run(self, *arguments) -> None:
        subprocess.run([*self._enter, "ip", *map(str, arguments)], check=True)

    def _cable(self, lan: Lan) -> str:
        return f"{self.name}-{lan.name}"

    def plug(self, lan: Lan) -> None:
        ip("link", "set", self._cable(lan), "master", lan.name)

    def unplug(self, lan: Lan) -> None:
        """From now on, packets are lost in both directions. Neither side gets an error."""
        ip("link", "set", self._cable(lan), "nomaster")

    def start(self, command: list, log: pathlib.Path, user: str, variables: dict[str, str] = {}) -> subprocess.Popen:
        as_user = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
        with open(log, "ab") as output:
            return subprocess.Popen(
                [*self._enter, *as_user, *command], stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd="/",
                env={**os.environ, **variables})

    def processes(self, name: str = "") -> list[int]:
        """Returns the processes of the machine, or those of one program."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == self._holder.pid:
                continue
            try:
                if (os.readlink(entry / "ns" / "net") == self._network
                        and name in ("", (entry / "comm").read_text().strip())):
                    found.append(int(entry.name))
            except OSError:
                pass  # It has ended.
        return found

    def _signal(self, number: int, processes: list[int]) -> None:
        for process in processes:
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass

    def kill(self, name: str = "") -> None:
        """Ends all processes at once, or those of one program, but none that starts meanwhile: that is another one."""
        killed = self.processes(name)
        while killed:
            self._signal(signal.SIGKILL, killed)
            time.sleep(0.01)
            left = self.processes(name)
            killed = [process for process in left if process in killed] if name else left

    def freeze(self, but: str = "") -> None:
        """Stops all processes, as the host of a virtual machine does, or all but those of one program."""
        stopped: set[int] = set()
        # A process may fork before its signal arrives.
        while new := set(self.processes()) - set(self.processes(but) if but else []) - stopped:
            self._signal(signal.SIGSTOP, list(new))
            stopped |= new

    def thaw(self) -> None:
        self._signal(signal.SIGCONT, self.processes())

    def delete(self) -> None:
        self.kill()
        self._holder.kill()
        self._holder.wait(10)
        self._holder.stdout.close()
