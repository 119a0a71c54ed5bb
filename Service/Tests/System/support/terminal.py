"""A user at a terminal, who signs in with the commands of the program."""

import json
import os
import subprocess
import urllib.request

from service import BINARY, Service


def mailbox_code(service: Service, address: str) -> str:
    with urllib.request.urlopen(service.url + "/dev/mailbox") as answer:
        return next(mail["code"] for mail in json.load(answer) if mail["to"] == address and "code" in mail)


def run_with_code(
    service: Service, address: str, *arguments: str, then: str = ""
) -> subprocess.CompletedProcess:
    """Runs a command, enters the code from the mailbox, and then the text in `then`."""
    environment = {
        **os.environ, "PRELUDE_SESSION_ENDPOINT": service.url,
        "PRELUDE_SESSION_CREDENTIALS": str(service.directory / "credentials")}
    process = subprocess.Popen(
        [BINARY, *arguments], env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE)
    prompt = ""
    while "Code:" not in prompt:
        letter = process.stderr.read(1)
        assert letter, f"the command ended without a prompt: {prompt}"
        prompt += letter
    output, errors = process.communicate(mailbox_code(service, address) + "\n" + then, timeout=60)
    return subprocess.CompletedProcess(process.args, process.returncode, output, errors)


def log_in_with_code(service: Service, address: str) -> subprocess.CompletedProcess:
    return run_with_code(service, address, "login", "--email", address, "--json")
