"""TLS between the service and PostgreSQL: the modes of `sslmode`, against a real server."""

import os
import pathlib
import shutil
import subprocess

import pytest

import postgres
from certificate_authority import CertificateAuthority
from service import Service, running

PASSWORD = "hunter2"


class SecureServer:
    """A server with TLS, and the database of a service."""

    def __init__(self, server: postgres.Server, authority: CertificateAuthority, directory: pathlib.Path):
        self._server, self._authority = server, authority
        self.keys = directory / "keys"
        postgres.execute(server.url, "CREATE ROLE secured LOGIN SUPERUSER; CREATE ROLE certified LOGIN SUPERUSER")
        rules = server.folder / "data" / "pg_hba.conf"
        rules.write_text(
            "hostssl all certified all cert\nhostssl all secured all trust\nhost all secured all reject\n"
            + "host all all all trust\n" + rules.read_text())
        self._install(authority.certificate_path, "ca.pem")
        self.certify("localhost")
        server.configure("ssl = on", f"ssl_ca_file = '{server.folder}/ca.pem'")
        node = Service(directory, "--key-file", str(self.keys))
        node.database = postgres.new_database(server.url)
        self.database = node.database.rsplit("/", 1)[1]
        with running(node):
            pass

    def _install(self, file: pathlib.Path, name: str) -> None:
        """Copies a file, so that only the server can read it."""
        copy = self._server.folder / name
        shutil.copy(file, copy)
        if os.getuid() == 0:
            shutil.chown(copy, "postgres")
        copy.chmod(0o600)

    def certify(self, name: str) -> None:
        """Gives the server a certificate for a name."""
        self._install(self._authority.server_chain(name), "server.pem")
        path = f"{self._server.folder}/server.pem"
        self._server.configure(f"ssl_cert_file = '{path}'", f"ssl_key_file = '{path}'")

    @property
    def port(self) -> str:
        return self._server.place.split(":")[1]

    def use(
        self, parameters: str, user: str = "secured", host: str = "localhost", variables: dict | None = None,
    ) -> tuple[bool, str]:
        """Runs a command on the database, with these environment variables, too. Returns whether it worked, and what it
        wrote."""
        url = f"postgresql://{user}:{PASSWORD}@{host}:{self.port}/{self.database}?{parameters}"
        done = subprocess.run(
            [postgres.BINARY, "app", "list", "--database", url, "--key-file", self.keys], capture_output=True,
            text=True, timeout=30, env={**os.environ, **(variables or {})})
        output = done.stdout + done.stderr
        assert PASSWORD not in output
        return done.returncode == 0, output


@pytest.fixture(scope="module")
def secure(authority, tmp_path_factory):
    with postgres.own_server("listen_addresses = '*'") as server:
        yield SecureServer(server, authority, tmp_path_factory.mktemp("secure"))


@pytest.fixture
def wrong_name(secure):
    secure.certify("other.example.com")
    yield
    secure.certify("localhost")


@pytest.fixture(scope="module")
def stranger(tmp_path_factory) -> CertificateAuthority:
    """An authority that did not sign the certificate of the server."""
    return CertificateAuthority(tmp_path_factory.mktemp("stranger"), "Strangers")


def assert_refused(result: tuple[bool, str], reason: str) -> None:
    worked, output = result
    assert not worked and reason in output, output


def assert_works(result: tuple[bool, str]) -> None:
    worked, output = result
    assert worked, output


@pytest.mark.parametrize("mode", ["verify-full", "verify-ca", "require"])
def test_a_certificate_for_the_name_by_a_known_authority_is_accepted(secure, authority, mode):
    assert_works(secure.use(f"sslmode={mode}&sslrootcert={authority.certificate_path}"))


def test_only_verify_full_compares_the_name(secure, authority, wrong_name):
    root = f"sslrootcert={authority.certificate_path}"
    reason = 'server certificate for "other.example.com" does not match host name "localhost"'
    assert_refused(secure.use(f"sslmode=verify-full&{root}"), reason)
    assert_works(secure.use(f"sslmode=verify-ca&{root}"))
    assert_works(secure.use("sslmode=require"))


@pytest.mark.parametrize("mode", ["verify-full", "verify-ca"])
def test_a_certificate_of_an_unknown_authority_is_refused(secure, stranger, mode):
    assert_refused(
        secure.use(f"sslmode={mode}&sslrootcert={stranger.certificate_path}"), "certificate verify failed")
    # The authorities of the system do not have it either.
    assert_refused(secure.use("sslmode=verify-full"), "certificate verify failed")


def test_a_file_with_authorities_that_is_missing_is_named(secure, tmp_path):
    assert_refused(secure.use(f"sslmode=verify-full&sslrootcert={tmp_path}/absent.pem"), f"{tmp_path}/absent.pem")


def test_disable_does_not_reach_a_server_that_demands_tls(secure):
    assert_refused(secure.use("sslmode=disable"), "pg_hba.conf rejects connection")
    assert_works(secure.use("sslmode=disable", user="postgres"))


def test_a_server_on_another_machine_is_verified_unless_the_url_says_otherwise(secure, authority):
    """0.0.0.0 reaches this machine, but it is no address of the loopback."""
    assert_works(secure.use("", host="127.0.0.1"))
    assert_refused(secure.use("", host="0.0.0.0"), "certificate verify failed")
    root = f"sslrootcert={authority.certificate_path}"
    assert_refused(secure.use(root, host="0.0.0.0"), 'does not match host name "0.0.0.0"')
    assert_works(secure.use("sslmode=require", host="0.0.0.0"))


@pytest.mark.parametrize("name", ["PGHOST", "PGHOSTADDR"])
def test_a_host_of_the_environment_is_verified(secure, name):
    address = {name: "0.0.0.0"}
    worked, output = secure.use("", host="", variables=address)
    assert not worked and ("certificate verify failed" in output or "host name must be specified" in output), output
    assert_works(secure.use("sslmode=require", host="", variables=address))


@pytest.mark.parametrize("place", ["URL", "environment"])
def test_a_host_of_a_service_is_verified(secure, tmp_path, place):
    file = tmp_path / "services"
    file.write_text("[sessions]\nhost=0.0.0.0\nsslmode=prefer\n")
    variables = {"PGSERVICEFILE": str(file)} | ({} if place == "URL" else {"PGSERVICE": "sessions"})
    parameter = "service=sessions" if place == "URL" else ""
    assert_refused(secure.use(parameter, host="", variables=variables), "certificate verify failed")
    assert_works(secure.use(f"{parameter}&sslmode=require".lstrip("&"), host="", variables=variables))


def test_a_server_without_tls_on_another_machine_is_refused(tmp_path):
    with postgres.own_server("listen_addresses = '*'") as server:
        url = server.url.replace("127.0.0.1", "0.0.0.0")
        done = subprocess.run(
            [postgres.BINARY, "app", "list", "--database", url], capture_output=True, text=True, timeout=30)
        assert done.returncode != 0 and "server does not support SSL, but SSL was required" in done.stderr, done.stderr


def test_a_client_certificate_is_the_proof_of_the_user(secure, authority, stranger):
    base = f"sslmode=verify-full&sslrootcert={authority.certificate_path}"

    def certified(chain: pathlib.Path) -> tuple[bool, str]:
        chain.chmod(0o600)
        return secure.use(f"{base}&sslcert={chain}&sslkey={chain}", user="certified")

    assert_works(certified(authority.client_chain("certified")))
    assert_refused(certified(authority.client_chain("another")), 'certificate authentication failed for user "certified"')
    assert_refused(certified(stranger.client_chain("certified")), "unknown ca")
    assert_refused(secure.use(base, user="certified"), "connection requires a valid client certificate")
