"""Checks the types of the JavaScript modules by their JSDoc: the browser client, and the playground on it."""

import shutil
import subprocess

import pytest

from programs import program
from service import ROOT

TSC = program("tsc", "node-typescript")
CLIENT = ROOT / "clients" / "web" / "prelude-session.js"
PLAYGROUND = ROOT / "Service" / "Sources" / "SessionConsole" / "Playground" / "Scripts"

pytestmark = pytest.mark.skipif(TSC is None, reason="needs the Debian package node-typescript")


def findings(folder) -> list[str]:
    """Checks all modules in a folder."""
    checked = subprocess.run(
        [TSC, "--noEmit", "--allowJs", "--checkJs", "--strict", "--target", "es2022", "--module", "es2022",
         "--moduleResolution", "node", "--lib", "es2022,dom,dom.iterable", *folder.glob("*.js")],
        capture_output=True, text=True)
    assert (checked.returncode == 0) == (checked.stdout == ""), checked
    return checked.stdout.splitlines()


def test_the_types_of_the_browser_client_are_checked(tmp_path):
    shutil.copy(CLIENT, tmp_path)
    assert findings(tmp_path) == []
    # A page that uses the module in a wrong way gets errors.
    (tmp_path / "page.js").write_text(
        'import { PreludeSessionClient } from "./prelude-session.js";\n'
        'new PreludeSessionClient({ endpoint: 1 });\nnew PreludeSessionClient({}).logOut();\n')
    places = [line.split(":")[0].rsplit("/", 1)[-1] for line in findings(tmp_path) if "page.js" in line]
    assert places == ["page.js(2,28)", "page.js(3,30)"]


def test_the_types_of_the_playground_are_checked(tmp_path):
    # The service serves the modules side by side.
    scripts = sorted(PLAYGROUND.glob("*.js"))
    for module in [CLIENT, *scripts]:
        shutil.copy(module, tmp_path)
    assert len(scripts) >= 5 and findings(tmp_path) == []
