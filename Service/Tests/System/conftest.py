import os

import pytest

from browser import Browser
from certificate_authority import CertificateAuthority
from mail_browser import CHROMIUM
from receiver import Receiver
from service import Service, running

#: Files that take long. Each file runs in one process, and these begin first, so that the processes end at about the same
#: time: those that need the processors in turns with those that wait.
LONG = [
    "test_bare_debian.py", "test_nodes.py", "test_failover.py", "test_openapi_calls.py", "test_backup.py", "test_http2.py",
    "test_rotation_under_load.py", "test_console_walk.py", "test_export.py", "test_console_graphs.py",
    "test_operator_commands.py", "test_mail_delivery.py", "test_signing_keys.py",
    "test_claimed_messages.py", "test_tls.py", "test_text_costs.py", "test_hot_path.py", "test_console_api.py",
    "test_packages.py", "test_container.py", "test_listings.py", "test_benchmark.py", "test_sdk_nodes.py", "test_web_client.py",
    "test_check_server.py", "test_console_playground.py", "test_runbooks.py", "test_lost_files.py",
]


def pytest_collection_modifyitems(items):
    ranks = {name: rank for rank, name in enumerate(LONG)}
    items.sort(key=lambda item: ranks.get(item.path.name, len(LONG)))


#: Why a test may be skipped where all programs of the tests can be installed.
EXPECTED_SKIPS = ["The services of this run use PostgreSQL.", "The machine is so busy that"]


def pytest_sessionfinish(session):
    """Fails a run of continuous integration in which a test was skipped because something is missing."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if not reporter or not os.environ.get("CI"):
        return
    reasons = {str(report.longrepr[2]) for report in reporter.stats.get("skipped", [])}
    unexpected = sorted(reason for reason in reasons if not any(text in reason for text in EXPECTED_SKIPS))
    if unexpected:
        reporter.write_line("Tests were skipped. Install what they need, or name the reason in conftest.py:", red=True)
        for reason in unexpected:
            reporter.write_line("  " + reason)
        session.exitstatus = session.exitstatus or 1


@pytest.fixture
def service(tmp_path):
    with running(Service(tmp_path)) as service:
        yield service


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """Returns one service in development mode for all tests of a module. These tests do not stop it."""
    with running(Service(tmp_path_factory.mktemp("service"))) as service:
        yield service


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """Returns one Chromium for all tests of a module. Only tests that need Chromium ask for it."""
    browser = Browser(tmp_path_factory.mktemp("chromium"))
    yield browser
    browser.close()


@pytest.fixture
def whole_browser(tmp_path_factory):
    """Returns a Chromium with the settings of a user and a process for each site, which the shell does not have."""
    browser = Browser(tmp_path_factory.mktemp("chromium"), program=CHROMIUM)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def authority(tmp_path_factory):
    """Returns the authority that signs the certificates of the operator's backends."""
    return CertificateAuthority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def backend(authority):
    """Returns the operator's backend: https, with a certificate of the test authority."""
    with Receiver(authority) as receiver:
        yield receiver


@pytest.fixture(scope="module")
def trusting(tmp_path_factory, authority):
    """Returns a service that may call this machine and trusts the test authority."""
    flags = ["--egress-trust-roots", str(authority.certificate_path), "--egress-network", "127.0.0.0/8"]
    with running(Service(tmp_path_factory.mktemp("trusting"), *flags)) as service:
        yield service
