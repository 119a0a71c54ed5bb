"""A Postfix of its own: ports of the loopback, its own directories, TLS and AUTH. Its mails become files."""

import email
import email.message
import email.policy
import os
import pathlib
import shutil
import subprocess
import time

from sockets import free_port

DAEMONS = pathlib.Path("/usr/lib/postfix/sbin")
USER, PASSWORD = "alice@mail.test", "c0rrect-h0rse"

_MAIN = """
compatibility_level = 3.6
queue_directory = {root}/queue
data_directory = {root}/data
command_directory = /usr/sbin
daemon_directory = {daemons}
mail_owner = postfix
setgid_group = postdrop
myhostname = mail.test
mydestination =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks =
alias_maps =
smtputf8_enable = yes
strict_rfc821_envelopes = yes
smtpd_tls_cert_file = {chain}
smtpd_tls_key_file = {chain}
smtpd_tls_security_level = encrypt
smtpd_tls_auth_only = yes
smtpd_sasl_auth_enable = yes
smtpd_sasl_path = smtpd
smtpd_relay_restrictions = permit_sasl_authenticated, reject
smtpd_recipient_restrictions = check_recipient_access inline:{{ {{unknown@example.com = 550 5.1.1 no such user}} }}, permit_sasl_authenticated, reject
default_transport = files
message_size_limit = 100000
maillog_file = {root}/mail.log
maillog_file_prefixes = {root}
"""

_MASTER = """
127.0.0.1:{submission} inet n - n - - smtpd
127.0.0.1:{implicit} inet n - n - - smtpd -o smtpd_tls_wrappermode=yes
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
anvil unix - - n - 1 anvil
proxymap unix - - n - - proxymap
postlog unix-dgram n - n - 1 postlogd
error unix - - n - - error
retry unix - - n - - error
files unix - n n - 10 pipe flags=q user=nobody argv={root}/keep {root}/mails
"""

#: Renames the finished file, so that a reader never sees a part of a mail.
_KEEP = """#!/bin/sh
cat > "$1/$$.part" && mv "$1/$$.part" "$1/$$.eml"
"""


def missing() -> str | None:
    """Returns why Postfix cannot run here, or None."""
    if os.geteuid() != 0:
        return "Postfix starts as root only"
    if not (DAEMONS / "master").exists() or shutil.which("saslpasswd2") is None:
        return "install postfix, sasl2-bin and libsasl2-modules"
    return None


class Postfix:
    """Runs inside a `with` block. `submission` is the port for STARTTLS, `implicit` the one for TLS at once."""

    def __init__(self, root: pathlib.Path, chain: pathlib.Path):
        self._root, self._chain = root, chain
        self.submission, self.implicit = free_port(), free_port()

    def __enter__(self) -> "Postfix":
        root, values = self._root, {
            "root": self._root, "chain": self._chain, "daemons": DAEMONS, "submission": self.submission,
            "implicit": self.implicit}
        for name in ("etc/sasl", "queue", "data", "mails"):
            (root / name).mkdir(parents=True)
        (root / "etc/main.cf").write_text(_MAIN.format(**values))
        (root / "etc/master.cf").write_text(_MASTER.format(**values))
        (root / "keep").write_text(_KEEP)
        database = root / "etc/sasl/sasldb2"
        (root / "etc/sasl/smtpd.conf").write_text(
            f"pwcheck_method: auxprop\nauxprop_plugin: sasldb\nmech_list: PLAIN LOGIN\nsasldb_path: {database}\n")
        name, realm = USER.split("@")
        subprocess.run(
            ["saslpasswd2", "-p", "-c", "-f", database, "-u", realm, name], input=PASSWORD, text=True, check=True)
        (root / "keep").chmod(0o755)
        (root / "mails").chmod(0o777)
        database.chmod(0o644)
        shutil.chown(root / "data", "postfix")
        # Processes of other users read below this directory.
        for directory in [root, *root.parents]:
            if directory.stat().st_uid == os.geteuid() and directory.is_relative_to("/tmp") and directory != pathlib.Path("/tmp"):
                directory.chmod(directory.stat().st_mode | 0o055)
        self._postfix("start")
        return self

    def __exit__(self, *_) -> None:
        self._postfix("stop")

    def _postfix(self, command: str) -> None:
        # Output to a pipe would be inherited by the daemons, and reading it would never end.
        with open(self._root / f"{command}.log", "wb") as log:
            subprocess.run(["postfix", "-c", self._root / "etc", command], stdout=log, stderr=log, timeout=30, check=True)

    def log(self) -> str:
        return (self._root / "mail.log").read_text()

    def mails(self, count: int) -> list[email.message.EmailMessage]:
        """Waits for a number of mails and returns them, oldest first."""
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            files = sorted((self._root / "mails").glob("*.eml"), key=lambda file: file.stat().st_mtime)
            if len(files) >= count:
                return [
                    email.message_from_bytes(file.read_bytes(), policy=email.policy.default) for file in files]
            time.sleep(0.05)
        raise AssertionError(f"fewer than {count} mails: {self.log()[-2000:]}")
