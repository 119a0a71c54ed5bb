"""A folder that stands for a server, in which a page's installation is followed line by line."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

from network import Network
from service import BINARY, ROOT, free_port

#: Paths of the pages. They are moved below the folder.
PATHS = re.compile(
    r"(?<![\w./])/((?:etc/(?:prelude|nginx|systemd|credstore|letsencrypt)|var/(?:lib|backups)/prelude|usr/local/bin|tmp)\b)")

#: Programs that change the system. `sudo` runs the command as the current user. The others only write a line.
STUBS = {
    "sudo": 'if [ "$1" = -u ]; then shift 2; fi\nexec "$@"\n',
    "install": """\
# Without another owner: the test has one user. The program is linked, because it is large.
for word; do
    shift
    if [ "$word" = -o ]; then skip=1; elif [ "$skip" ]; then skip=; else set -- "$@" "$word"; fi
done
case "$1 $2" in "prelude-session "*) ln -s "$(realpath prelude-session)" "$2" ;; *) exec {install} "$@" ;; esac
""",
    "nginx": 'exec {nginx} -p {root}/nginx -e {root}/nginx/error.log -c {root}/nginx/nginx.conf "$@"\n',
    **{name: 'echo "{name} $*" >> {root}/calls\n' for name in ("apt-get", "useradd", "systemctl", "certbot")},
}

#: The main file of nginx, as Debian has it: it includes `conf.d`. All files are below the folder.
NGINX = """\
daemon off;
pid {root}/nginx/pid;
events {{}}
http {{
    access_log off;
    client_body_temp_path {root}/nginx/body;
    proxy_temp_path {root}/nginx/proxy;
    fastcgi_temp_path {root}/nginx/fastcgi;
    uwsgi_temp_path {root}/nginx/uwsgi;
    scgi_temp_path {root}/nginx/scgi;
    include {root}/etc/nginx/conf.d/*.conf;
}}
"""


def find_nginx() -> str | None:
    """Returns the program that is installed, or that `scripts/bootstrap` has unpacked."""
    return shutil.which("nginx") or shutil.which(ROOT / ".build" / "nginx" / "usr" / "sbin" / "nginx")


class Machine:
    """With a network of its own, the machine has the ports of the pages. Otherwise free ones of the loopback."""

    def __init__(self, root: pathlib.Path, network: Network | None = None):
        self.root = root
        self.network = network
        self.port = 8080 if network else free_port()
        self.tls_port = 443 if network else free_port()
        self.processes: dict[str, subprocess.Popen] = {}
        self.home = root / "home"
        for folder in ("home", "stubs", "nginx", "usr/local/bin", "tmp", "etc/nginx/conf.d", "etc/systemd/system"):
            (root / folder).mkdir(parents=True)
        (self.home / "prelude-session").symlink_to(BINARY)
        (root / "calls").touch()
        (root / "nginx" / "nginx.conf").write_text(NGINX.format(root=root))
        for name, script in STUBS.items():
            for key, value in {"root": root, "name": name, "nginx": find_nginx(), "install": shutil.which("install")}.items():
                script = script.replace("{%s}" % key, str(value))
            (root / "stubs" / name).write_text("#!/bin/sh\n" + script)
            (root / "stubs" / name).chmod(0o755)
        #: The variables of a shell on the server. curl reads `.curlrc` there.
        self.environment = {
            "PATH": f"{root}/stubs:{root}/usr/local/bin:{os.environ['PATH']}", "HOME": str(self.home),
            "LANG": "C.UTF-8"}

    def here(self, text: str) -> str:
        """Returns a line or a file of a page with the paths and the ports of this machine."""
        text = PATHS.sub(rf"{self.root}/\1", text)
        if self.network:
            return text
        text = re.sub(r"\b127\.0\.0\.1:8080\b", f"127.0.0.1:{self.port}", text)
        return text.replace("listen 443 ssl", f"listen 127.0.0.1:{self.tls_port} ssl")

    def write(self, path: str, content: str) -> pathlib.Path:
        file = pathlib.Path(self.here(path))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(self.here(content))
        return file

    def shell(self, line: str) -> list[str]:
        """Returns the command that runs a line of a page in the home folder."""
        inside = self.network.enter if self.network else []
        return [*inside, "bash", "-euo", "pipefail", "-c", f"cd '{self.home}'; {self.here(line)}"]

    def run(self, line: str, **variables: str) -> subprocess.CompletedProcess:
        """Runs a line of a page, and then what systemd would do."""
        result = subprocess.run(
            self.shell(line), env=self.environment | variables, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=60)
        if result.returncode == 0:
            self.obey(line)
        return result

    def must(self, line: str, **variables: str) -> str:
        result = self.run(line, **variables)
        assert result.returncode == 0, f"{line}\n{result.stdout}{result.stderr}"
        return result.stdout

    def obey(self, line: str) -> None:
        """Starts and stops processes as `systemctl` would."""
        call = re.search(r"systemctl (enable --now|start|restart|stop) (prelude-session|nginx)$", line)
        if not call:
            return
        if call[1] in ("stop", "restart"):
            self.stop(call[2])
        if call[1] != "stop":
            self.start(call[2])

    def start(self, name: str) -> None:
        if name == "nginx":
            self.processes[name] = self.spawn(["nginx"], self.environment)
            return self.wait_for(f"http://127.0.0.1:{self.tls_port}/")
        units = self.root / "etc" / "systemd" / "system"
        unit = "".join(
            path.read_text() for path in [units / f"{name}.service", *sorted((units / f"{name}.service.d").glob("*"))])
        environment = {"PATH": self.environment["PATH"]}
        credentials = self.root / "credentials"
        for credential, source in re.findall(r"^LoadCredential=(.*?):(.*)$", unit, re.MULTILINE):
            credentials.mkdir(exist_ok=True)
            shutil.copy(source, credentials / credential)
            environment["CREDENTIALS_DIRECTORY"] = str(credentials)
        self.processes[name] = self.spawn(re.search(r"^ExecStart=(.*)$", unit, re.MULTILINE)[1].split(), environment)
        self.wait_for(f"http://127.0.0.1:{self.port}/health")

    def spawn(self, command: list[str], environment: dict[str, str]) -> subprocess.Popen:
        inside = self.network.enter if self.network else []
        with open(self.root / "log", "ab") as log:
            return subprocess.Popen(
                [*inside, *command], cwd=self.root, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def wait_for(self, url: str) -> None:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            if self.run(f"curl --silent --output /dev/null --max-time 1 {url}").returncode == 0:
                return  # any answer
            time.sleep(0.05)
        raise RuntimeError(f"{url} does not answer: {(self.root / 'log').read_text()[-2000:]}")

    def stop(self, name: str) -> None:
        process = self.processes.pop(name, None)
        if process:
            process.send_signal(signal.SIGTERM)
            process.wait(20)

    def stop_all(self) -> None:
        for name in list(self.processes):
            self.stop(name)
