"""What docs/verify.md shows in other languages verifies the service's tokens, and refuses what it says it refuses."""

import base64
import json
import re
import secrets
import shutil
import subprocess
import time

import pytest

from joserfc import jwt
from joserfc.jwk import ECKey, OKPKey, RSAKey

import snippets
from person import Person
from service import APP, ROOT
from transport import Transport

#: By language: what runs it, its file, and how the snippet is called. All take token, keys, issuer and audience, print
#: the user's id, and fail with a code that is not 0.
RUNNERS = {
    "javascript": (["node"], "verify.mjs", """
        const [token, keys, issuer, audience] = JSON.parse(process.argv[2]);
        console.log(verify(token, keys, issuer, audience).sub);
    """),
    "go": (["go", "run"], "verify.go", """
        func main() {
            var input []json.RawMessage
            var token, issuer, audience string
            var keys []Key
            json.Unmarshal([]byte(os.Args[1]), &input)
            json.Unmarshal(input[0], &token)
            json.Unmarshal(input[1], &keys)
            json.Unmarshal(input[2], &issuer)
            json.Unmarshal(input[3], &audience)
            claims, err := Verify(token, keys, issuer, audience)
            if err != nil {
                panic(err)
            }
            fmt.Println(claims.Sub)
        }
    """),
    "php": (["php"], "verify.php", """
        [$token, $keys, $issuer, $audience] = json_decode($argv[1], true);
        echo verify($token, $keys, $issuer, $audience)['sub'], "\\n";
    """),
    "ruby": (["ruby"], "verify.rb", """
        puts verify(*JSON.parse(ARGV[0]))["sub"]
    """),
}
LANGUAGES = ["python", *RUNNERS]
ISSUER = "localhost"


class Refused(Exception):
    pass


@pytest.fixture(scope="module")
def verify(tmp_path_factory):
    """`verify(language, token, jwks)`: the user's id, or `Refused`."""
    page = (ROOT / "docs" / "verify.md").read_text()
    folder = tmp_path_factory.mktemp("verify")

    def python(token, jwks):
        from joserfc.jwk import KeySet
        names = snippets.load("verify.md")
        try:
            return names.verify(token, KeySet.import_key_set(jwks), ISSUER, APP)["sub"]
        except Exception as error:
            raise Refused(error) from error

    def command(language):
        program, name, main = RUNNERS[language]
        file = folder / name
        code = re.search(rf"(?ms)^```{language}\n(.*?)^```$", page)[1]
        if language == "go":
            code = code.replace('"errors"', '"errors"\n\t"fmt"\n\t"os"')
        file.write_text(code + main)
        return [*program, str(file)]

    def run(language, token, jwks):
        if language == "python":
            return python(token, jwks)
        told = subprocess.run(
            [*command(language), json.dumps([token, jwks["keys"], ISSUER, APP])],
            capture_output=True, text=True, timeout=120)
        if told.returncode != 0:
            raise Refused(told.stderr)
        return told.stdout.strip()

    return run


@pytest.fixture(params=LANGUAGES)
def language(request):
    # Python and Node are required; the others are tried where they are installed.
    if request.param not in ("python", "javascript") and not shutil.which(RUNNERS[request.param][0][0]):
        pytest.skip(f"{request.param} is not installed")
    return request.param


@pytest.fixture(scope="module")
def signer():
    return OKPKey.generate_key("Ed25519", parameters={"kid": "k1", "alg": "EdDSA", "use": "sig"})


def token(signer, header=None, **changes) -> str:
    now = int(time.time())
    claims = {
        "iss": ISSUER, "aud": APP, "sub": "usr_1", "sid": "ses_1", "client_id": APP, "jti": secrets.token_hex(8),
        "iat": now, "nbf": now, "exp": now + 300, **changes,
    }
    return jwt.encode({"alg": "EdDSA", "typ": "at+jwt", "kid": "k1", **(header or {})}, claims, signer, ["EdDSA", "ES256", "RS256"])


def test_tokens_of_the_service_are_verified(shared, verify, language):
    person = Person.signed_in(shared)
    jwks = Transport(shared.url).send("GET", "/.well-known/jwks.json").json
    assert verify(language, person.access_token, jwks) == person.claims()["sub"]


@pytest.mark.parametrize("kind", ["ES256", "RS256"])
@pytest.mark.parametrize("language", ["python", "javascript"])
def test_other_algorithms_are_verified_where_the_page_says_so(verify, language, kind):
    parameters = {"kid": "k1", "alg": kind, "use": "sig"}
    key = (
        ECKey.generate_key("P-256", parameters=parameters) if kind == "ES256"
        else RSAKey.generate_key(2048, parameters=parameters))
    jwks = {"keys": [key.as_dict(private=False)]}
    assert verify(language, token(key, {"alg": kind}), jwks) == "usr_1"
    with pytest.raises(Refused):
        verify(language, token(key, {"alg": kind, "kid": "k2"}), jwks)


REFUSED = {
    "expired": {"exp": 1_000_000_000},
    "not valid yet": {"nbf": 4_000_000_000},
    "another issuer": {"iss": "evil.example"},
    "another audience": {"aud": "another"},
    "bound to a key": {"cnf": {"jkt": "x"}},
}


@pytest.mark.parametrize("name", [*REFUSED, "another type", "another kid", "another key", "another payload"])
def test_what_is_wrong_is_refused(signer, verify, language, name):
    jwks = {"keys": [signer.as_dict(private=False)]}
    if name in REFUSED:
        wrong = token(signer, **REFUSED[name])
    elif name == "another type":
        wrong = token(signer, {"typ": "challenge+jwt"})
    elif name == "another kid":
        wrong = token(signer, {"kid": "k2"})
    elif name == "another key":
        wrong = token(OKPKey.generate_key("Ed25519", parameters={"kid": "k1"}))
    else:
        header, payload, signature = token(signer).split(".")
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        changed = base64.urlsafe_b64encode(json.dumps({**claims, "sub": "usr_2"}).encode()).rstrip(b"=").decode()
        wrong = f"{header}.{changed}.{signature}"
    assert verify(language, token(signer), jwks) == "usr_1"
    with pytest.raises(Refused):
        verify(language, wrong, jwks)
