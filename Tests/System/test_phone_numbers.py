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


@pytest.mark.parametrize("region", ["US", "FR", "JP", "BR"])
def test_a_number_without_its_country_is_rejected(shared, region):
    number = phonenumbers.example_number(region)
    for spelling in (
        phonenumbers.format_number(number, PhoneNumberFormat.NATIONAL),
        phonenumbers.format_number(number, PhoneNumberFormat.RFC3966), "00" + str(number.country_code) + str(number.national_number),
    ):
        body = {"identifiers": [{"type": "phone_number", "value": spelling}]}
        assert Management(shared).send("POST", "/users", body).status == 400, spelling
