"""Tests that operations with a single use happen once, even for concurrent requests."""

import threading

import pytest

from operator_api import Management
from person import Person, new_email

CALLERS = 50
SCOPE = "prld:pwd:write"


@pytest.fixture(scope="module")
def management(shared) -> Management:
    management = Management(shared)
    management.set("stepup", {"allowed_scopes": [{
        "scope": SCOPE, "mode": "direct",
        "direct": {
            "identifier_types": ["email_address"], "status": "review", "granted_for": 300, "grant_mode": "single-use",
            "steps": [{"order": 1, "key": "verify_email"}],
        },
    }]})
    management.register(SCOPE)
    return management


@pytest.fixture
def person(shared, management) -> Person:
    """Returns a user with a completed challenge, `person.completed`."""
    email = new_email()
    person = Person.signed_in(shared, email)
    person.completed = person.do_code_step(person.challenge(SCOPE), email)
    return person


def at_once(call) -> list:
    """Runs the call in many threads that start at the same time, and returns the responses. Each call gets its number."""
    barrier = threading.Barrier(CALLERS)
    answers = [None] * CALLERS

    def run(number: int) -> None:
        barrier.wait()
        answers[number] = call(number)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(CALLERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


# Proves: R17
def test_one_grant_changes_one_password(shared, management, person):
    person.refresh(person.completed)
    answers = at_once(
        lambda number: person.device.change_password(person.access_token, f"a good password, number {number}"))
    outcomes = [(answer.status, answer.code) for answer in answers]
    assert outcomes.count((204, None)) == 1, outcomes
    # A busy machine rejects some calls before it looks at them.
    others = [outcome for outcome in outcomes if outcome[0] not in (204, 429, 503)]
    assert others and all(outcome == (403, "insufficient_scope") for outcome in others), outcomes
    [email] = [
        identifier["value"] for identifier in management.get(f"/users/{person.claims()['sub']}")["identifiers"]]
    winner = outcomes.index((204, None))
    signed_in = Person(shared).device.password(email, f"a good password, number {winner}")
    assert signed_in.status == 200, "the password of the call that succeeded"


# Proves: S4
def test_one_completed_challenge_gives_one_grant(management, person):
    user = person.claims()["sub"]
    spent = person.refresh_token
    answers = at_once(lambda _: person.device.refresh(spent, person.completed))
    assert [answer.status for answer in answers] == [200] * CALLERS, [str(answer) for answer in answers]
    assert len({answer.headers["X-Refresh-Token"] for answer in answers}) == 1, "lost answers are repeated"
    granted = [event for event in management.events("step_up.granted") if event["data"]["user_id"] == user]
    assert len(granted) == 1
    for answer in answers:
        assert SCOPE in person.take(answer)["scope"].split()
    person.refresh()
    assert person.scopes() == [], "a single use, however often it was asked for"


# Proves: S4
def test_one_correct_code_completes_one_step(shared, management):
    email = new_email()
    person = Person.signed_in(shared, email)
    challenge = person.challenge(SCOPE)
    assert person.device.send_step_code(challenge).status == 204
    code = person.code(email)
    answers = at_once(lambda _: person.device.check_step(challenge, code))
    outcomes = [(answer.status, answer.code) for answer in answers]
    assert outcomes.count((200, None)) == 1, outcomes
    assert outcomes.count((409, "token_reused")) == CALLERS - 1, outcomes


# Proves: O15, O2
def test_parallel_guesses_get_five_tries(shared, management):
    email = new_email()
    person = Person.signed_in(shared, email)
    challenge = person.challenge(SCOPE)
    assert person.device.send_step_code(challenge).status == 204
    right = person.code(email)
    wrong = str((int(right[0]) + 1) % 10) + right[1:]
    answers = at_once(lambda _: person.device.check_step(challenge, wrong))
    outcomes = [(answer.status, answer.code) for answer in answers]
    assert outcomes.count((401, "bad_check_code")) == 5, outcomes
    assert outcomes.count((401, "invalid_challenge_token")) == CALLERS - 5, outcomes
    late = person.device.check_step(challenge, right)
    assert (late.status, late.code) == (401, "invalid_challenge_token"), "the right code comes too late"


# Proves: R17
def test_a_login_code_signs_in_once(shared):
    email = new_email()
    person = Person(shared)
    verification = person.device.start(email).headers["X-Verification-Token"]
    code = person.code(email)
    answers = at_once(lambda _: person.device.check(verification, code))
    assert [answer.status for answer in answers].count(200) == 1
    challenge = next(answer for answer in answers if answer.status == 200).json["challenge_token"]
    finalized = at_once(lambda _: person.device.finalize(challenge))
    assert [answer.status for answer in finalized].count(200) == 1
    assert {answer.code for answer in finalized if answer.status != 200} == {"token_reused"}
