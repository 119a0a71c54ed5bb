"""The pages of docs/operating, with the installation, and the recipes of docs/proxies.md: their blocks and lines."""

import re

from service import ROOT

#: The pages of docs/operating by their names, in the order of docs/operating.md.
PAGES = {
    name: (ROOT / "docs" / "operating" / f"{name}.md").read_text()
    for name in re.findall(r"\]\(operating/(\w+)\.md\) \|$", (ROOT / "docs" / "operating.md").read_text(), re.MULTILINE)}
PAGE = "\n".join(PAGES.values())
INSTALL = PAGES["install"]
PROXIES = (ROOT / "docs" / "proxies.md").read_text()
HOST = "auth.example.com"

#: A block, and the file that it is if its path begins the line before.
BLOCK = re.compile(r"(?:^`(/[^`]+)`[^\n]*:\n\n)?^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def lines(block: str) -> list[str]:
    return [line for line in block.replace("\\\n", " ").splitlines() if line]


def first_user() -> list[str]:
    """Returns the commands that try the delivery and sign the first user in."""
    section = INSTALL.split("\n## The first user\n")[1].split("\n## ")[0]
    return [line for _, _, block in BLOCK.findall(section) for line in lines(block)]
