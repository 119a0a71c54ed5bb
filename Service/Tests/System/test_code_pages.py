"""Tests that the code of the service is on huge pages, and that the service works on small ones."""

import os
import pathlib
import re

import pytest
from conftest import running
from person import Person
from service import Service

HUGE = pathlib.Path("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size")
# MADV_COLLAPSE for files in memory.
LINUX = tuple(int(part) for part in os.uname().release.split(".")[:2]) >= (6, 1) and HUGE.exists()


def code(service: Service) -> list[tuple[str, int]]:
    """The permissions of what the service can execute, and how much of it is on huge pages, in kB."""
    text = pathlib.Path(f"/proc/{service.process.pid}/smaps").read_text()
    mappings = re.findall(
        r"^[0-9a-f]+-[0-9a-f]+ (\S+) .*/memfd:prelude-session-code .*\n(?:[A-Z].*\n)*?ShmemPmdMapped: +(\d+) kB", text,
        re.MULTILINE)
    assert not re.search(r"^\S+ .w.?x", text, re.MULTILINE), "nothing can be written and executed"
    return [(permissions, int(size)) for permissions, size in mappings]


@pytest.mark.skipif(not LINUX, reason="needs huge pages of Linux 6.1")
def test_the_code_of_the_service_is_on_huge_pages(tmp_path):
    service = Service(tmp_path, "--log-level", "debug")
    service.uses_huge_pages = True
    with running(service):
        (permissions, size), = code(service)
        assert permissions == "r-xs" and size > 0 and size * 1024 % int(HUGE.read_text()) == 0
        assert f"the code of the program is on huge pages bytes={size * 1024}" in service.log()
        Person.signed_in(service).refresh()


def test_the_code_stays_on_small_pages_if_it_is_told_to(tmp_path):
    service = Service(tmp_path, "--log-level", "debug", "--small-pages")
    service.uses_huge_pages = True  # Apart from the flag.
    with running(service):
        assert code(service) == []
        assert "pages" not in service.log()
        Person.signed_in(service).refresh()
