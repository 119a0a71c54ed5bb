"""The code of the documentation, as something to call: what operators copy is what the tests run."""

import re
import types

from service import ROOT


def code(page: str, language: str) -> str:
    """The blocks of a language of a page in docs/, in order."""
    text = (ROOT / "docs" / page).read_text()
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert blocks, f"{page} has no {language}"
    return "\n".join(blocks)


def load(page: str) -> types.SimpleNamespace:
    """Runs the Python blocks of a page in docs/, in order, and returns the names they define."""
    names: dict = {}
    exec(compile(code(page, "python"), page, "exec"), names)
    return types.SimpleNamespace(**names)
