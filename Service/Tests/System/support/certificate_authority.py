"""A certificate authority for tests, with certificates for servers and clients that it signs."""

import datetime
import ipaddress
import pathlib
import secrets
import ssl

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID


class CertificateAuthority:
    def __init__(self, directory: pathlib.Path, name: str = "System tests"):
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self._directory = directory
        usage = x509.KeyUsage(
            digital_signature=False, content_commitment=False, key_encipherment=False, data_encipherment=False,
            key_agreement=False, key_cert_sign=True, crl_sign=True, encipher_only=False, decipher_only=False)
        certificate = (
            self._builder(self._name, self._key.public_key())
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(usage, critical=True)
            .sign(self._key, hashes.SHA256()))
        self.certificate_path = directory / "ca.pem"
        self.certificate_path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))

    def server_context(self, name: str = "localhost", valid_for: datetime.timedelta | None = None) -> ssl.SSLContext:
        """Creates a certificate and returns a TLS context for a server.

        A negative `valid_for` makes an expired certificate. The certificate for localhost is for 127.0.0.1, too."""
        chain = self.server_chain(name, valid_for)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chain)
        return context

    def server_chain(self, name: str = "localhost", valid_for: datetime.timedelta | None = None) -> pathlib.Path:
        """Returns a PEM file with a key and its certificate."""
        return self._chain(name, valid_for, ExtendedKeyUsageOID.SERVER_AUTH)

    def client_chain(self, name: str) -> pathlib.Path:
        """Returns a PEM file with a key and its certificate, for a client with this name."""
        return self._chain(name, None, ExtendedKeyUsageOID.CLIENT_AUTH)

    def _chain(self, name: str, valid_for: datetime.timedelta | None, usage: x509.ObjectIdentifier) -> pathlib.Path:
        key = ec.generate_private_key(ec.SECP256R1())
        names = [x509.DNSName(name)]
        if name == "localhost":
            names.append(x509.IPAddress(ipaddress.ip_address("127.0.0.1")))
        certificate = (
            self._builder(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]), key.public_key(), valid_for)
            .add_extension(x509.SubjectAlternativeName(names), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
            .sign(self._key, hashes.SHA256()))
        chain = self._directory / f"{name}-{secrets.token_hex(4)}.pem"
        chain.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
            + certificate.public_bytes(serialization.Encoding.PEM))
        return chain

    def _builder(
        self, subject: x509.Name, public_key, valid_for: datetime.timedelta | None = None
    ) -> x509.CertificateBuilder:
        now = datetime.datetime.now(datetime.timezone.utc)
        valid_for = valid_for or datetime.timedelta(days=1)
        return (
            x509.CertificateBuilder().subject_name(subject).issuer_name(self._name).public_key(public_key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(hours=1) + min(valid_for, datetime.timedelta()))
            .not_valid_after(now + valid_for))
