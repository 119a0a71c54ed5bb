"""Mail servers for tests: aiosmtpd with TLS and AUTH, and one that stops, drips or closes at a chosen command.

Run as a program, it is the first, with STARTTLS: mail_servers.py HOST PORT CHAIN. It prints each mail as a line of JSON.
"""

import base64
import json
import queue
import socket
import ssl
import sys
import threading
import time
from dataclasses import dataclass, field

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult

from sockets import free_port

USER, PASSWORD = "alice", "c0rrect-h0rse"


@dataclass
class Mail:
    sender: str
    recipient: str
    content: bytes
    options: list[str] = field(default_factory=list)
    mechanism: str | None = None
    #: The number of the connection, from 1.
    connection: int = 0


class MailServer:
    """aiosmtpd inside a `with` block. `replies` has error replies by command: MAIL, RCPT, DATA, AUTH."""

    def __init__(
        self, context: ssl.SSLContext | None, implicit: bool = False, auth: bool = True, utf8: bool = True,
        replies: dict[str, str] | None = None, mechanisms: tuple[str, ...] = ("PLAIN", "LOGIN"),
        host: str = "127.0.0.1", port: int = 0,
    ):
        self.mails: queue.Queue[Mail] = queue.Queue()
        self.connections = 0
        handler = _Handler(self, replies or {})
        if "XOAUTH2" in mechanisms:
            handler.auth_XOAUTH2 = handler.check_token
        excluded = {"PLAIN", "LOGIN"} - set(mechanisms)

        def make() -> SMTP:
            self.connections += 1
            return SMTP(
                handler, tls_context=None if implicit else context, require_starttls=context is not None and not implicit,
                authenticator=handler.check if auth else None, auth_required=auth, auth_exclude_mechanism=excluded,
                auth_require_tls=context is not None and not implicit, enable_SMTPUTF8=utf8, hostname="mail.test",
                data_size_limit=1_000_000)

        self._controller = Controller(
            handler, hostname=host, port=port, ssl_context=context if implicit else None)
        self._controller.factory = make

    def __enter__(self) -> "MailServer":
        # The controller connects to its own server once.
        if self._controller.port == 0:
            self._controller.port = free_port(self._controller.hostname)
        self._controller.start()
        self.port = self._controller.port
        self.connections = 0
        return self

    def __exit__(self, *_) -> None:
        self._controller.stop()


class _Handler:
    def __init__(self, server: MailServer, replies: dict[str, str]):
        self._server = server
        self._replies = replies

    def check(self, server, session, envelope, mechanism, data) -> AuthResult:
        if "AUTH" in self._replies:
            return AuthResult(success=False, handled=False, message=self._replies["AUTH"])
        session.mechanism = mechanism
        right = data.login == USER.encode() and data.password == PASSWORD.encode()
        return AuthResult(success=right, handled=False)

    async def check_token(self, server, arguments) -> AuthResult:
        encoded = arguments[1] if len(arguments) > 1 else await server.challenge_auth("", encode_to_b64=False)
        text = encoded if isinstance(encoded, bytes) else base64.b64decode(encoded)
        server.session.mechanism = "XOAUTH2"
        right = f"user={USER}\x01auth=Bearer {PASSWORD}\x01\x01".encode()
        return AuthResult(success=text == right, handled=False)

    async def handle_MAIL(self, server, session, envelope, address, options):
        if "MAIL" in self._replies:
            return self._replies["MAIL"]
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 OK"

    async def handle_RCPT(self, server, session, envelope, address, options):
        if "RCPT" in self._replies:
            return self._replies["RCPT"].replace("ADDRESS", address)
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        if "DATA" in self._replies:
            return self._replies["DATA"].replace("BODY", envelope.content.decode(errors="replace").split()[-1])
        self._server.mails.put(
            Mail(
                envelope.mail_from, envelope.rcpt_tos[0], envelope.original_content, envelope.mail_options,
                getattr(session, "mechanism", None), self._server.connections))
        return "250 OK queued as 4711"


class FaultyMailServer:
    """A mail server of few lines that misbehaves at one command.

    `fault` is stall, late, close, drip, garbage, huge or echo (at AUTH only); `at` is CONNECT, EHLO, STARTTLS, AUTH, MAIL, RCPT,
    DATA or CONTENT."""

    def __init__(
        self, context: ssl.SSLContext, fault: str = "none", at: str = "", implicit: bool = False, closes_after: int = 0,
        mechanisms: str = "PLAIN LOGIN",
    ):
        self.mechanisms = mechanisms
        self.fault, self.at, self.implicit = fault, at, implicit
        self.context = context
        #: The number of mails after which the server says 421 and closes the connection.
        self.closes_after = closes_after
        self.commands: list[str] = []
        self.connections = 0
        self._ended = threading.Event()

    def __enter__(self) -> "FaultyMailServer":
        self._listener = socket.create_server(("127.0.0.1", free_port()))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_) -> None:
        self._ended.set()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection:
                self._talk(connection)
        except (OSError, ValueError):
            pass

    def _talk(self, connection: socket.socket) -> None:
        if self.implicit:
            connection = self.context.wrap_socket(connection, server_side=True)
        reader, mails, extensions = connection.makefile("rb"), 0, "STARTTLS"
        self._reply(connection, "CONNECT", "220 mail.test ESMTP")
        while line := reader.readline():
            command = line.decode(errors="replace").strip()
            verb = command.split()[0].upper() if command else ""
            self.commands.append(verb)
            match verb:
                case "EHLO":
                    at = "EHLO" if extensions == "STARTTLS" else "EHLO2"
                    self._reply(connection, at, f"250-mail.test\r\n250-{extensions}\r\n250 SMTPUTF8")
                case "STARTTLS":
                    self._reply(connection, "STARTTLS", "220 go ahead")
                    connection = self.context.wrap_socket(connection, server_side=True)
                    reader = connection.makefile("rb")
                    extensions = f"AUTH {self.mechanisms}" if self.mechanisms else "HELP"
                case "AUTH":
                    connection.sendall(b"334 \r\n")
                    response = reader.readline().decode().strip()
                    refusal = f"535 5.7.8 you sent {response}"
                    self._reply(connection, "AUTH", refusal if self.fault == "echo" else "235 welcome")
                case "DATA":
                    self._reply(connection, "DATA", "354 go ahead")
                    while reader.readline() not in (b".\r\n", b""):
                        pass
                    self._reply(connection, "CONTENT", "250 queued as 17")
                    mails += 1
                    if mails == self.closes_after:
                        connection.sendall(b"421 too many mails on this connection\r\n")
                        return
                case "QUIT":
                    connection.sendall(b"221 bye\r\n")
                    return
                case _: self._reply(connection, verb, "250 OK")

    def _reply(self, connection: socket.socket, at: str, reply: str) -> None:
        if at != self.at:
            connection.sendall(reply.encode() + b"\r\n")
            return
        match self.fault:
            case "stall": self._ended.wait(60)
            case "late":
                self._ended.wait(2.5)
                connection.sendall(reply.encode() + b"\r\n")
            case "close": raise OSError
            case "garbage": connection.sendall(b"\x00\xff what is this\r\n" * 3)
            case "huge":
                while not self._ended.is_set():
                    connection.sendall(b"250-" + b"x" * 4000 + b"\r\n")
            case "echo": connection.sendall(reply.encode() + b"\r\n")
            case "drip":
                for byte in reply.encode() + b"\r\n":
                    connection.sendall(bytes([byte]))
                    if self._ended.wait(0.5):
                        return


def main(host: str, port: str, chain: str) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain)
    with MailServer(context, host=host, port=int(port)) as server:
        while True:
            mail = server.mails.get()
            print(
                json.dumps({"to": mail.recipient, "mechanism": mail.mechanism, "content": mail.content.decode()}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
