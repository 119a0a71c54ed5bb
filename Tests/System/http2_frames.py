"""Frames of HTTP/2 (RFC 9113) as bytes, for clients that break its rules. Header blocks have no compression (RFC 7541 §6.2.2)."""

import socket
import ssl
import struct

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


class Connection:
    """A connection over TLS, after the preface."""

    def __init__(self, port: int, authority: str):
        context = ssl.create_default_context(cafile=authority)
        context.set_alpn_protocols(["h2"])
        self.socket = context.wrap_socket(
            socket.create_connection(("127.0.0.1", port), timeout=30), server_hostname="localhost")
        assert self.socket.selected_alpn_protocol() == "h2"
        self.socket.sendall(PREFACE + frame(SETTINGS, 0, 0))
        self._kept = b""

    def send(self, data: bytes) -> bool:
        """Returns whether the service still takes it."""
        try:
            self.socket.sendall(data)
            return True
        except OSError:
            return False

    def frame(self) -> tuple[int, int, int, bytes] | None:
        """Returns kind, flags, stream and payload of the next frame; None at the end of the connection."""
        head = self._read(9)
        if head is None:
            return None
        payload = self._read(int.from_bytes(head[:3], "big"))
        return None if payload is None else (head[3], head[4], int.from_bytes(head[5:9], "big"), payload)

    def frames(self) -> list[tuple[int, int, int, bytes]]:
        """Returns all frames to the end of the connection."""
        result = []
        while found := self.frame():
            result.append(found)
        return result

    def _read(self, count: int) -> bytes | None:
        while len(self._kept) < count:
            try:
                part = self.socket.recv(65536)
            except OSError:
                return None
            if not part:
                return None
            self._kept += part
        result, self._kept = self._kept[:count], self._kept[count:]
        return result

    def close(self) -> None:
        self.socket.close()
