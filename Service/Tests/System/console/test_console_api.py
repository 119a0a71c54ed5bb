"""Tests the readable description of the APIs in the console: it is the same as docs/openapi.yaml, and its commands work."""

import itertools
import json
import os
import re
import subprocess

import pytest

import openapi_document
from console_operator import DESKTOP, PHONE, Operator
from mail_browser import CHROMIUM
from operator_api import Management
from person import new_email
from service import APP

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")

DOCUMENT = openapi_document.document()

#: What the page of a group shows.
CALLS = """
const texts = (part, selector) => [...part.querySelectorAll(selector)].map(e => e.innerText.trim());
const table = (call, title) => [...call.querySelectorAll("table")].filter(t => t.caption.innerText.startsWith(title + " of "))
  .flatMap(t => [...t.tBodies[0].rows].map(row => [...row.cells].map(cell => cell.innerText.trim())));
for (const e of document.querySelectorAll("details")) e.open = true;
return [...document.querySelectorAll("section.call")].map(call => ({
  id: call.id, summary: call.querySelector("h2").innerText, path: call.querySelector("code.path").innerText,
  method: call.querySelector(".method").innerText, text: call.innerText, parameters: table(call, "Parameters"),
  body: table(call, "Members of body"), errors: table(call, "Errors"), titles: texts(call, "h3"),
  examples: texts(call, "details pre"), command: texts(call, "h3:last-of-type + pre")[0],
}));
"""


@pytest.fixture(scope="module")
def operator(browser, shared):
    operator = Operator(browser, shared)
    operator.sign_in(shared.key)
    yield operator
    assert operator.page.errors == []


@pytest.fixture(scope="module")
def calls(operator) -> dict[str, dict]:
    """Returns what all pages show, by the id of the call."""
    calls = {}
    for tag in DOCUMENT["tags"]:
        operator.open("/api/" + tag["name"].lower().replace(" ", "-"))
        assert plain(tag["description"]) in operator.text
        for call in operator.run(CALLS):
            assert call["id"] not in calls
            calls[call["id"]] = call
    return calls


def plain(text: str) -> str:
    """Returns a text as the page shows it: code without backticks."""
    return " ".join(text.replace("`", "").split())


def schema(value: dict) -> dict:
    return openapi_document.resolved(DOCUMENT, value)


def test_the_pages_have_every_call_with_its_parameters_and_responses(calls):
    operations = {operation["operationId"]: (path, method, operation)
                  for path, method, operation in openapi_document.operations(DOCUMENT)}
    assert calls.keys() == operations.keys() and len(calls) > 100
    for name, (path, method, operation) in operations.items():
        call = calls[name]
        text = " ".join(call["text"].split())
        assert (call["path"], call["method"], call["summary"]) == (path, method.upper(), operation["summary"])
        assert plain(operation.get("description", "")) in text, name
        parameters = openapi_document.parameters(DOCUMENT, path, method)
        assert [row[:2] for row in call["parameters"]] == [
            [each["name"] + (" required" if each.get("required") else ""), each["in"]] for each in parameters], name
        for row, parameter in zip(call["parameters"], parameters):
            assert " ".join(row[3].split()).startswith(plain(parameter["description"])), (name, row)
        responses = {status: schema(response) for status, response in operation["responses"].items()}
        assert [row[:2] for row in call["errors"]] == [
            [status, plain(response["description"])] for status, response in responses.items() if status >= "400"], name
        for status, response in responses.items():
            if status < "400":
                assert f"Response {status}" in call["titles"] and plain(response["description"]) in text, name


def test_the_pages_have_the_members_of_every_body_and_its_examples(calls):
    bodies = 0
    for _, _, operation in openapi_document.operations(DOCUMENT):
        call = calls[operation["operationId"]]
        contents = [*schema(operation.get("requestBody", {})).get("content", {}).values()]
        for content in contents:
            bodies += 1
            body = schema(content["schema"])
            required = body.get("required", [])
            shown = {row[0].removesuffix(" required"): row for row in call["body"]}
            for name, member in body.get("properties", {}).items():
                row = shown[name]
                member = schema(member) | member
                assert row[0].endswith(" required") == (name in required), row
                assert plain(member.get("description", "")) in " ".join(row[2].split()), row
                for limit in ("minimum", "maximum", "minLength", "maxLength", "maxItems", "const", "pattern"):
                    if limit in member:
                        assert str(member[limit]) in row[2], (row, limit)
                for value in member.get("enum", []):
                    assert str(value) in row[2], (row, value)
        for status, response in operation["responses"].items():
            if status < "400":
                contents += schema(response).get("content", {}).values()
        examples = [content["example"] for content in contents if "example" in content]
        assert [json.loads(example) for example in call["examples"]] == examples, operation["operationId"]
    assert bodies > 40


def test_the_command_lines_work_with_their_variables(calls, shared):
    management = Management(shared)
    user = management.expect(201, "POST", "/users", {
        "identifiers": [{"type": "email_address", "value": new_email()}]})["id"]
    names = {"URL": shared.url, "MANAGEMENT_KEY": shared.key, "APP_ID": APP, "USER_ID": user}

    def run(call: str) -> dict:
        command = calls[call]["command"]
        assert set(re.findall(r"\$([A-Z_]+)", command)) <= names.keys(), command
        done = subprocess.run(
            ["bash", "-c", command.replace("curl", "curl --silent --fail", 1)], env={**os.environ, **names},
            capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, (command, done.stderr)
        return json.loads(done.stdout)

    assert user in [each["id"] for each in run("findUsers")["users"]]
    assert run("createKey")["key"].startswith("psk_")
    for call in calls.values():
        # Each is one command for a shell.
        checked = subprocess.run(["bash", "-n", "-c", call["command"]], capture_output=True, text=True, timeout=60)
        assert checked.returncode == 0 and call["command"].startswith("curl"), (call["command"], checked.stderr)


def test_the_pages_can_be_read_by_everyone(operator):
    slugs = [tag["name"].lower().replace(" ", "-") for tag in DOCUMENT["tags"]]
    for path in ["/api", "/api?q=code", "/api?q=nothing+at+all", *(f"/api/{slug}" for slug in slugs)]:
        for size, dark in [(DESKTOP, False), (PHONE, True)]:
            operator.show(size, dark)
            operator.open(path)
            assert operator.findings == [], (path, size)
    for size, dark in itertools.product((DESKTOP, PHONE), (False, True)):
        operator.show(size, dark)
        operator.open("/api/login")
        operator.run("for (const e of document.querySelectorAll('details')) e.open = true;")
        assert operator.findings == [], (size, dark)


def test_a_call_is_found_by_its_words_and_opened(operator):
    operator.open("/api")
    operator.submit("main form[role=search]", q="list sessions user")
    assert operator.path == "/api"
    links = operator.run("return [...document.querySelectorAll('.calls a')].map(e => e.getAttribute('href'));")
    assert links and all(re.fullmatch(r"/console/api/[a-z-]+#[A-Za-z]+", link) for link in links)
    operator.click(".calls a")
    target = operator.run("return document.querySelector(':target').id;")
    assert links[0].endswith("#" + target)
    operator.open("/api")
    assert operator.run("return document.querySelector('nav a[aria-current=page]').innerText;") == "API"
