"""Reads the body types of the service from its Swift sources: their names and members, and which are required."""

import re
from dataclasses import dataclass, field

from service import ROOT

SOURCES = ROOT / "Service" / "Sources"
FILES = [
    *sorted((ROOT / "Sources" / "SessionWire").rglob("*.swift")), *sorted((SOURCES / "SessionHTTP").rglob("*.swift")),
    SOURCES / "SessionDomain" / "Core" / "Events" / "Event.swift",
]

TYPE = re.compile(
    r"\b(?P<kind>struct|enum|final class|class|actor|extension|protocol)\s+(?P<name>[\w.]+)(?:<[^>]*>)?"
    r"\s*(?::\s*(?P<parents>[^{]*?))?\s*(?:where[^{]*)?\{")
PROPERTY = re.compile(r"^\s*(?:(?:package|public|private|fileprivate)(?:\(set\))?\s+)*(?:let|var)\s+(?P<rest>.+)$")
CODABLE = re.compile(r"\b(Codable|Encodable|Decodable)\b")


@dataclass
class Body:
    """A type that is written or read as a JSON object."""
    name: str
    is_read: bool = False
    #: Whether its conformance says that it is a body.
    is_codable: bool = False
    #: Stored properties with their types. An empty type is not written in the source.
    properties: dict[str, str] = field(default_factory=dict)
    #: The cases of CodingKeys with their names in JSON. Empty: the names of the properties.
    keys: dict[str, str] = field(default_factory=dict)
    is_single_value: bool = False

    @property
    def members(self) -> set[str]:
        return set(self.keys.values()) if self.keys else set(self.properties)

    @property
    def required(self) -> set[str] | None:
        """Returns the members that are never left out; None if the properties do not show it."""
        names = self.keys or {name: name for name in self.properties}
        if not set(names) <= set(self.properties):
            return None
        return {names[name] for name in names if not self.properties[name].endswith("?")}

    @property
    def types(self) -> dict[str, str]:
        """Returns the types of the members whose properties show it."""
        names = self.keys or {name: name for name in self.properties}
        return {member: self.properties[name] for name, member in names.items() if self.properties.get(name)}


def _code(text: str) -> str:
    """Returns the text without comments, and without braces and slashes in texts."""
    text = re.sub(r'"""(.*?)"""', '""', text, flags=re.DOTALL)
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', lambda match: re.sub("[{}/]", "", match[0]), text)
    return re.sub(r"//[^\n]*", "", text)


def _own_text(body: str) -> str:
    """Returns the text of a type without what is inside further braces."""
    depth, kept = 0, []
    for character in body:
        depth -= character == "}"
        if depth == 0:
            kept.append(character)
        depth += character == "{"
    return "".join(kept)


def _end(text: str, start: int) -> int:
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] == "{") - (text[place] == "}")
        if depth == 0:
            return place
    raise ValueError("a brace is not closed")


def _read_properties(body: Body, own: str) -> None:
    for line in own.splitlines():
        found = PROPERTY.match(line)
        # A static member is no stored property, and a computed one ends with the brace of its code.
        if not found or " static " in f" {line}" or found["rest"].rstrip().endswith(("}", "{")):
            continue
        names, _, type_ = found["rest"].partition(":")
        names = names.partition("=")[0] if not type_ else names
        for name in names.split(","):
            body.properties[name.strip()] = type_.partition("=")[0].strip()


def _read_keys(body: Body, own: str) -> None:
    for cases in re.findall(r"\bcase\s+(.+)", own):
        for case in cases.split(","):
            name, _, raw = case.partition("=")
            body.keys[name.strip()] = raw.strip().strip('"') or name.strip()


def _read(text: str, outer: str, found: dict[str, Body]) -> None:
    place = 0
    while match := TYPE.search(text, place):
        opening = match.end() - 1
        closing = _end(text, opening)
        inner = text[opening + 1:closing]
        name = f"{outer}.{match['name']}" if outer else match["name"]
        parents = match["parents"] or ""
        if match["name"] == "CodingKeys":
            _read_keys(found.setdefault(outer, Body(outer)), _own_text(inner))
        elif match["kind"] in ("struct", "extension"):
            body = found.setdefault(name, Body(name))
            if CODABLE.search(parents):
                body.is_codable = True
                body.is_read |= bool(re.search(r"\b(Codable|Decodable)\b", parents))
            body.is_single_value |= "RawRepresentable" in parents
            if match["kind"] == "struct":
                _read_properties(body, _own_text(inner))
        _read(inner, "" if match["name"] == "CodingKeys" else name, found)
        place = closing + 1


def bodies() -> dict[str, Body]:
    """Returns all body types by their names. The name of a type of routes around them is no part of it."""
    found: dict[str, Body] = {}
    for file in FILES:
        text = _code(file.read_text())
        if CODABLE.search(text):
            _read(text, "", found)
    all_ = {name: body for name, body in found.items() if body.is_codable and not body.is_single_value}

    def shown(name: str) -> str:
        outer, _, own = name.rpartition(".")
        if outer in all_:
            return f"{shown(outer)}.{own}"
        return name if not outer or outer.endswith(("Endpoint", "Context")) else own

    named = {}
    for name, body in all_.items():
        short = shown(name)
        assert short not in named, f"there are two types {short}"
        named[short] = body
    return named


def declarations() -> int:
    """Returns how many types the sources declare as bodies, counted without regard to their structure."""
    count = 0
    for file in FILES:
        for line in re.findall(r"\b(?:struct|extension)\s+[^{]*\{", _code(file.read_text())):
            count += bool(CODABLE.search(line.partition(":")[2])) and "RawRepresentable" not in line
    return count
