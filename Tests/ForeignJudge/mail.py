"""Reads a mail with Python's e-mail package."""

import base64
from email import message_from_bytes, policy
from email.errors import NonASCIILocalPartDefect, UndecodableBytesDefect


def parse_mail(mail: str) -> dict:
    """Returns what a mail program sees. The mail is in base64."""
    raw = base64.b64decode(mail)
    message = message_from_bytes(raw, policy=policy.SMTPUTF8)
    parts = [part for part in message.walk() if not part.is_multipart()]
    return {
        "mail": {
            "headers": [[name, _text(str(value))] for name, value in message.items()],
            "type": message.get_content_type(),
            "parts": [[part.get_content_type(), part.get_content().replace("\r\n", "\n")] for part in parts],
            "defects": [type(defect).__name__ for part in message.walk() for defect in _defects(part)],
            "longest_line": max(len(line) for line in raw.split(b"\r\n")),
            "bare_line_ends": raw.replace(b"\r\n", b"").count(b"\r") + raw.replace(b"\r\n", b"").count(b"\n"),
            "from": _addresses(message["From"]),
            "to": _addresses(message["To"]),
        }
    }


def _addresses(header) -> list:
    return [[_text(address.display_name), _text(address.addr_spec)] for address in header.addresses]


def _text(value: str) -> str:
    """Reads UTF-8 of a header (RFC 6532), which the parser returns as surrogates."""
    return value.encode("utf-8", "surrogateescape").decode("utf-8")


def _defects(part) -> list:
    headers = [defect for value in part.values() for defect in getattr(value, "defects", ())]
    # The parser reports all UTF-8 of a header. `_text` checks it.
    international = (NonASCIILocalPartDefect, UndecodableBytesDefect)
    return [defect for defect in list(part.defects) + headers if not isinstance(defect, international)]
