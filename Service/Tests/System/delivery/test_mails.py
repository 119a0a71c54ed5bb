"""Tests how a browser shows the built-in mails: in each language, on small and large screens, light and dark."""

import pytest

import mail_browser
from mail_browser import WIDTHS
from operator_api import Management

LANGUAGES = ["de", "en", "es", "fr", "ja"]
PURPOSES = [
    "sign_in", "step_up", "new_identifier", "notice_new_device", "notice_identifier_added", "notice_identifier_removed",
    "notice_password_changed", "notice_passkey_added", "notice_passkey_removed", "notice_sessions_ended",
]

pytestmark = pytest.mark.skipif(not mail_browser.CHROMIUM, reason="the Debian package chromium is not installed")


@pytest.fixture(scope="module")
def mails(shared) -> dict[str, dict]:
    """Returns the preview of each built-in mail by its name, such as `de-sign_in`."""
    management = Management(shared)
    found = {}
    for locale in LANGUAGES:
        for purpose in PURPOSES:
            answer = management.send(
                "POST", "/config/templates/preview", {"channel": "email", "purpose": purpose, "locale": locale})
            assert answer.status == 200, answer
            found[f"{locale}-{purpose}"] = answer.json
    return found


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_every_mail_fits_and_can_be_read(tmp_path, mails, width, dark):
    shown = mail_browser.measures(tmp_path, {name: mail["html"] for name, mail in mails.items()}, width, dark)
    assert shown.keys() == mails.keys()
    for name, mail in shown.items():
        assert not mail["overflow"], name
        # WCAG 2.2 §1.4.6: enhanced contrast.
        assert mail["contrast"] >= 7, name
        assert mail["dark"] == dark, name
        assert words(mail["text"]) == words(mails[name]["text"]), name
        if name.split("-")[1] in PURPOSES[:3]:
            # The code is large, in one line, and visible without scrolling on the smallest phone.
            code = mail["code"]
            assert (code["text"], code["lines"]) == ("123456", 1) and code["size"] >= 24 and code["bottom"] < 480, name
        else:
            assert mail["code"] is None


def words(text: str) -> list[str]:
    return text.split()


def test_a_long_code_and_a_long_name_fit_on_the_smallest_screen(tmp_path, service):
    management = Management(service)
    assert management.send("PATCH", "", {"name": "W" * 100}).status == 200
    login = management.send("POST", "/config/login/otp", {"channel_type": "email", "code_size": 10})
    assert login.status == 201
    mail = management.send("POST", "/config/templates/preview", {"channel": "email", "purpose": "sign_in"}).json
    shown = mail_browser.measures(tmp_path, {"long": mail["html"]}, min(WIDTHS))["long"]
    assert shown["code"]["text"] == "1234567890" and shown["code"]["lines"] == 1
    assert not shown["overflow"]


def test_a_mail_that_does_not_fit_or_has_no_contrast_is_found(tmp_path, mails):
    mail = mails["en-sign_in"]["html"]
    broken = {
        "wide": mail.replace("font-size: 28px", "font-size: 90px").replace("anywhere", "normal"),
        "pale": mail.replace("#212529", "#ced4da"),
    }
    shown = mail_browser.measures(tmp_path, broken, min(WIDTHS))
    assert shown["wide"]["overflow"] and not shown["pale"]["overflow"]
    assert shown["pale"]["contrast"] < 4.5 < shown["wide"]["contrast"]


@pytest.mark.parametrize("locale", LANGUAGES)
def test_each_language_is_drawn(tmp_path, mails, locale):
    """Writes one picture for each language. To look at them: pytest --basetemp=FOLDER."""
    chosen = {name: mail["html"] for name, mail in mails.items() if name.startswith(locale)}
    for dark in (False, True):
        picture = mail_browser.picture(tmp_path, f"{locale}-{'dark' if dark else 'light'}", chosen, min(WIDTHS), dark)
        assert picture.read_bytes().startswith(b"\x89PNG") and picture.stat().st_size > 20_000
