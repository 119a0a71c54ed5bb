"""Tests the playground of the console in headless Chromium: every step against the running service."""

import itertools
import re

import pytest

from browser import Browser
from console_operator import DESKTOP, PHONE, Operator
from listings import check
from mail_browser import CHROMIUM
from operator_api import Management
from person import Person, new_email
from playground_user import PlaygroundUser
from service import APP, ROOT, Service, running
from sockets import free_port

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")

PAGE = f"/apps/{APP}/playground"
PASSWORD = "correct horse battery 7 Staple"
SIGNED_OUT, CODE_SENT = ["Sign in"], ["Enter the code"]
SIGNED_IN = ["Access token", "Sessions", "Step-up", "Password"]
SCRIPTS = ROOT / "Service" / "Sources" / "SessionConsole" / "Playground" / "Scripts"

#: The names of variables that the listings use.
GIVEN = ("client: PreludeSessionClient, challenge: StepUpChallenge, code: String, password: String, "
         "verificationToken: String")


def in_front_of(browser: Browser, service: Service, url: str | None = None) -> PlaygroundUser:
    user = PlaygroundUser(browser, service, url)
    user.sign_in(service.key)
    return user


@pytest.fixture
def user(browser, shared):
    """Returns an operator in the playground. The page may have no error, and break no policy."""
    user = in_front_of(browser, shared)
    user.service = shared
    user.open_playground()
    yield user
    # The browser reports each refusal of the service, such as a wrong code.
    assert [error for error in user.page.errors if not re.search(r"status of 4\d\d", error)] == []


@pytest.fixture
def ada(user):
    """Returns an operator who has signed a new user in."""
    user.email = new_email()
    user.sign_in_user(user.email)
    assert user.cards == SIGNED_IN
    return user


def claims(user: PlaygroundUser) -> dict[str, str]:
    return user.run("""
        const list = document.querySelector("#play-claims dl");
        return Object.fromEntries([...list.querySelectorAll("dt")].map((name) =>
            [name.textContent, name.nextElementSibling.querySelector("code").textContent]));""")


def sent(step: dict) -> list[str]:
    return [f"{call['method']} {call['path'].removeprefix('/v1/session')} {call['status']}" for call in step["calls"]]


# Signing in


def test_a_code_signs_a_user_in_and_each_call_is_shown_with_its_proof_and_swift(user):
    email = new_email()
    assert user.cards == SIGNED_OUT
    step = user.do("start", address=email)
    assert (step["title"], step["state"], sent(step)) == ("Send a code", "done", ["POST /otp 204"])
    assert f'value: "{email}"' in step["swift"] and "client.startOTPLogin" in step["swift"]
    request = step["calls"][0]["request"]
    assert f'"value": "{email}"' in request and '"code_challenge": "' in request
    assert step["calls"][0]["proof"] == {}
    assert user.cards == CODE_SENT and user.focused == "play-code"
    assert "Send a code: done, 1 call." in user.run("return document.getElementById('play-result').textContent;")

    code = user.take("code", "take")
    assert re.fullmatch(r"\d{6}", code)
    step = user.do("check")
    assert sent(step) == ["POST /otp/check 200", "POST /login/finalize 200"]
    assert step["swift"] == "let user = try await client.checkOTP(code)"
    checked, finalized = step["calls"]
    assert code not in checked["request"] and '"code": "••••••"' in checked["request"]
    assert '"code_verifier": "••••••"' in finalized["request"]
    assert re.search(r'"challenge_token": "eyJ[\w-]+\.[\w-]+\.••••••"', finalized["request"])
    proof = finalized["proof"]
    assert proof["htm"] == "POST" and proof["htu"] == f"{user.url}/v1/session/login/finalize"
    assert proof["typ"] == "dpop+jwt" and proof["alg"] == "ES256" and '"crv": "P-256"' in proof["jwk"]
    assert "HTTP 200" in finalized["answer"] and "X-Request-Id: req_" in finalized["answer"]
    assert user.cards == SIGNED_IN and user.focused == "play-state"
    assert claims(user)["sub"].startswith("usr_") and claims(user)["client_id"] == APP


def test_a_wrong_code_is_an_error_at_its_field_and_the_right_one_follows(user):
    user.do("start", address=new_email())
    code = user.take("code", "take")
    step = user.do("check", code=f"{int(code) ^ 1:06d}")
    assert step["state"] == "failed" and sent(step) == ["POST /otp/check 401"]
    assert step["error"].startswith("invalidOTPCode (bad_check_code): ")
    assert '"code": "bad_check_code"' in step["calls"][0]["answer"]
    assert user.focused == "play-code" and user.run("return document.activeElement.ariaInvalid;") == "true"
    assert "invalidOTPCode" in user.run("return document.activeElement.closest('.card').innerText;")
    # A resend is allowed after 30 seconds, so its answer depends on the speed of this machine.
    resent = user.do("resend")
    assert resent["state"] == "done" or resent["error"].startswith("rateLimited (")
    user.take("code", "take")
    assert user.do("check")["state"] == "done"
    assert user.cards == SIGNED_IN


def test_a_wrong_password_is_refused_and_the_right_one_signs_in(user, shared):
    email = new_email()
    Management(shared).expect(201, "POST", "/users", {
        "identifiers": [{"type": "email_address", "value": email}], "password": PASSWORD})
    step = user.do("password-login", email=email, password="wrong " + PASSWORD)
    assert sent(step) == ["POST /login/email/password 401"] and step["error"].startswith("wrongPassword")
    assert f'emailAddress: "{email}", password: password' in step["swift"]
    step = user.do("password-login", password=PASSWORD)
    assert sent(step) == ["POST /login/email/password 200", "POST /login/finalize 200"]
    assert '"password": "••••••"' in step["calls"][0]["request"] and user.cards == SIGNED_IN
    assert PASSWORD not in user.run("return document.documentElement.outerHTML;")
    assert user.run("return document.getElementById('play-password').value;") == ""


def test_the_playground_is_used_by_keyboard_alone(user):
    def type_and_enter(text: str) -> None:
        user.run("globalThis.before = document.querySelector('#play-log > li');")
        user.page.call("Input.insertText", {"text": text})
        user.page.call("Input.dispatchKeyEvent", {
            "type": "keyDown", "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"})
        user.wait_for_step()

    for _ in range(40):
        if user.focused == "play-address":
            break
        user.press("Tab", 9)
    email = new_email()
    type_and_enter(email)
    assert user.focused == "play-code"
    mails = Person(user.service).transport.send("GET", "/dev/mailbox").json
    type_and_enter(next(mail["code"] for mail in mails if mail["to"] == email))
    assert user.cards == SIGNED_IN and user.focused == "play-state"
    assert user.run("return location.search;") == ""


# The session


def test_a_refresh_rotates_the_token_and_names_its_attempt(ada):
    before = claims(ada)
    step = ada.do("refresh")
    assert sent(step) == ["POST /refresh 200"] and "attempt" in step["calls"][0]["proof"]
    assert "the cookie with the refresh token. No script can read it." in step["calls"][0]["hints"][0]
    after = claims(ada)
    assert after["jti"] != before["jti"] and after["sid"] == before["sid"]


def test_sessions_are_listed_and_one_or_all_others_are_revoked(ada, shared):
    rows = "return [...document.querySelectorAll('#play-session-list li')].map((row) => row.innerText);"
    people = [Person.signed_in(shared, ada.email) for _ in range(3)]
    step = ada.do("list")
    assert sent(step) == ["GET /me/list?limit=20 200"] and len(ada.run(rows)) == 4
    assert re.search(r"Authorization: (Bearer|DPoP) eyJ[\w-]+\.[\w-]+\.••••••\n", step["calls"][0]["request"] + "\n")
    assert [("this page" in row) for row in ada.run(rows)].count(True) == 1
    other = ada.run("""
        const row = [...document.querySelectorAll("#play-session-list li")]
            .find((row) => !row.innerText.includes("this page"));
        globalThis.before = document.querySelector("#play-log > li");
        row.querySelector("button").click();
        return row.querySelector('.mono').textContent;""")
    ada.wait_for_step()
    assert sent(ada.newest) == [f"POST /me/revoke?target=session&session_id={other} 204", "GET /me/list?limit=20 200"]
    assert f'.session(id: "{other}")' in ada.newest["swift"] and len(ada.run(rows)) == 3
    ada.do("revoke-others")
    assert len(ada.run(rows)) == 1
    assert [person.device.refresh(person.refresh_token).status for person in people] == [401] * 3


def test_a_step_up_by_a_code_adds_the_scope_and_a_password_change_uses_one_up(ada):
    def get(scope: str) -> None:
        step = ada.do("scope", scope_name=scope)
        assert sent(step) == ["POST /stepup/request 200"] and f'(scope: "{scope}")' in step["swift"]
        assert ada.focused == "play-scope-code"
        assert sent(ada.do("scope-send")) == ["POST /otp 204"]
        code = ada.take("scope_code", "scope-take")
        wrong = ada.do("scope-check", scope_code=f"{int(code) ^ 1:06d}")
        assert wrong["error"].startswith("invalidOTPCode")
        step = ada.do("scope-check", scope_code=code)
        assert sent(step) == ["POST /otp/check 200", "POST /refresh 200"]
        assert '"step_up_token": "eyJ' in step["calls"][1]["request"]
        assert scope in claims(ada)["scope"]

    get("transfer:write")
    early = ada.do("new-password", new=PASSWORD)
    assert early["error"].startswith("insufficientScope")
    get("prld:pwd:write")
    assert "has the scope for one change" in ada.text
    step = ada.do("new-password", new=PASSWORD)
    assert sent(step)[0] == "POST /me/password/reset 204" and step["state"] == "done"
    assert "prld:pwd:write" not in claims(ada).get("scope", "")
    ada.do("log-out")
    assert ada.do("password-login", email=ada.email, password=PASSWORD)["state"] == "done"


def test_a_log_out_ends_the_session_and_the_signatures_are_forgotten(ada, shared):
    masked = ada.run("return document.getElementById('play-token').textContent;")
    assert masked.endswith(".••••••")
    ada.run("document.getElementById('play-signatures').click();")
    whole = ada.run("return document.getElementById('play-token').textContent;")
    assert len(whole) > len(masked) + 40 and whole.startswith(masked.removesuffix("••••••"))
    user = claims(ada)["sub"]
    step = ada.do("log-out")
    assert sent(step) == ["POST /revoke 204"] and ada.cards == SIGNED_OUT and ada.focused == "play-address"
    assert Management(shared).get(f"/users/{user}/sessions")["total"] == 0
    html = ada.run("return document.documentElement.outerHTML;")
    assert whole not in html and masked.removesuffix("••••••") in html
    ada.run("for (let times = 0; times < 2; times += 1) document.getElementById('play-signatures').click();")
    assert whole not in ada.run("return document.documentElement.outerHTML;")


def test_nothing_is_stored_and_the_page_forgets_the_session(ada):
    stored = ada.run("""
        return [await indexedDB.databases(), { ...localStorage }, { ...sessionStorage }, document.cookie, location.href];
        """)
    assert stored == [[], {}, {}, "", ada.url + "/console" + PAGE]
    ada.page.reload()
    ada.page.wait_until("document.getElementById('play-root')?.hidden === false")
    assert ada.cards == SIGNED_OUT and ada.run("return document.querySelectorAll('#play-log > li').length;") == 0


def test_the_log_is_cleared(ada):
    assert ada.run("return document.querySelectorAll('#play-log > li').length;") == 2
    ada.press_button("clear")
    assert ada.run("return document.querySelectorAll('#play-log > li').length;") == 0
    assert "No call yet" in ada.text


# How the page looks, and what it may do


def test_every_state_can_be_read_by_everyone_at_each_size_and_in_each_scheme(user):
    def audit(state: str) -> None:
        for size, dark in itertools.product((DESKTOP, PHONE), (False, True)):
            user.show(size, dark)
            user.run("for (const each of document.querySelectorAll('details')) each.open = true;")
            assert user.findings == [], (state, size, dark)

    audit("signed out")
    email = new_email()
    user.do("start", address=email)
    audit("code sent")
    user.do("check", code="000000")
    audit("wrong code")
    user.take("code", "take")
    user.do("check")
    user.do("list")
    user.do("scope")
    audit("signed in")


def test_the_page_can_run_no_other_script_and_call_no_other_origin(user):
    violations = user.run("""
        const found = [];
        document.addEventListener("securitypolicyviolation", (event) => found.push(event.effectiveDirective));
        await fetch("https://elsewhere.test/").catch(() => undefined);
        try { document.body.insertAdjacentHTML("beforeend", "<b>x</b>"); } catch {}
        const script = document.createElement("script");
        try { script.textContent = "globalThis.taken = true;"; } catch {}
        document.body.append(script);
        for (let times = 0; times < 1000 && found.length < 3; times += 1)
            await new Promise((resolve) => setTimeout(resolve, 10));
        script.remove();
        return [found, globalThis.taken ?? false];""")
    assert set(violations[0]) >= {"connect-src", "require-trusted-types-for"} and violations[1] is False
    user.page.errors.clear()
    user.open(f"/apps/{APP}/settings")
    assert user.run("return document.scripts.length;") == 0


def test_without_scripts_the_page_says_what_it_needs(browser, shared):
    operator = Operator(browser, shared)
    operator.sign_in(shared.key)
    for size, dark in itertools.product((DESKTOP, PHONE), (False, True)):
        operator.show(size, dark)
        operator.open(PAGE)
        assert "It needs JavaScript." in operator.text and "Send a code" not in operator.text
        assert operator.findings == []


# The listings


def listings(user: PlaygroundUser) -> dict[str, str]:
    return user.run("""
        return Object.fromEntries([...document.querySelectorAll("[data-swift]")]
            .map((listing) => [listing.dataset.swift, listing.textContent]));""")


@pytest.mark.parametrize("version", [5, 6])
def test_the_swift_of_every_step_compiles(user, tmp_path, version):
    found = listings(user)
    assert len(found) > 10
    sources = ["import PreludeSession"]
    for number, swift in enumerate(found.values()):
        sources.append(f"func step{number}({GIVEN}) async throws {{\n{swift}\n}}")
    result = check(tmp_path, sources, version)
    assert result.returncode == 0, result.stderr
    for name, swift in found.items():
        assert re.search(r"try await client\.\w+", swift), name
    wrong = [source.replace("client.logout", "client.logOut") for source in sources]
    assert "logOut" in check(tmp_path, wrong, version).stderr


def test_every_step_of_the_script_has_a_listing_and_the_other_way_round(user):
    script = (SCRIPTS / "playground.js").read_text()
    used = set(re.findall(r'perform\((?:isPhone \? "([\w-]+)" : )?"([\w-]+)"', script))
    assert {name for names in used for name in names if name} == set(listings(user))
    examples = set(re.findall(r'[{,] "([^"]+)": (?:typed|emailAddress|scope|session\.id)', script))
    text = "".join(listings(user).values())
    assert len(examples) == 4 and all(f'"{example}"' in text for example in examples)


# A console of another origin


@pytest.fixture(scope="module")
def separate(tmp_path_factory):
    """Returns a service whose console has a port, and so an origin, of its own."""
    port = free_port()
    with running(Service(tmp_path_factory.mktemp("separate"), "--management-port", str(port))) as service:
        service.console = f"http://localhost:{port}"
        service.management = Management(service, url=service.console)
        yield service


def test_another_origin_is_allowed_by_one_form_and_removed_by_another(browser, separate):
    user = in_front_of(browser, separate, separate.console)
    user.open(PAGE)
    assert "Allow the console to call this app" in user.text and separate.url in user.text
    assert user.run("return document.scripts.length;") == 0 and user.findings == []
    user.submit("#allow")
    assert "The changes are saved." in user.text
    assert separate.management.get("")["allowed_origins"] == [separate.console]
    user.page.wait_until("document.getElementById('play-root')?.hidden === false")
    assert user.findings == []

    email = new_email()
    user.do("start", address=email)
    # The mailbox answers pages of its own origin only, so the console's page of it is linked.
    assert user.run("return document.getElementById('play-take');") is None and "Open the mailbox" in user.text
    mails = Person(separate).transport.send("GET", "/dev/mailbox").json
    step = user.do("check", code=next(mail["code"] for mail in mails if mail["to"] == email))
    # The refresh proves that the browser keeps the cookie.
    assert sent(step) == ["POST /otp/check 200", "POST /login/finalize 200", "POST /refresh 200"]
    assert user.cards == SIGNED_IN and user.do("refresh")["state"] == "done"
    assert step["calls"][2]["proof"]["htu"] == f"{separate.url}/v1/session/refresh"
    assert "X-Request-Id: req_" in step["calls"][2]["answer"] and user.page.errors == []
    user.do("log-out")

    user.submit("#disallow")
    assert "Allow the console to call this app" in user.text
    assert separate.management.get("")["allowed_origins"] == []
    events = separate.management.events("management.app.updated")
    assert len(events) == 2 and events[0]["context"]["actor"]["name"] == "configured"


def test_a_permission_that_ends_is_reported_with_the_remedy(browser, separate):
    user = in_front_of(browser, separate, separate.console)
    separate.management.expect(200, "PATCH", "", {"allowed_origins": [separate.console, "https://app.example.com"]})
    user.open_playground()
    separate.management.expect(200, "PATCH", "", {"allowed_origins": ["https://app.example.com"]})
    step = user.do("start", address=new_email())
    assert step["error"].startswith("originNotAllowed: ") and "Load this page again" in step["error"]
    assert [call["status"] for call in step["calls"]] == ["no answer"] * 3
    user.open(PAGE)
    user.submit("#allow")
    assert separate.management.get("")["allowed_origins"] == ["https://app.example.com", separate.console]
    separate.management.expect(200, "PATCH", "", {"allowed_origins": []})


def test_an_operator_who_may_only_read_cannot_allow_the_origin(browser, separate):
    key = separate.management.expect(201, "POST", "/keys", {"name": "reader", "role": "read"})["key"]
    user = PlaygroundUser(browser, separate, separate.console)
    user.sign_in(key)
    user.open(PAGE)
    assert "Only an admin can allow it." in user.text and user.run("return document.querySelector('#allow');") is None


def test_an_app_that_no_address_leads_to_has_the_remedy(browser, shared):
    user = in_front_of(browser, shared)
    user.open("/new-app")
    user.submit("#app", name="Elsewhere")
    user.open(f"{user.path}/playground")
    assert "No address leads to this app" in user.text and "{app_id}" in user.text and user.findings == []
