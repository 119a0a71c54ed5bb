import Foundation
import NIOSSL
import SessionForeignJudge
import SessionTokens

/// A certificate authority and a server certificate that it signed. The foreign judge makes them.
struct TestCertificates: Sendable {
    let authority: String
    private let certificate: String
    private let key: String

    /// Certificates for `localhost` only. Made once per run.
    static let localhost = Result { try TestCertificates(names: ["localhost"]) }

    init(names: [String], addresses: [String] = []) throws {
        let made = try ForeignJudge.ask(
            .makeCertificates,
            [
                "names": .array(names.map(JSONValue.string)), "addresses": .array(addresses.map(JSONValue.string)),
            ])
        guard let pem = made.pem, let authority = pem["authority"], let certificate = pem["certificate"],
            let key = pem["key"]
        else { throw ForeignJudge.Unavailable(description: "The foreign judge made no certificates.") }
        self.authority = authority
        self.certificate = certificate
        self.key = key
    }

    func serverConfiguration() throws -> TLSConfiguration {
        try .makeServerConfiguration(
            certificateChain: [.certificate(NIOSSLCertificate(bytes: Array(certificate.utf8), format: .pem))],
            privateKey: .privateKey(NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)))
    }

    /// Runs the body with a file that contains the authority's certificate.
    func withAuthorityFile<Answer>(_ body: (String) async throws -> Answer) async throws -> Answer {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("egress-\(UUID().uuidString).pem")
        try Data(authority.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try await body(file.path)
    }
}
