"""Tests the line of docs/operating/install.md and README.md that builds the release. test_bare_debian.py follows the installation."""

import json
import shutil
import subprocess

import pytest

from installation import BLOCK, INSTALL, lines
from service import ROOT


@pytest.mark.skipif(not shutil.which("swift"), reason="there is no swift")
def test_the_build_of_the_pages_has_the_product_of_the_service(tmp_path):
    build = next(block for _, _, block in BLOCK.findall(INSTALL) if "swift build" in block)
    assert build in (ROOT / "README.md").read_text()
    _, command = lines(build)
    product, folder = command.split("--product ")[1], command.split("--package-path ")[1].split(" ")[0]
    manifest = json.loads(subprocess.run(
        ["swift", "package", "--package-path", ROOT / folder, "--scratch-path", tmp_path, "dump-package"],
        capture_output=True, text=True, check=True, timeout=120).stdout)
    assert {"name": product, "type": "executable"}.items() <= next(
        target for target in manifest["targets"] if target["name"] == product).items()
