"""Reads docs/runbooks.md: the commands of each runbook, and the outputs that it shows."""

import re

from service import ROOT

TEXT = (ROOT / "docs" / "runbooks.md").read_text()

#: What differs between two runs. The page shows an example.
VARIABLE = [
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z", "TIME"), (r"\d{8}T\d{6}Z", "TIME"),
    (r"\b(usr|ses|mk|req|web)_[0-9a-z]{26}\b", r"\1_ID"), (r"\bms=[0-9.]+", "ms=N"),
    (r"\b(after|by) -?\d+ (failures|seconds)", r"\1 N \2"), (r"in \d+ seconds", "in N seconds"),
    (r"failed (once|\d+ times) since", "failed N since"), (r" {2,}", "  "), (r"/[\w./-]*/(?=session\.sqlite)", "/"),
]


def normalized(text: str) -> str:
    for pattern, replacement in VARIABLE:
        text = re.sub(pattern, replacement, text)
    return text


class Runbook:
    """A section of the page."""

    def __init__(self, title: str):
        found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL)
        assert found, f"docs/runbooks.md has no section {title}"
        self.text = found[1]

    def blocks(self, kind: str) -> list[str]:
        found = re.findall(rf"^ *```{kind}\n(.*?)^ *```$", self.text, re.MULTILINE | re.DOTALL)
        return [re.sub(r"(?m)^ {3}", "", block) if block.startswith("   ") else block for block in found]

    def commands(self) -> list[str]:
        """Returns the commands, one for each line. A backslash at the end of a line continues it."""
        return [
            line for block in self.blocks("sh") for line in block.replace("\\\n", "").splitlines()]

    def shows(self, text: str) -> bool:
        """Returns whether an output block has these lines, apart from what differs between two runs."""
        shown = [line.strip() for block in self.blocks("text") for line in normalized(block).splitlines()]
        return all(line.strip() in shown for line in normalized(text).splitlines() if line.strip())
