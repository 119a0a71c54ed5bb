"""Reads docs/openapi.yaml, for tests."""

import copy
import functools

import yaml

from service import APP, ROOT

PATH = ROOT / "docs" / "openapi.yaml"
METHODS = {"get", "put", "post", "delete", "patch"}


@functools.cache
def text() -> str:
    return PATH.read_text()


@functools.cache
def _loaded() -> dict:
    # The parser in C is five times as fast, and each process that collects tests reads the document.
    return yaml.load(text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def document() -> dict:
    """Returns a copy of the document, which the caller may change."""
    return copy.deepcopy(_loaded())


def operations(document: dict):
    """Yields path, method and operation of each call."""
    for path, item in document["paths"].items():
        for method in sorted(METHODS & item.keys()):
            yield path, method, item[method]


def resolved(document: dict, value: dict) -> dict:
    """Returns what a reference names, or the value itself."""
    while "$ref" in value:
        found = document
        for part in value["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        value = found
    return value


def parameters(document: dict, path: str, method: str) -> list[dict]:
    item = document["paths"][path]
    listed = item.get("parameters", []) + item[method].get("parameters", [])
    return [resolved(document, parameter) for parameter in listed]


def close(document: dict) -> dict:
    """Forbids members that a schema of a response does not have. Clients must ignore them; tests must not."""
    schemas = document["components"]["schemas"]
    for schema in schemas.values():
        if "properties" in schema:
            schema.setdefault("additionalProperties", False)
    return document


def fix_paths(document: dict, **values: list[str]) -> dict:
    """Replaces the schemas of parameters of paths by values that exist."""
    for name, examples in {"app_id": [APP], **values}.items():
        document["components"]["parameters"][name]["schema"] = {"type": "string", "enum": examples}
    return document
