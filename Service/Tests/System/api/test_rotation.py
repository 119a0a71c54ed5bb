"""Tests each case of a refresh against the running service, with a device that shares no code with this package."""

import shutil

import postgres
import pytest

from device import V1, Device, new_attempt
from person import Person, send_refresh
from service import running
from shifted_clock import ShiftedService, needs_shift
from transport import Answer

PATH = f"{V1}/refresh"


@pytest.fixture
def person(shared) -> Person:
    return Person.signed_in(shared)


def ask(device: Device, refresh_token: str, attempt: str | None) -> Answer:
    """Sends one refresh, and repeats it with the nonce that the service asks for: `iat` has whole seconds only."""
    answer = send_refresh(device, refresh_token, attempt)
    if answer.code == "use_dpop_nonce":
        device.nonce = answer.headers["DPoP-Nonce"]
        answer = send_refresh(device, refresh_token, attempt)
    return answer


def outcome(answer: Answer) -> tuple[int, str | None]:
    return answer.status, answer.code


def is_live(person: Person) -> bool:
    """Returns whether the newest token of the person still rotates."""
    answer = person.device.refresh(person.refresh_token)
    if answer.status == 200:
        person.keep(answer)
    return answer.status == 200


def test_the_same_attempt_gets_the_same_successor_until_it_is_used(person):
    (spent, attempt), = person.rotate()
    successor = person.refresh_token
    for _ in range(3):
        answer = send_refresh(person.device, spent, attempt)
        assert answer.status == 200
        assert answer.headers["X-Refresh-Token"] == successor
    person.rotate()
    assert outcome(send_refresh(person.device, spent, attempt)) == (409, "token_reused")
    assert is_live(person)


def test_a_device_without_attempts_gets_the_same_successor(person):
    person.device.attempts = None
    spent = person.refresh_token
    person.refresh()
    assert send_refresh(person.device, spent).headers["X-Refresh-Token"] == person.refresh_token
    assert is_live(person)


@needs_shift
@postgres.only_embedded
def test_a_device_without_attempts_survives_lost_answers_and_jumps_of_the_clock(tmp_path):
    service = ShiftedService(tmp_path)
    with running(service):
        person = Person.signed_in(service)
        person.device.attempts = None
        for seconds in (61, 300, -300, 0):
            spent = person.refresh_token
            # The answer is lost: the device keeps the spent token.
            lost = ask(person.device, spent, None)
            assert lost.status == 200
            service.set_clock(seconds)
            again = ask(person.device, spent, None)
            assert outcome(again) == (200, None)
            assert again.headers["X-Refresh-Token"] == lost.headers["X-Refresh-Token"]
            person.keep(again)
        assert is_live(person)


# Proves: X9
def test_a_late_request_of_one_of_nine_rotations_is_a_conflict_and_ends_nothing(person):
    spent = person.rotate(9)
    for token, attempt in spent[:-1]:
        assert outcome(send_refresh(person.device, token, attempt)) == (409, "token_reused")
    assert is_live(person)


def test_an_older_token_is_asked_for_a_nonce_and_ends_nothing_within_its_window(person):
    spent = person.rotate(10)
    late = send_refresh(person.device, *spent[0])
    assert outcome(late) == (400, "use_dpop_nonce")
    person.device.nonce = late.headers["DPoP-Nonce"]
    again = send_refresh(person.device, *spent[0])
    # The next nonce window may begin in between. Then the second request is proof of a second holder.
    if again.headers["DPoP-Nonce"] == late.headers["DPoP-Nonce"]:
        assert outcome(again) == (400, "use_dpop_nonce")
        assert is_live(person)


def test_a_proof_that_was_used_before_is_rejected_with_every_token_and_ends_nothing(person):
    (spent, attempt), = person.rotate()
    proof = person.device.proof("POST", PATH, attempt=person.device.attempt(person.refresh_token))
    current = person.refresh_token
    person.keep(send_refresh(person.device, current, proof=proof))
    for token in (spent, current, person.refresh_token):
        assert outcome(send_refresh(person.device, token, proof=proof)) == (400, "invalid_dpop_proof")
    assert is_live(person)


# Proves: X8
@pytest.mark.parametrize("attempt", [new_attempt(), None], ids=["another", "none"])
def test_another_attempt_with_the_previous_token_ends_the_session(person, attempt):
    (spent, _), = person.rotate()
    assert outcome(ask(person.device, spent, attempt)) == (401, "unauthorized")
    assert not is_live(person)


def test_an_attempt_after_a_rotation_without_one_ends_the_session(person):
    person.device.attempts = None
    spent = person.refresh_token
    person.refresh()
    assert outcome(ask(person.device, spent, new_attempt())) == (401, "unauthorized")
    assert not is_live(person)


def test_a_spent_token_without_its_key_ends_the_session_and_a_current_one_does_not(shared, person):
    stranger = Device(person.transport)
    for proof in (stranger.proof("POST", PATH, attempt=new_attempt()), None):
        headers = [("X-Refresh-Token", person.refresh_token)] + ([("DPoP", proof)] if proof else [])
        code = "dpop_key_mismatch" if proof else "missing_dpop_proof"
        assert outcome(person.transport.send("POST", PATH, None, headers)) == (401, code)
    assert is_live(person)
    (spent, attempt), = person.rotate()
    assert outcome(send_refresh(stranger, spent, attempt)) == (401, "unauthorized")
    assert not is_live(person)


@pytest.mark.parametrize("attempt", ["", "short", "A" * 43, "A" * 22 + "=", "!" * 22])
def test_an_attempt_that_is_not_16_bytes_is_an_invalid_proof(person, attempt):
    assert outcome(send_refresh(person.device, person.refresh_token, attempt)) == (400, "invalid_dpop_proof")
    assert is_live(person)


# Proves: R19
@postgres.only_embedded
def test_a_session_that_is_newer_than_a_restored_database_continues(service):
    person = Person.signed_in(service)
    person.rotate()
    service.stop()
    backup = service.directory / "backup.sqlite"
    shutil.copy(service.directory / "session.sqlite", backup)
    service.start()
    spent = person.rotate(3)
    service.stop()
    for suffix in ("-wal", "-shm"):
        (service.directory / f"session.sqlite{suffix}").unlink(missing_ok=True)
    shutil.copy(backup, service.directory / "session.sqlite")
    service.start()
    assert is_live(person)
    assert is_live(person)
    assert outcome(send_refresh(person.device, *spent[-1])) == (400, "use_dpop_nonce")
    assert is_live(person)
    assert "refresh tokens were newer than their sessions in the database, 1 since" in service.log()
