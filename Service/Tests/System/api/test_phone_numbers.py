"""Tests that the example numbers of every region are accepted, in the spellings that people use (phonenumbers, PyPI)."""

import phonenumbers
import pytest
from phonenumbers import PhoneNumberFormat, PhoneNumberType

from operator_api import Management

KINDS = [PhoneNumberType.MOBILE, PhoneNumberType.FIXED_LINE, PhoneNumberType.VOIP]


def examples() -> set[phonenumbers.PhoneNumber]:
    numbers = set()
    for region in phonenumbers.SUPPORTED_REGIONS:
        for kind in KINDS:
            number = phonenumbers.example_number_for_type(region, kind)
            if number is not None:
                numbers.add((number.country_code, number.national_number, number.italian_leading_zero, region))
    return numbers


def test_every_region_has_an_example():
    assert len(phonenumbers.SUPPORTED_REGIONS) > 240
    assert {example[3] for example in examples()} == set(phonenumbers.SUPPORTED_REGIONS)


# Proves: O37
def test_the_example_numbers_of_every_region_are_accepted(shared):
    management, refused = Management(shared), []
    for region in sorted(phonenumbers.SUPPORTED_REGIONS):
        for kind in KINDS:
            number = phonenumbers.example_number_for_type(region, kind)
            if number is None:
                continue
            e164 = phonenumbers.format_number(number, PhoneNumberFormat.E164)
            for spelling in (e164, phonenumbers.format_number(number, PhoneNumberFormat.INTERNATIONAL)):
                body = {"identifiers": [{"type": "phone_number", "value": spelling}]}
                answer = management.send("POST", "/users", body)
                if answer.status == 409:
                    # Regions share numbers, and both spellings are one number.
                    continue
                if answer.status != 201 or answer.json["identifiers"][0]["value"] != e164:
                    refused.append((region, spelling, answer.status))
    assert refused == []


# Proves: O37
@pytest.mark.parametrize("region", ["US", "FR", "JP", "BR"])
def test_a_number_without_its_country_is_rejected(shared, region):
    number = phonenumbers.example_number(region)
    for spelling in (
        phonenumbers.format_number(number, PhoneNumberFormat.NATIONAL),
        phonenumbers.format_number(number, PhoneNumberFormat.RFC3966), "00" + str(number.country_code) + str(number.national_number),
    ):
        body = {"identifiers": [{"type": "phone_number", "value": spelling}]}
        assert Management(shared).send("POST", "/users", body).status == 400, spelling


def test_a_trunk_zero_in_parentheses_is_read_as_phonenumbers_reads_it(shared):
    """`+49 (0) 170 …`: 0 is dialled inside the country only. In Italy and a few others it is a part of the number."""
    management, others, read = Management(shared), [], 0
    for region in sorted(phonenumbers.SUPPORTED_REGIONS):
        for kind in KINDS:
            number = phonenumbers.example_number_for_type(region, kind)
            if number is None:
                continue
            code, national = number.country_code, phonenumbers.national_significant_number(number)
            rest = national.removeprefix("0")
            for spelling in (f"+{code} (0) {rest}", f"+{code}(0){rest}", f"+{code} (0){rest[:2]} {rest[2:]}"):
                parsed = phonenumbers.parse(spelling)
                if not phonenumbers.is_valid_number(parsed):
                    continue
                read += 1
                e164 = phonenumbers.format_number(parsed, PhoneNumberFormat.E164)
                body = {"identifiers": [{"type": "phone_number", "value": spelling}]}
                answer = management.send("POST", "/users", body)
                found = management.send("POST", "/users/batch_lookup", {"identifiers": [{"type": "phone_number", "value": e164}]})
                made = answer.json["identifiers"][0]["value"] if answer.status == 201 else e164
                if answer.status not in (201, 409) or made != e164 or len(found.json["users"]) != 1:
                    others.append((region, spelling, e164, answer.status))
    assert read > 800 and others == []
