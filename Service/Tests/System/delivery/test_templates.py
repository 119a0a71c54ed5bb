"""Tests the commands on templates: list, show, set, remove and preview."""

import json
import stat

import pytest

from service import APP

KEY = ("email", "sign_in", "it")


@pytest.fixture
def template(service):
    """Returns a function that runs a command on templates of the development app."""
    def run(command: str, *arguments: str, stdin: str = ""):
        return service.run("template", command, "--app", APP, *arguments, stdin=stdin)
    return run


def test_a_template_is_set_listed_shown_and_removed(template):
    assert template("show", *KEY).returncode != 0
    made = template("set", *KEY, "--subject", "Codice per {{app_name}}", "--text", "Il codice è {{code}}", "--json")
    assert made.returncode == 0, made.stderr
    expected = {
        "channel": "email", "purpose": "sign_in", "locale": "it", "template": "own",
        "subject": "Codice per {{app_name}}", "text": "Il codice è {{code}}"}
    assert json.loads(made.stdout) == [expected]
    assert json.loads(template("show", *KEY, "--json").stdout) == [expected]
    listed = json.loads(template("list", "--json").stdout)
    assert len(listed) == 101
    assert [entry for entry in listed if entry["template"] == "own"] == [
        {name: expected[name] for name in ("channel", "purpose", "locale", "template")}]
    assert template("remove", *KEY).returncode == 0
    assert template("remove", *KEY).returncode != 0
    assert len(json.loads(template("list", "--json").stdout)) == 100


def test_a_template_is_read_from_a_file_and_from_standard_input(template, tmp_path):
    file = tmp_path / "text"
    file.write_text("Ciao!\n\n{{code}}\n")
    assert template("set", "sms", "sign_in", "it", "--file", str(file)).returncode == 0
    assert json.loads(template("show", "sms", "sign_in", "it", "--json").stdout)[0]["text"] == "Ciao!\n\n{{code}}"
    assert template("set", "sms", "sign_in", "it", "--file", "-", stdin="{{code}}").returncode == 0
    assert json.loads(template("show", "sms", "sign_in", "it", "--json").stdout)[0]["text"] == "{{code}}"
    missing = template("set", "sms", "sign_in", "it", "--file", str(tmp_path / "nothing"))
    assert missing.returncode != 0 and "cannot be read" in missing.stderr
    assert "required" in template("set", "sms", "sign_in", "it").stderr


# Proves: M13
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("sms", "sign_in", "it", "--text", "Il codice"), "text must contain {{code}}"),
        (("sms", "sign_in", "it", "--text", "{{code}} {{time}}"), "text must not contain {{time}} here"),
        (("sms", "notice_new_device", "it", "--text", "https://example.com"), "text must not contain links"),
        (("email", "sign_in", "it", "--text", "{{code}}"), "subject is required"),
        (("email", "sign_in", "it", "--text", "{{code}}", "--subject", "a\nBcc: b@example.com"), "subject must be one line"),
        (("fax", "sign_in", "it", "--text", "{{code}}"), "channel must be sms or email"),
        (("sms", "login", "it", "--text", "{{code}}"), "purpose must be one of sign_in, step_up"),
        (("sms", "sign_in", "i_t", "--text", "{{code}}"), "locale must be a language tag"),
    ])
def test_an_invalid_template_is_rejected_by_its_field(template, arguments, message):
    for command in ("set", "preview"):
        result = template(command, *arguments)
        assert result.returncode != 0 and message in result.stderr, result.stderr
    assert template("show", "sms", "sign_in", "it").returncode != 0


def test_a_preview_shows_subject_text_and_segments(template):
    mail = template("preview", "email", "sign_in", "fr")
    assert mail.returncode == 0, mail.stderr
    assert mail.stdout.startswith("Subject: Votre code de connexion à ") and "\n123456\n" in mail.stdout
    sms = template("preview", "sms", "sign_in", "de-AT").stdout
    assert sms.startswith("123456 ist Ihr Code für ") and sms.endswith(" characters in GSM-7, 1 segment\n")
    long = template("preview", "sms", "sign_in", "fr", "--text", "ça va ? {{code}} " + "x" * 60).stdout
    assert "75 characters in UCS-2, 2 segments" in long
    assert "warning: the SMS has 75 characters and is sent in 2 segments" in long and "does not have: ç" in long
    as_json = json.loads(template("preview", "sms", "sign_in", "en", "--json").stdout)
    assert (as_json["segments"], as_json["encoding"], as_json["warnings"]) == (1, "gsm-7", [])
    assert len(json.loads(template("list", "--json").stdout)) == 100, "a preview stores nothing"


def test_a_preview_shows_control_characters_of_no_value(service, template):
    """A terminal could interpret them. Names cannot contain them, and texts only line breaks."""
    result = template("preview", "sms", "sign_in", "en", "--text", "{{code}}\x1b[31m")
    assert result.returncode != 0 and "\x1b" not in result.stderr + result.stdout


def test_a_preview_writes_the_html_of_a_mail(template, tmp_path):
    file = tmp_path / "mail.html"
    assert template("preview", "email", "sign_in", "ja", "--html", str(file)).returncode == 0
    text = file.read_text()
    assert '<html lang="ja"' in text and ">123456</p>" in text and "://" not in text
    assert stat.S_ISREG(file.stat().st_mode)
    assert "mails only" in template("preview", "sms", "sign_in", "ja", "--html", str(file)).stderr
    assert "cannot be written" in template("preview", "email", "sign_in", "ja", "--html", "/nowhere/x").stderr
