"""Frames of HTTP/2 (RFC 9113) as bytes, for clients that break its rules. Header blocks have no compression (RFC 7541 §6.2.2)."""

import dataclasses
import socket
import ssl
import struct
import time

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, CONTINUATION = 0, 1, 3, 4, 6, 7, 9
END_STREAM, END_HEADERS, ACK = 1, 4, 1


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def text(value: bytes) -> bytes:
    """Returns a text of at most 126 bytes, or a longer one, as HPACK writes it (RFC 7541 §5.1, §5.2)."""
    length = len(value)
    if length < 127:
        return bytes([length]) + value
    rest, coded = length - 127, b"\x7f"
    while rest >= 128:
        coded += bytes([rest % 128 + 128])
        rest //= 128
    return coded + bytes([rest]) + value


def block(*headers: tuple[bytes, bytes]) -> bytes:
    return b"".join(b"\x00" + text(name) + text(value) for name, value in headers)


def request(method: bytes, path: bytes, *headers: tuple[bytes, bytes]) -> bytes:
    return block(
        (b":method", method), (b":scheme", b"https"), (b":path", path), (b":authority", b"localhost"), *headers)


@dataclasses.dataclass
class Response:
    """What the service has sent on one stream."""

    #: The first byte of the header block: a status with an index of its own (RFC 7541, appendix A).
    status: bytes = b""
    body: bytes = b""
    has_ended: bool = False


class Connection:
    """A connection over TLS, after the preface. Keeps the responses and resets of all streams."""

    def __init__(self, port: int, authority: str, preface: bytes | None = None):
        context = ssl.create_default_context(cafile=authority)
        context.set_alpn_protocols(["h2"])
        self.socket = context.wrap_socket(
            socket.create_connection(("127.0.0.1", port), timeout=30), server_hostname="localhost")
        assert self.socket.selected_alpn_protocol() == "h2"
        self.socket.sendall(PREFACE + frame(SETTINGS, 0, 0) if preface is None else preface)
        self._kept = b""
        self.responses: dict[int, Response] = {}
        #: The error codes of RST_STREAM.
        self.resets: dict[int, int] = {}
        self.has_ended = False
        #: All frames since the start.
        self.seen: list[tuple[int, int, int, bytes]] = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, data: bytes) -> bool:
        """Returns whether the service still takes it."""
        try:
            self.socket.sendall(data)
            return True
        except OSError:
            return False

    def frame(self) -> tuple[int, int, int, bytes] | None:
        """Returns kind, flags, stream and payload of the next frame; None at the end of the connection."""
        if not self._receive(9) or not self._receive(9 + int.from_bytes(self._kept[:3], "big")):
            return None
        length = 9 + int.from_bytes(self._kept[:3], "big")
        head, payload, self._kept = self._kept[:9], self._kept[9:length], self._kept[length:]
        kind, flags, stream = head[3], head[4], int.from_bytes(head[5:9], "big")
        if kind == RST_STREAM:
            self.resets[stream] = int.from_bytes(payload, "big")
        elif kind in (HEADERS, DATA):
            response = self.responses.setdefault(stream, Response())
            if kind == HEADERS:
                response.status = payload[:1]
            else:
                response.body += payload
            response.has_ended |= flags & END_STREAM != 0
        self.seen.append((kind, flags, stream, payload))
        return self.seen[-1]

    def frames(self) -> list[tuple[int, int, int, bytes]]:
        """Returns all frames to the end of the connection."""
        result = []
        while found := self.frame():
            result.append(found)
        return result

    def response(self, stream: int) -> Response:
        """Reads until a response or its stream has ended."""
        while not (stream in self.resets or self.responses.get(stream, Response()).has_ended):
            if self.frame() is None:
                break
        return self.responses.get(stream, Response())

    def until(self, kind: int, flags: int | None = None) -> tuple[int, int, int, bytes]:
        """Returns the next frame of a kind."""
        while found := self.frame():
            if found[0] == kind and flags in (None, found[1]):
                return found
        raise AssertionError(f"the connection ended without a frame of kind {kind}")

    def read_for(self, seconds: float) -> "Connection":
        """Reads the frames that arrive within a time."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            self.socket.settimeout(left)
            if self.frame() is None:
                break
        self.socket.settimeout(30)
        return self

    def _receive(self, count: int) -> bool:
        while len(self._kept) < count:
            try:
                part = self.socket.recv(65536)
            except TimeoutError:
                return False
            except OSError:
                part = b""
            if not part:
                self.has_ended = True
                return False
            self._kept += part
        return True

    def close(self) -> None:
        self.socket.close()
