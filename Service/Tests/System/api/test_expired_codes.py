"""Tests codes that arrive too late, with a service whose clock is set."""

from person import Person, new_email
from service import running
from shifted_clock import ShiftedService, needs_shift
import postgres


@needs_shift
@postgres.only_embedded
def test_an_expired_code_is_replaced_in_the_same_login_until_its_cookie_ends(tmp_path):
    service = ShiftedService(tmp_path)
    with running(service):
        person, email = Person(service), new_email()
        started = person.device.start(email)
        assert "Max-Age=3000" in started.headers["Set-Cookie"]
        verification, first = started.headers["X-Verification-Token"], person.code(email)
        for seconds in (601, 2990):
            service.set_clock(seconds)
            late = person.device.check(verification, first)
            assert (late.status, late.code, late.json["needs_new_code"]) == (401, "bad_check_code", True)
            assert person.device.resend(verification).status == 204
        assert person.device.check(verification, person.code(email)).status == 200
        # Another login, which ends without a code.
        service.set_clock(0)
        other = person.device.start(new_email()).headers["X-Verification-Token"]
        service.set_clock(3001)
        ended = [person.device.resend(other), person.device.check(other, "123456")]
        assert [(answer.status, answer.code) for answer in ended] == [(400, "invalid_verification_token")] * 2
