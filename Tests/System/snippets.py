"""The Python of the documentation, as something to call: what operators copy is what the tests run."""

import re
import types

from service import ROOT


def load(page: str) -> types.SimpleNamespace:
    """Runs the Python blocks of a page in docs/, in order, and returns the names they define."""
    text = (ROOT / "docs" / page).read_text()
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert blocks, f"{page} has no Python"
    names: dict = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)
    return types.SimpleNamespace(**names)
