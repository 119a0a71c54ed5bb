"""Tests docs/openapi.yaml: it is valid, and has the body types and parameters of the service, and examples that fit."""

from urllib.parse import quote

import pytest
from jsonschema import Draft202012Validator, FormatChecker
from openapi_spec_validator import OpenAPIV31SpecValidator

import openapi_document
import swift_bodies
from operator_api import Management
from service import APP
from transport import Transport

DOCUMENT = openapi_document.document()
SCHEMAS = DOCUMENT["components"]["schemas"]
BODIES = swift_bodies.bodies()

#: Types that are no schema: what the SDK sends instead of the service's type, and the frame of configurations.
OTHER_TYPES = {
    "FinalizeRequest": "OptionalFinalizeRequest", "ContinueStepUpRequest": "OptionalContinueRequest",
    "ConfigEnvelope": None,
}
#: Schemas of types that write their members without properties, and of settings (test_settings.py).
WRITTEN_BY_HAND = {
    "EventContext.Device", "SessionConfigBody", "NoticesConfigBody", "LimitsConfigBody", "LimitsConfigBody.Rate",
    "LimitsConfigBody.SendHook", "AppBody", "MigrationConfigBody", "OTPConfigBody", "PasskeyConfigBody", "PasswordConfigBody",
    "TemplateSettingsBody",
    "PasswordConfigChangeBody.Compliancy"}
#: Types that also have settings, or lists of them.
WITH_SETTINGS = {
    "AppChangeBody", "AppListBody", "OTPConfigChangeBody", "OTPConfigListBody", "PasswordConfigChangeBody", "TemplateListBody"}
COMPARED = sorted(set(BODIES) - {"ConfigEnvelope"} - WITH_SETTINGS)
#: Types that write the members of another one among their own.
EXTENDED = {"AuditedEventBody": "EventBody", "UserExportBody.Session": "SessionView"}


def members(name: str) -> set[str]:
    own = BODIES[name].members
    return own | BODIES[EXTENDED[name]].members if name in EXTENDED else own


def test_the_document_is_valid():
    errors = list(OpenAPIV31SpecValidator(DOCUMENT).iter_errors())
    assert not errors, errors


def test_every_body_type_is_found():
    assert len(BODIES) == swift_bodies.declarations() > 70


def test_every_body_type_has_a_schema_and_the_other_way_round():
    assert set(BODIES) - set(OTHER_TYPES) == set(SCHEMAS) - WRITTEN_BY_HAND


@pytest.mark.parametrize("name", COMPARED)
def test_every_member_of_a_type_is_a_property_of_its_schema_and_the_other_way_round(name):
    schema = SCHEMAS[OTHER_TYPES.get(name) or name]
    assert members(name) == set(schema["properties"])
    required = BODIES[name].required
    if name not in OTHER_TYPES and name not in EXTENDED and required is not None:
        assert required == set(schema.get("required", [])), "members that are never left out"


#: Types that are written as one value.
VALUES = {
    "String": {"type": "string"}, "Bool": {"type": "boolean"}, "Int": {"type": "integer"}, "Int64": {"type": "integer"},
    "ErrorCode": {"type": "string"}, "Kind": {"type": "string"}, "StepUpStatusName": {"type": "string"}, "JSONValue": {},
}


def schema_of(type_: str, owner: str) -> dict:
    """Returns the schema that a Swift type must have at least. The owner is the type whose member has it."""
    type_ = type_.removesuffix("?")
    if not type_.startswith("["):
        nested = [f"{part}.{type_}" for part in (owner, owner.rpartition(".")[0]) if f"{part}.{type_}" in SCHEMAS]
        inside = [name for name in SCHEMAS if name.endswith(f".{type_}")]
        if type_ in VALUES:
            return VALUES[type_]
        [name, *_] = nested or ([type_] if type_ in SCHEMAS else inside)
        return {"$ref": f"#/components/schemas/{name}"}
    key, colon, value = type_[1:-1].partition(": ")
    if not colon or "[" in key:
        return {"type": "array", "items": schema_of(type_[1:-1], owner)}
    assert key == "String", type_
    return {"type": "object", "additionalProperties": schema_of(value, owner) or True}


def fits(schema: dict, least: dict) -> bool:
    """Whether a schema has all of another one. It may say more, such as a format."""
    return all(
        fits(schema.get(key, {}), value) if isinstance(value, dict) else schema.get(key) == value
        for key, value in least.items())


@pytest.mark.parametrize("name", COMPARED)
def test_every_property_of_a_schema_has_the_type_of_its_member(name):
    properties = SCHEMAS[OTHER_TYPES.get(name) or name]["properties"]
    wrong = {
        member: (type_, properties[member]) for member, type_ in BODIES[name].types.items()
        if not fits(properties[member], schema_of(type_, name))}
    assert not wrong


def test_most_members_have_a_type():
    """The others belong to types that write them one by one. Schemathesis compares what the service writes."""
    typed = sum(len(body.types) for body in BODIES.values())
    assert typed > 290 and sum(len(body.members) for body in BODIES.values()) < typed + 30


def test_every_component_is_used():
    text = openapi_document.text()
    for kind, components in DOCUMENT["components"].items():
        for name in components:
            used = f"{name}: []" if kind == "securitySchemes" else f"'#/components/{kind}/{name}'"
            assert used in text, f"{kind} {name} is not used"


def examples():
    """Yields each media type that has an example. A response that several operations refer to comes once."""
    contents = [(name, response) for name, response in DOCUMENT["components"]["responses"].items()]
    for path, method, operation in openapi_document.operations(DOCUMENT):
        parts = {"request": operation.get("requestBody", {}), **operation["responses"]}
        contents += [(f"{method.upper()} {path} {part}", value) for part, value in parts.items()]
    for name, value in contents:
        for media in value.get("content", {}).values():
            if "example" in media:
                yield pytest.param(media, id=name)


@pytest.mark.parametrize("media", examples())
def test_every_example_fits_its_schema(media):
    closed = openapi_document.close(openapi_document.document())
    schema = {**media["schema"], "components": closed["components"]}
    validator = Draft202012Validator(schema, format_checker=FormatChecker())
    errors = [error.message for error in validator.iter_errors(media["example"])]
    assert not errors, errors


def test_every_operation_that_reads_a_body_has_an_example():
    for path, method, operation in openapi_document.operations(DOCUMENT):
        if body := operation.get("requestBody"):
            assert "example" in body["content"]["application/json"], f"{method} {path}"


def test_the_service_serves_the_document(shared):
    answer = Transport(shared.url).send("GET", "/openapi.yaml")
    assert answer.status == 200 and answer.headers["Content-Type"] == "application/yaml"
    assert answer.body.decode() == openapi_document.text()


def test_the_management_api_accepts_exactly_the_query_parameters_of_the_document(shared):
    """Sends each name that any call has to each call. Only the names of the call are accepted."""
    calls = [
        (path, method, {
            parameter["name"] for parameter in openapi_document.parameters(DOCUMENT, path, method)
            if parameter["in"] == "query"})
        for path, method, _ in openapi_document.operations(DOCUMENT) if path.startswith("/v2/")]
    names = set().union(*(known for _, _, known in calls))
    assert len(calls) > 70 and len(names) > 10
    transport = Transport(shared.url)
    for path, method, known in calls:
        target = path.replace("{app_id}", APP)
        for parameter in openapi_document.parameters(DOCUMENT, path, method):
            target = target.replace("{%s}" % parameter["name"], "x")
        # Calls that change something have no parameters but for one, so one more is enough.
        for name in names if method == "get" else {*known, "limit"}:
            # The value fits no parameter, so that no call is carried out.
            answer = transport.send(
                method.upper(), f"{target}?{name}={quote('!')}", None if method == "get" else {},
                [("Authorization", f"Bearer {shared.key}")])
            unknown = answer.status == 400 and "is not a parameter of this call" in answer.json["message"]
            assert unknown == (name not in known), f"{method} {target} {name}: {answer} {answer.body}"


def test_the_management_api_refuses_members_in_the_body_of_every_call_that_has_none(shared):
    calls = [
        (path, method) for path, method, operation in openapi_document.operations(DOCUMENT)
        if path.startswith("/v2/") and "requestBody" not in operation]
    assert {method for _, method in calls} == {"get", "post", "delete"}
    transport = Transport(shared.url)
    for path, method in calls:
        target = path.replace("{app_id}", APP)
        for parameter in openapi_document.parameters(DOCUMENT, path, method):
            target = target.replace("{%s}" % parameter["name"], "x")
        answer = transport.send(
            method.upper(), target, {"dry_run": True}, [("Authorization", f"Bearer {shared.key}")])
        assert answer.status == 400, f"{method} {target}: {answer} {answer.body}"
        assert answer.json["message"].startswith("dry_run "), f"{method} {target}: {answer.body}"


def test_an_error_of_the_management_api_fits_its_schema(shared):
    answer = Management(shared).send("GET", "/users?statsu=active")
    assert answer.status == 400
    assert set(answer.json) == set(SCHEMAS["ManagementErrorBody"]["properties"])
    assert answer.json["request_id"] == answer.headers["X-Request-Id"]
