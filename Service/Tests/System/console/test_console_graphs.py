"""Tests the graphs of the console in headless Chromium: without a script, live, and for everyone."""

import itertools
import re

import pytest

from console_operator import DESKTOP, PHONE, Operator
from mail_browser import CHROMIUM
from operator_api import Management
from person import Person
from service import APP, Service, running
from transport import Transport
from waiting import wait_until

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")

#: The graphs, in the order of the page.
GRAPHS = ["logins", "refreshes", "failures", "latency", "messages"]

#: The graphs of one app: from its events, and of its calls on the node.
APP_GRAPHS = ["app-logins", "app-messages", "app-refreshes", "app-failures", "app-latency"]

#: Contrast of each line with the card that it is on (WCAG 2.2 §1.4.11), and the dashes that tell it from the others.
LINES = """
const channels = color => color.match(/[0-9.]+/g).map(Number);
const luminance = color => {
  const [r, g, b] = channels(color).map(c => (c /= 255, c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
return [...document.querySelectorAll(".plot svg")].map(svg => [...svg.querySelectorAll(".line")].map(line => {
  const style = getComputedStyle(line);
  const card = getComputedStyle(line.closest(".card")).backgroundColor;
  const [dark, light] = [luminance(style.stroke), luminance(card)].sort((a, b) => a - b);
  return { contrast: (light + 0.05) / (dark + 0.05), dashes: style.strokeDasharray, path: line.getAttribute("d") };
}));
"""


@pytest.fixture(scope="module")
def busy(shared):
    """Returns a service in which something has happened, after its figures have appeared in the graphs."""
    person = Person.signed_in(shared, "ada@example.com")
    assert person.device.refresh(person.refresh_token).status == 200
    Transport(shared.url).send("POST", "/v1/session/refresh", None)
    return shared


@pytest.fixture
def operator(browser, busy):
    """Returns an operator whose pages run no script."""
    operator = Operator(browser, busy)
    operator.sign_in(busy.key)
    yield operator
    assert operator.page.errors == []


def open_until_finished(operator: Operator, path: str = "/activity") -> None:
    """Opens the page of the graphs until it shows a finished login."""
    def is_there() -> bool:
        operator.open(path)
        return (total(operator, "logins", "finished") or 0) >= 1

    wait_until(is_there, 120)


def total(operator: Operator, graph: str, line: str) -> int | None:
    items = operator.run(f"""
        const items = document.querySelectorAll('[data-live="{graph}-legend"] li');
        return [...items].map(item => [item.querySelector("span").innerText, item.querySelector("strong").innerText]);""")
    return next((int(value) for name, value in items if name == line), None)


def test_the_graphs_show_what_has_happened_without_a_script(operator):
    open_until_finished(operator)
    assert total(operator, "logins", "started") >= 1 and total(operator, "refreshes", "renewed") >= 1
    assert total(operator, "failures", "refused") >= 1 and total(operator, "failures", "errors") == 0
    assert total(operator, "messages", "mails sent") >= 1
    for graph in GRAPHS:
        name = operator.run(f"""return document.querySelector('[data-live="{graph}-plot"] svg').ariaLabel;""")
        assert "last hour: " in name and "The numbers follow in a table." in name
        times = operator.run(f"""
            return [...document.querySelectorAll('[data-live="{graph}-plot"] .x span')].map(e => e.innerText);""")
        assert len(times) == 5 and all(re.fullmatch(r"\d\d:\d\d", time) for time in times)
    units = operator.run("return [...document.querySelectorAll('.plot .y')].map(e => e.innerText);")
    assert [("ms" in unit or "s" in unit) for unit in units] == [graph == "latency" for graph in GRAPHS]
    # The numbers of the tables and of the legends are the same.
    sums = operator.run("""
        return [...document.querySelectorAll('[data-live="logins-rows"] tr')].map(row => Number(row.cells[2].textContent));""")
    assert sum(sums) == total(operator, "logins", "finished")
    assert operator.run("return document.querySelector('[data-live=node] strong').innerText;")
    operator.click('nav a[href="/console/activity?range=day"]')
    assert "last day" in operator.text and total(operator, "logins", "finished") >= 1
    for path in ("", f"/apps/{APP}"):
        operator.open(path)
        assert total(operator, "logins", "finished") >= 1


def test_the_graphs_can_be_read_by_everyone_at_each_size_and_in_each_scheme(operator):
    open_until_finished(operator)
    for path, size, dark in itertools.product(
            ("", f"/apps/{APP}", "/activity", "/activity?range=day"), (DESKTOP, PHONE), (False, True)):
        operator.show(size, dark)
        operator.open(path)
        operator.run("for (const e of document.querySelectorAll('.graph details')) e.open = true;")
        assert operator.findings == [], (path, size, dark)
        graphs = operator.run(LINES)
        assert len(graphs) == len(GRAPHS) + (len(APP_GRAPHS) if APP in path else 0)
        for lines in graphs:
            assert all(line["contrast"] >= 3 and line["path"].startswith("M") for line in lines), (lines, size, dark)
            assert len({line["dashes"] for line in lines}) == len(lines), lines
        sizes = operator.run("return [...document.querySelectorAll('.plot svg')].map(e => e.clientWidth);")
        assert min(sizes) >= 200


@pytest.mark.parametrize("path", ["", f"/apps/{APP}"])
def test_the_graphs_stay_up_to_date_and_keep_the_place_of_the_keyboard(browser, busy, path):
    operator = Operator(browser, busy)
    operator.page.call("Emulation.setScriptExecutionDisabled", {"value": False})
    operator.sign_in(busy.key)
    open_until_finished(operator, path)
    operator.run("""
        window.isSamePage = true;
        const details = document.querySelector("#activity .graph details");
        details.open = true;
        details.querySelector("summary").focus();
        window.changes = 0;
        new MutationObserver((all) => window.changes += all.length).observe(
            document.querySelector("#live-state"), { childList: true, characterData: true, subtree: true });""")
    before = total(operator, "logins", "finished")
    Person.signed_in(busy, "grace@example.com")
    wait_until(lambda: total(operator, "logins", "finished") > before, 120)
    assert operator.run("""
        return window.isSamePage && document.activeElement.matches(".graph summary")
            && document.querySelector("#activity .graph details").open;""")
    # Nothing was announced, and the part in which the keyboard is stays.
    assert operator.run("return window.changes === 0 && !document.querySelector('[aria-live]');")
    rows = "return document.querySelector('[data-live=\"logins-rows\"]').innerText;"
    operator.run("""
        window.getSelection().selectAllChildren(document.querySelector('[data-live="refreshes-legend"]'));""")
    shown = operator.run(rows)
    Person.signed_in(busy, "grace@example.com")
    wait_until(lambda: operator.run(rows) != shown, 120)
    assert operator.run("return String(getSelection()).includes('renewed');")
    assert operator.findings == [] and operator.page.errors == []


def test_the_page_says_when_it_is_no_longer_up_to_date(browser, tmp_path):
    with running(Service(tmp_path)) as service:
        operator = Operator(browser, service)
        operator.page.call("Emulation.setScriptExecutionDisabled", {"value": False})
        operator.sign_in(service.key)
        operator.open("/activity")
        # Another tab signs out.
        operator.run("""
            const form = new URLSearchParams({ form_token: document.querySelector("[name=form_token]").value });
            await fetch("/console/sign-out", { method: "POST", body: form, redirect: "manual" });""")
        wait_until(lambda: "are no longer updated" in operator.text, 120)


def test_the_graphs_of_an_app_stay_up_to_date_and_count_this_app_only(browser, busy):
    other = Management(busy, app="other01")
    Transport(busy.url).send("POST", "/v2/session/apps", {"id": "other01", "name": "Other"}, [
        ("Authorization", f"Bearer {busy.key}")])
    key = other.expect(201, "POST", "/keys", {"name": "other app", "role": "read"})["key"]
    operator, stranger = Operator(browser, busy), Operator(browser, busy)
    for each, secret, path in [(operator, busy.key, f"/apps/{APP}"), (stranger, key, "/apps/other01")]:
        each.page.call("Emulation.setScriptExecutionDisabled", {"value": False})
        each.sign_in(secret)
        each.open(path)
        each.run("window.isSamePage = true;")
    lines = [("app-logins", "finished"), ("app-messages", "mails sent"), ("app-refreshes", "renewed"),
             ("app-failures", "refused")]
    # The figures of the node appear with the first slot.
    wait_until(lambda: all(total(operator, *line) is not None for line in lines), 60)
    before = {line: total(operator, *line) for line in lines}
    person = Person.signed_in(busy, "grace@example.com")
    assert person.device.refresh(person.refresh_token).status == 200
    Transport(busy.url).send("POST", "/v1/session/refresh", None)
    for line in lines:
        wait_until(lambda line=line: total(operator, *line) > before[line], 60)
    assert "–" not in operator.run("""return document.querySelector('[data-live="app-latency-legend"]').innerText;""")
    assert operator.run("return window.isSamePage;") and stranger.run("return window.isSamePage;")
    assert [total(stranger, *line) for line in lines] == [0, 0, 0, 0]
    assert "No calls in this time." in stranger.run("""
        return document.querySelector('[data-live="app-latency-plot"]').innerText;""")
    assert operator.findings == stranger.findings == [] and operator.page.errors == stranger.page.errors == []


def test_a_key_of_one_app_sees_no_graph_of_all_apps(browser, busy):
    operator = Operator(browser, busy)
    operator.sign_in(Management(busy).expect(201, "POST", "/keys", {"name": "one app", "role": "read"})["key"])
    for path in ("", f"/apps/{APP}"):
        operator.open(path)
        shown = operator.run("return [...document.querySelectorAll('.graph h3')].map(e => e.id);")
        assert shown == [graph + "-title" for graph in APP_GRAPHS]
        assert "Activity" not in operator.text
    operator.open("/activity")
    assert "This is not allowed" in operator.text
