"""Tests the check of a code that starts the session, as older web apps call it, with a device that has a key."""

from person import Person, new_email


def test_a_check_that_is_rejected_for_its_headers_keeps_the_code(shared):
    person, mail = Person(shared), new_email()
    verification = person.device.start(mail).headers["X-Verification-Token"]
    code = person.code(mail)
    two = [("X-Refresh-Token", "a"), ("X-Refresh-Token", "b")]
    rejected = person.device.check_at_once(verification, code, two)
    assert (rejected.status, rejected.json["field"]) == (400, "X-Refresh-Token"), rejected
    repeated = person.device.check_at_once(verification, code, [("X-Verification-Token", "b")])
    assert (repeated.status, repeated.json["field"]) == (400, "X-Verification-Token"), repeated
    checked = person.device.check_at_once(verification, code)
    assert checked.status == 200, checked
