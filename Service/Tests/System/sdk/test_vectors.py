"""Tests that the vectors match the script, and that joserfc and cryptography agree with each of them."""

import hashlib
import hmac
import json
import subprocess

import pytest

from keys import base64url, import_key
from service import ROOT
from vectors import Maker, judge_access_token, judge_proof


def load(name: str) -> dict:
    return json.loads((ROOT / "Vectors" / name).read_text())


def vectors(name: str) -> list:
    return [pytest.param(vector, id=vector["name"]) for vector in load(name)["vectors"]]


def agrees(vector: dict, judge, *arguments) -> None:
    try:
        judge(*arguments)
    except Exception as refusal:  # Each library has its own errors.
        assert not vector["accepted"], refusal
    else:
        assert vector["accepted"], vector["reason"]


def test_the_files_match_the_output_of_the_script():
    result = subprocess.run([ROOT / "scripts" / "make-vectors", "--check"], capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("vector", vectors("access-tokens.json"))
def test_the_judge_agrees_on_an_access_token(vector):
    agrees(vector, judge_access_token, load("access-tokens.json"), vector)


@pytest.mark.parametrize("vector", vectors("dpop-proofs.json"))
def test_the_judge_agrees_on_a_proof(vector):
    agrees(vector, judge_proof, load("dpop-proofs.json"), vector)


def test_the_macs_are_what_a_careless_verifier_accepts():
    """The MACs are correct under the public key, so they test HS256 confusion (RFC 8725 §2.1)."""
    made = Maker(load("keys.json")["keys"])
    judged = 0
    for file, signers in (
        ("access-tokens.json", {kind: f"service_{kind}" for kind in ("eddsa", "es256", "rs256")}),
        ("dpop-proofs.json", {"alg is": "device"}),
    ):
        for vector in load(file)["vectors"]:
            if "a MAC under the public key" not in vector["name"]:
                continue
            message, _, mac = (vector.get("token") or vector["proofs"][0]).rpartition(".")
            signer = made.signers[next(name for start, name in signers.items() if vector["name"].startswith(start))]
            members = signer.public if signer is made.device else signer.published
            secret = next(secret for spelling, secret in signer.spellings(members).items() if f"as {spelling} " in vector["name"])
            assert mac == base64url(hmac.digest(secret, message.encode(), hashlib.sha256)), vector["name"]
            judged += 1
    assert judged == 16


@pytest.mark.parametrize("vector", [vector for vector in load("thumbprints.json")["vectors"] if vector["accepted"]], ids=lambda vector: vector["name"])
def test_the_judge_agrees_on_a_thumbprint(vector):
    assert import_key(vector["jwk"]).thumbprint() == vector["thumbprint"]


def test_every_accepted_vector_has_rejected_neighbors():
    for name in ("access-tokens.json", "dpop-proofs.json", "thumbprints.json"):
        outcomes = [vector["accepted"] for vector in load(name)["vectors"]]
        assert outcomes.count(True) >= 3 and outcomes.count(False) >= 6, name
