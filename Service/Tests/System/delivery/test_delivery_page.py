"""Tests docs/delivery.md: the settings of the page are accepted, and it has every setting of a route."""

import json
import os
import re
import subprocess

from service import BINARY, ROOT

PAGE = (ROOT / "docs" / "delivery.md").read_text()


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^ *```{kind}\n(.*?)^ *```$", PAGE, re.MULTILINE | re.DOTALL)


def delivery_test(directory, to: str, file: dict, variables: dict[str, str]) -> str:
    (directory / "session.json").write_text(json.dumps(file))
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PRELUDE_SESSION_")}
    result = subprocess.run(
        [BINARY, "delivery", "test", "--to", to, "--timeout", "2", "--config", directory / "session.json"],
        env=inherited | variables, capture_output=True, text=True, timeout=60)
    # The servers of the page do not exist, but the settings are right.
    assert result.returncode == 1 and result.stderr == "", result
    return result.stdout


def test_the_settings_of_the_page_are_accepted(tmp_path):
    (tmp_path / "secret").write_text("a secret\n")
    mail, sms = [json.loads(block) for block in blocks("json")][:2]
    for settings, route, to in ((mail, "smtp", "you@example.com"), (sms, "twilio", "+14155550123")):
        settings = {name: str(tmp_path / "secret") if name.endswith("File") else value for name, value in settings.items()}
        assert f": {route}" in delivery_test(tmp_path, to, settings, {})


def test_the_variables_of_the_page_are_accepted(tmp_path):
    (tmp_path / "secret").write_text("a secret\n")
    variables = dict(re.findall(r"export (\w+)='?([^'\n]*)'?$", "".join(blocks("sh")), re.MULTILINE))
    assert len(variables) == 5
    variables["PRELUDE_SESSION_EMAIL_SECRET_FILE"] = str(tmp_path / "secret")
    assert ": smtp" in delivery_test(tmp_path, "you@example.com", {}, variables)


def test_the_page_has_every_setting_of_a_route():
    source = (ROOT / "Service" / "Sources" / "prelude-session" / "Configuration" / "SettingDefinition.swift").read_text()
    keys = re.findall(r"\b(?:email|sms)(?!Fallback)[A-Z]\w+", source)
    assert len(set(keys)) > 15
    for key in keys:
        assert f"`{key}`" in PAGE, key


def test_the_page_has_the_members_of_a_message_to_a_backend():
    source = (ROOT / "Service" / "Sources" / "SessionDomain" / "Delivery" / "Routes" / "WebhookRoute.swift").read_text()
    cases = re.search(r"enum CodingKeys.*?\n        \}", source, re.DOTALL)[0]
    plain = re.search(r"case ([a-z, ]+)\n", cases)[1].split(", ")
    members = {*plain, *re.findall(r'= "(\w+)"', cases)}
    body = next(json.loads(block) for block in blocks("json") if "msg_" in block)
    assert members - {"subject", "html"} == set(body)
