"""Loads code from the documentation, so that the tests run what operators copy."""

import re
import types

from service import ROOT


def code(page: str, language: str) -> str:
    """Returns the blocks of a language of a page in docs/, in order."""
    text = (ROOT / "docs" / page).read_text()
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert blocks, f"{page} has no {language} block"
    return "\n".join(blocks)


def load(page: str) -> types.SimpleNamespace:
    """Runs the Python blocks of a page in docs/, in order, and returns the names they define."""
    names: dict = {}
    exec(compile(code(page, "python"), page, "exec"), names)
    return types.SimpleNamespace(**names)
