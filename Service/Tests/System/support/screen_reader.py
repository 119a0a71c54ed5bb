"""What a screen reader gets of a page: the accessibility tree of Chromium, and an audit of it.

The audit of `console_operator.py` looks at elements. This one looks at what the browser has made of them: a role or a name that
it does not compute is never read, whatever the attributes say.
"""

import json
from collections import Counter

from browser import Page

#: Roles by which people jump from part to part of a page.
LANDMARKS = {"banner", "complementary", "contentinfo", "form", "main", "navigation", "region", "search"}
#: Roles that people operate.
CONTROLS = {
    "button", "checkbox", "combobox", "DisclosureTriangle", "link", "listbox", "menuitem", "option", "radio", "searchbox",
    "slider", "spinbutton", "switch", "tab", "textbox", "DateTime"}
#: Roles that need a name beside the controls, if they are there.
NAMED = {"alertdialog", "dialog", "group", "Iframe", "image", "RootWebArea", "table"}
FIELDS = {"checkbox", "combobox", "DateTime", "listbox", "radio", "searchbox", "spinbutton", "switch", "textbox"}
#: Roles whose changes are read without a focus.
LIVE = {"alert", "log", "status"}

#: Elements that say what has happened. They have to be live, and the browser has to know the roles.
MESSAGES = """
return [...document.querySelectorAll(".message.bad, .message:not(.bad):not(.warn)")].filter(e => e.checkVisibility())
  .map(e => [e.getAttribute("role"), e.innerText.slice(0, 60)]);
"""


class Node:
    """A part of the tree that a screen reader can reach."""

    def __init__(self, raw: dict, parent: "Node | None"):
        self.role: str = raw["role"]["value"]
        self.name: str = str(raw.get("name", {}).get("value", "")).strip()
        self.description: str = str(raw.get("description", {}).get("value", "")).strip()
        self.parent, self.children = parent, []
        self.properties = {each["name"]: each["value"] for each in raw.get("properties", [])}
        if parent:
            parent.children.append(self)

    def __str__(self) -> str:
        return f"{self.role} {json.dumps(self.name, ensure_ascii=False)}"

    def get(self, name: str):
        return self.properties.get(name, {}).get("value")

    @property
    def is_disclosure(self) -> bool:
        """Whether this is the group around something that can be opened, which has the name."""
        return self.role == "group" and any(child.role == "DisclosureTriangle" for child in self.children)

    @property
    def above(self):
        node = self.parent
        while node:
            yield node
            node = node.parent

    @property
    def below(self):
        for child in self.children:
            yield child
            yield from child.below

    @property
    def text(self) -> str:
        return " ".join(node.name for node in self.below if node.role == "StaticText").strip()


def tree(page: Page) -> Node:
    """Returns the tree of a page without what screen readers skip."""
    raw = page.call("Accessibility.getFullAXTree")["nodes"]
    by_id = {node["nodeId"]: node for node in raw}

    def add(node: dict, parent: Node | None) -> Node | None:
        own = parent if node.get("ignored") else Node(node, parent)
        for child in node.get("childIds", []):
            if child in by_id:
                add(by_id[child], own)
        return own

    return add(raw[0], None)


def findings(page: Page) -> list[str]:
    """What would keep someone who hears the page from using it."""
    root = tree(page)
    nodes = [root, *root.below]
    found = _names(nodes) + _landmarks(nodes) + _headings(nodes)
    for node in nodes:
        if node.role == "table":
            found += _table(node)
    for role, text in page.run(MESSAGES):
        if role not in LIVE:
            found.append(f"a message is not announced: {text}")
    return found


def _names(nodes: list[Node]) -> list[str]:
    found = [
        f"no name: {node} {node.text[:40]!r}" for node in nodes
        if node.role in CONTROLS | NAMED and not node.name and not node.is_disclosure]
    for node in nodes:
        # A script may move the focus to a heading, which says where one is.
        if node.get("focusable") and node.role not in CONTROLS | LANDMARKS | NAMED | {"heading"}:
            found.append(f"the keyboard reaches what has no role: {node}")
        if node.role in FIELDS and node.get("invalid") == "true" and not node.description:
            found.append(f"does not say what is wrong: {node}")
    return found


def _landmarks(nodes: list[Node]) -> list[str]:
    # A form without a name is no landmark.
    landmarks = [node for node in nodes if node.role in LANDMARKS and (node.role != "form" or node.name)]
    roles = Counter(node.role for node in landmarks)
    found = [f"not one {role}: {roles[role]}" for role in ("main",) if roles[role] != 1]
    found += [f"more than one {role}" for role in ("banner", "contentinfo") if roles[role] > 1]
    for (role, name), count in Counter((node.role, node.name) for node in landmarks).items():
        # A scrolling table is a region with the name of the table, so equal tables have equal regions.
        if count > 1:
            found.append(f"{count} landmarks have the same name: {role} {name!r}")
    for node in landmarks:
        if node.role in ("navigation", "region") and not node.name:
            found.append(f"no name: {node}")
    for node in nodes:
        if node.role == "StaticText" and node.name and not any(above in landmarks for above in node.above):
            link = next((above for above in node.above if above.role == "link"), None)
            if not (link and str(link.get("url")).endswith("#content")):
                found.append(f"outside of all landmarks: {node}")
    return found


def _headings(nodes: list[Node]) -> list[str]:
    found, level = [], 0
    headings = [node for node in nodes if node.role == "heading"]
    for heading in headings:
        own = heading.get("level")
        if own > level + 1:
            found.append(f"heading skips a level: {heading}")
        if not heading.name:
            found.append(f"no name: {heading}")
        level = own
    if [heading.get("level") for heading in headings].count(1) != 1:
        found.append("not one first heading")
    return found


def _table(table: Node) -> list[str]:
    found = []
    rows = [node for node in table.below if node.role == "row"]
    if not rows or not any(cell.role == "columnheader" for cell in rows[0].below):
        found.append(f"no header cells: {table}")
    for row in rows[1:]:
        head = next((cell for cell in row.below if cell.role == "rowheader"), None)
        if not (head and head.text):
            found.append(f"a row without a header: {table} {row.text[:60]!r}")
    # In a table, equal words at different rows do different things. Links to the same page do not.
    controls = {(node.name, node.get("url") or id(node)) for node in table.below if node.role in ("button", "link")}
    names = Counter(name for name, _ in controls)
    found += [f"{count} controls of a table have the same name: {table} {name!r}" for name, count in names.items() if count > 1]
    return found
