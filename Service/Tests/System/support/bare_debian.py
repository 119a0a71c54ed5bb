"""A bare Debian 12 with a real systemd, in a container without a network. Needs root on Debian.

`scripts/bootstrap` makes the root in .build/bare-debian. A machine writes to an overlay of it, which is deleted at the end.
The debug program is in /root, and the toolchain's folder with Swift's libraries is mounted read-only: a release contains
them. All other libraries come from Debian.
"""

import os
import pathlib
import pty
import re
import shutil
import subprocess
import time

from service import BINARY, ROOT
from waiting import wait_until

BARE = ROOT / ".build" / "bare-debian"
#: Why there can be no such machine here. Empty: there can.
MISSING = (
    "needs root" if os.geteuid() != 0
    else "there is no systemd-nspawn (Debian: systemd-container)" if not shutil.which("systemd-nspawn")
    else "there is no ip (Debian: iproute2)" if not shutil.which("ip")
    else "scripts/bootstrap has not made .build/bare-debian" if not (BARE / "usr/bin/apt-get").exists()
    else "")
HOME = "/root"
ENVIRONMENT = ["env", "-i", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", f"HOME={HOME}", "LANG=C.UTF-8"]


class BareDebian:
    """Runs inside a `with` block. `packages`: those that lines of the pages install, downloaded before the start."""

    def __init__(self, folder: pathlib.Path, packages: list[str], addresses: list[str]):
        self.root = folder / "root"
        self._folder, self._packages, self._addresses = folder, packages, addresses

    def __enter__(self) -> "BareDebian":
        for name in ("root", "upper", "work"):
            (self._folder / name).mkdir()
        subprocess.run(
            ["mount", "-t", "overlay", "overlay", self.root, "-o",
             f"lowerdir={BARE},upperdir={self._folder}/upper,workdir={self._folder}/work"], check=True)
        self.process = None
        try:
            self._prepare()
            self._boot()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        if self.process:
            # systemd-nspawn kills everything in the container when it ends.
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(10)
        subprocess.run(["umount", "--lazy", self.root], check=True)

    def _prepare(self) -> None:
        """Downloads packages with the network of this machine: the container has none."""
        shutil.copy("/etc/resolv.conf", self.root / "etc" / "resolv.conf")
        download = ["chroot", self.root, "apt-get", "--quiet", "--yes"]
        for command in (["update"], ["install", "--download-only", *self._packages]):
            done = subprocess.run([*download, *command], capture_output=True, text=True, timeout=300)
            assert done.returncode == 0, done.stdout + done.stderr
        shutil.copy(BINARY, self.root / "root" / "prelude-session")
        (self.root / "etc" / "hostname").write_text("server\n")
        self.name({})

    def _boot(self) -> None:
        linked = subprocess.run(["ldd", BINARY], capture_output=True, text=True, check=True).stdout
        swift = pathlib.Path(re.search(r"=> (\S+/libswiftCore\.so)", linked)[1]).parent
        self._start = [
            "systemd-nspawn", "--quiet", f"--directory={self.root}", "--boot", "--private-network", "--keep-unit",
            "--register=no", "--console=pipe", "--resolv-conf=off", "--timezone=off", f"--bind-ro={swift}"]
        # A busy machine boots slowly.
        wait_until(self._has_booted, seconds=180, otherwise=lambda: (self._folder / "console").read_text(errors="replace"))
        self.must("systemctl is-system-running --wait || systemctl --failed")
        for address in self._addresses:
            subprocess.run([*self.network, "ip", "address", "add", address, "dev", "lo"], check=True)

    def _has_booted(self) -> bool:
        """Starts the container if it does not run. Its systemd ends when the kernel has no inotify instance left: all browsers
        and containers of a user share 128."""
        if not self.process or self.process.poll() is not None:
            with open(self._folder / "console", "ab") as console:
                self.process = subprocess.Popen(self._start, stdin=subprocess.DEVNULL, stdout=console, stderr=console)
        try:
            children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        except OSError:
            return False  # it ended
        if not children:
            return False
        self._leader = children[0]
        return self.run("test -S /run/systemd/private").returncode == 0

    @property
    def network(self) -> list[str]:
        """Returns the beginning of a command of this machine that runs in the network of the container."""
        return ["nsenter", f"--target={self._leader}", "--net"]

    def name(self, names: dict[str, str]) -> None:
        """Replaces the addresses of names. A program that calls an address of its own machine calls from this address."""
        # Debian's servers are not there, and a question to a name server would wait.
        names = {"localhost": "127.0.0.1", "server": "127.0.1.1", "deb.debian.org": "127.0.0.1",
                 "security.debian.org": "127.0.0.1", **names}
        (self.root / "etc" / "hosts").write_text("".join(f"{address} {name}\n" for name, address in names.items()))

    def path(self, path: str) -> pathlib.Path:
        return self.root / path.lstrip("/")

    def write(self, path: str, content: str) -> None:
        self.path(path).parent.mkdir(parents=True, exist_ok=True)
        self.path(path).write_text(content)

    def shell(self, line: str, variables: dict[str, str] | None = None) -> list[str]:
        """Returns the command that runs a line of a page in the home folder of root."""
        inside = ["nsenter", f"--target={self._leader}", "--mount", "--uts", "--ipc", "--net", "--pid", "--root", "--wd"]
        pairs = [f"{name}={value}" for name, value in (variables or {}).items()]
        return [*inside, *ENVIRONMENT, *pairs, "bash", "-euo", "pipefail", "-c", f"cd {HOME}; {line}"]

    def run(self, line: str, stdin: str = "", timeout: float = 120, **variables: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            self.shell(line, variables), input=stdin, capture_output=True, text=True, timeout=timeout)

    def must(self, line: str, **variables: str) -> str:
        done = self.run(line, **variables)
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}\n{self.journal()[-3000:]}"
        return done.stdout

    def journal(self, unit: str = "prelude-session*") -> str:
        return self.run(f"journalctl --no-pager --output=cat -u '{unit}'").stdout

    def answer(self, line: str, answers: list[str]) -> str:
        """Runs a line on a terminal and types the answers. Returns what the terminal showed."""
        shown, typed = b"", 0
        command = self.shell(line)
        child, terminal = pty.fork()
        if child == 0:
            os.execvp(command[0], command)
        try:
            while True:
                try:
                    read = os.read(terminal, 4096)
                except OSError:  # the end, on Linux
                    break
                if not read:
                    break
                shown += read
                # A question ends with a colon and a space.
                if shown.endswith(b": ") and typed < len(answers):
                    os.write(terminal, answers[typed].encode() + b"\n")
                    typed += 1
        finally:
            os.close(terminal)
        text = shown.decode()
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, text
        assert typed == len(answers), text
        return text


class Seconds:
    """Measures a `with` block."""

    def __enter__(self) -> "Seconds":
        self._start = time.monotonic()
        return self

    def __exit__(self, *_) -> None:
        self.taken = time.monotonic() - self._start
