import Testing

@testable import SessionWebAuthn

/// What a test changes in an attestation statement. The parts as they are give a valid statement.
struct StatementParts: Sendable {
    /// The key of the certificate, where it is not that of the credential.
    static let attester = TestP256(5)

    var algorithm: CBOR? = .integer(-7)
    var certificate: @Sendable (inout TestCertificate) throws -> Void = { _ in }
    var chain: @Sendable ([[UInt8]]) throws -> CBOR = { .array($0.map(CBOR.bytes)) }
    /// The message that is signed.
    var message: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    var signature: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    var members: @Sendable (inout [String: CBOR]) -> Void = { _ in }
    /// What the extension of Android or Apple contains, or the extra data of a TPM.
    var nonce: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// Lists of Android: made for signatures, by hardware.
    var lists = (software: hex("3000"), hardware: hex("300ea1053103020102bf853e03020100"))
    var pubArea: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    var certInfo: @Sendable ([UInt8]) -> [UInt8] = { $0 }

    func sign(_ message: [UInt8], by key: any TestKey = attester) throws -> [UInt8] {
        signature(try key.sign(self.message(message)))
    }

    func statement(_ members: [String: CBOR?]) -> CBOR {
        var present = members.compactMapValues(\.self)
        self.members(&present)
        return .map(CBORMap(members: present.map { .init(key: .text($0), value: $1) }))
    }

    func passkey(
        _ format: String, _ statement: @escaping @Sendable (TestPasskey.Context, StatementParts) throws -> CBOR
    ) -> TestPasskey {
        TestPasskey().with { passkey in
            passkey.format = format
            passkey.statement = { try statement($0, self) }
        }
    }

    // MARK: - Tables

    struct Change: Sendable {
        let name: String
        let fault: AttestationFault
        let change: @Sendable (inout StatementParts) -> Void

        init(
            _ name: String, _ fault: AttestationFault, _ change: @escaping @Sendable (inout StatementParts) -> Void
        ) {
            (self.name, self.fault, self.change) = (name, fault, change)
        }
    }

    /// Checks a table of changes. Without a change the statement is valid, and trusted by the test CA.
    static func check(
        _ changes: [Change], kind: Attestation.Kind, _ passkey: (StatementParts) -> TestPasskey
    ) async throws {
        var ceremony = TestPasskey.registrationCeremony
        ceremony.trustAnchors = try TrustAnchors(certificates: [TestCertificate.root()])
        let attestation = try await passkey(StatementParts()).register(ceremony).attestation
        #expect(attestation.kind == kind && attestation.isTrusted)
        for change in changes {
            var parts = StatementParts()
            change.change(&parts)
            await #expect(throws: WebAuthnError.attestation(change.fault), "\(change.name)") {
                try await passkey(parts).register()
            }
        }
    }

    /// What all statements with a signature reject.
    static let signatureChanges: [Change] = [
        Change("no signature", .malformedStatement) { $0.members = { $0["sig"] = nil } },
        Change("a signature as text", .malformedStatement) { $0.members = { $0["sig"] = .text("") } },
        Change("another message", .wrongSignature) { $0.message = { $0 + [0] } },
        Change("an empty signature", .wrongSignature) { $0.signature = { _ in [] } },
        Change("a byte after the signature", .wrongSignature) { $0.signature = { $0 + [0] } },
    ]

    static let algorithmChanges: [Change] = [
        Change("no algorithm", .malformedStatement) { $0.algorithm = nil },
        Change("an unknown algorithm", .unsupportedAlgorithm) { $0.algorithm = .integer(-47) },
        Change("an algorithm that does not fit the key", .unsupportedAlgorithm) { $0.algorithm = .integer(-35) },
    ]

    /// What all statements with certificates reject.
    static let chainChanges: [Change] = [
        Change("x5c is no array", .malformedStatement) { $0.chain = { .bytes($0[0]) } },
        Change("no certificates", .malformedStatement) { $0.chain = { _ in .array([]) } },
        Change("a certificate as text", .malformedStatement) { $0.chain = { _ in .array([.text("")]) } },
        Change("a truncated certificate", .malformedCertificate) {
            $0.chain = { .array([.bytes(Array($0[0].dropLast()))]) }
        },
        Change("a byte after the certificate", .malformedCertificate) { $0.chain = { .array([.bytes($0[0] + [0])]) } },
        Change("seven certificates", .tooManyCertificates) {
            $0.chain = { .array([CBOR](repeating: .bytes($0[0]), count: 7)) }
        },
    ]
}
