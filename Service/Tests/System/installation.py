"""The installation of docs/operating.md: its blocks, and a machine that follows them line by line."""

import re
from collections.abc import Callable

from certificate_authority import CertificateAuthority
from machine import Machine, find_nginx
from service import ROOT

PAGE = (ROOT / "docs" / "operating.md").read_text()
INSTALL = PAGE.split("\n## Install\n")[1].split("\n## ")[0]
HOST = "auth.example.com"

#: A block, and the file that it is if its path is in the line before.
BLOCK = re.compile(r"(?:^`(/[^`]+)`[^\n]*:\n\n)?^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def lines(block: str) -> list[str]:
    return [line for line in block.replace("\\\n", " ").splitlines() if line]


def first_user() -> list[str]:
    """Returns the commands that try the delivery and sign the first user in."""
    section = INSTALL.split("\n### The first user\n")[1].split("\n### ")[0]
    return [line for _, _, block in BLOCK.findall(section) for line in lines(block)]


def certificate(machine: Machine, authority: CertificateAuthority) -> None:
    """What certbot would do: writes a certificate for the host."""
    folder = machine.root / "etc" / "letsencrypt" / "live" / HOST
    folder.mkdir(parents=True)
    chain = authority.server_chain(HOST).read_bytes()  # with its key
    (folder / "fullchain.pem").write_bytes(chain)
    (folder / "privkey.pem").write_bytes(chain)


def use_free_port(machine: Machine) -> None:
    settings = machine.root / "etc" / "prelude" / "session.json"
    text = settings.read_text()
    assert '"port": 8080,' in text
    settings.write_text(text.replace('"port": 8080,', f'"port": {machine.port},'))


def install(
    machine: Machine, authority: CertificateAuthority, changed: Callable[[str], str] = lambda line: line
) -> dict[str, str]:
    """Writes the files of the page and runs its commands, in its order.

    `changed` replaces in a line what the page takes for given. Returns what each line printed."""
    printed = {}
    for path, kind, block in BLOCK.findall(INSTALL):
        if path:
            machine.write(path, block)
        for line in lines(block) if kind == "sh" else []:
            if "nginx" in line and "apt-get" not in line and not find_nginx():
                continue
            if HOST in line and line.startswith("curl") and not find_nginx():
                continue
            if line.endswith(" init --config /etc/prelude/session.json"):
                continue  # it asks, see the test of README.md
            printed[line] = machine.must(changed(line))
            if " init " in line:
                use_free_port(machine)
            if "certbot certonly" in line:
                certificate(machine, authority)
    return printed
