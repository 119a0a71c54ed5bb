"""The proxy at which pages of a site reach the service: another origin of the same site."""

import contextlib
import pathlib

from conftest import running
from faulty_proxy import FaultyProxy
from service import Service


@contextlib.contextmanager
def gated(directory: pathlib.Path, configure):
    """Starts a service behind a proxy, which has it as `service`. `configure` is called with the running service."""
    service = Service(directory)
    gate = FaultyProxy(service.port)
    service.flags += ["--public-url", gate.url]
    with running(service):
        configure(service)
        gate.service = service
        yield gate
    gate.close()
