import Crypto
import Foundation
import SwiftASN1
import Testing
import X509

@testable import SessionWebAuthn

/// Each test begins with a valid statement and changes one thing.
@Suite("Attestation (§8)")
struct AttestationTests {
    // MARK: - none, unknown

    @Test("A statement of the format none is empty, and other formats are reported as unknown")
    func noneAndUnknown() async throws {
        let full = TestPasskey().with { $0.statement = { _ in .members(["sig": .bytes([])]) } }
        await #expect(throws: WebAuthnError.attestation(.malformedStatement)) { try await full.register() }
        for format in ["android-safetynet", "compound", "", "None"] {
            let attestation = try await full.with { $0.format = format }.register().attestation
            #expect(attestation == Attestation(format: format, kind: .unknown))
        }
    }

    // MARK: - packed

    @Test("A self attestation with one change is rejected")
    func selfAttestation() async throws {
        let passkey = TestPasskey().with { passkey in
            passkey.format = "packed"
            passkey.statement = {
                .members(["alg": .integer(-7), "sig": .bytes(try $0.passkey.key.sign($0.signed))])
            }
        }
        #expect(try await passkey.register().attestation.kind == .selfAttestation)
        let changes: [(CBOR?, @Sendable (TestPasskey.Context) throws -> [UInt8], AttestationFault)] = [
            (.integer(-257), { try $0.passkey.key.sign($0.signed) }, .wrongAlgorithm),
            (.integer(-47), { try $0.passkey.key.sign($0.signed) }, .unsupportedAlgorithm),
            (.text("ES256"), { try $0.passkey.key.sign($0.signed) }, .malformedStatement),
            (.integer(-7), { try $0.passkey.key.sign($0.authenticatorData) }, .wrongSignature),
            (.integer(-7), { try TestP256(2).sign($0.signed) }, .wrongSignature),
        ]
        for (algorithm, sign, fault) in changes {
            let changed = passkey.with {
                $0.statement = { .members(["alg": algorithm ?? .null, "sig": .bytes(try sign($0))]) }
            }
            await #expect(throws: WebAuthnError.attestation(fault)) { try await changed.register() }
        }
        let ecdaa = passkey.with {
            $0.statement = {
                .members([
                    "alg": .integer(-7), "sig": .bytes(try $0.passkey.key.sign($0.signed)), "ecdaaKeyId": .bytes([1]),
                ])
            }
        }
        await #expect(throws: WebAuthnError.attestation(.malformedStatement)) { try await ecdaa.register() }
    }

    private static func packed(_ parts: StatementParts) -> TestPasskey {
        parts.passkey("packed") { context, parts in
            var certificate = TestCertificate(StatementParts.attester)
            certificate.extensions = [TestCertificate.aaguid(context.passkey.aaguid)]
            try parts.certificate(&certificate)
            return parts.statement([
                "alg": parts.algorithm, "sig": .bytes(try parts.sign(context.signed)),
                "x5c": try parts.chain([certificate.encoded()]),
            ])
        }
    }

    private static func subject(_ name: String, _ subject: DistinguishedName) -> StatementParts.Change {
        StatementParts.Change(name, .unsuitableCertificate(.subject)) { $0.certificate = { $0.subject = subject } }
    }

    @Test("A packed attestation with one change is rejected")
    func packed() async throws {
        let unit = "Authenticator Attestation"
        try await StatementParts.check(
            StatementParts.signatureChanges + StatementParts.algorithmChanges + StatementParts.chainChanges + [
                StatementParts.Change("an algorithm that does not fit the key", .unsupportedAlgorithm) {
                    $0.algorithm = .integer(-257)
                },
                StatementParts.Change("version 1", .unsuitableCertificate(.version)) { parts in
                    parts.certificate = { ($0.version, $0.extensions, $0.isAuthority) = (.v1, [], nil) }
                },
                StatementParts.Change("a CA", .unsuitableCertificate(.isNoAuthority)) {
                    $0.certificate = { $0.isAuthority = true }
                },
                StatementParts.Change("no basic constraints", .unsuitableCertificate(.isNoAuthority)) {
                    $0.certificate = { $0.isAuthority = nil }
                },
                Self.subject("no country", TestCertificate.name(country: nil, unit: unit)),
                Self.subject("a long country", TestCertificate.name(country: "AAA", unit: unit)),
                Self.subject("no organization", TestCertificate.name(organization: nil, unit: unit)),
                Self.subject("an empty organization", TestCertificate.name(organization: "", unit: unit)),
                Self.subject("no unit", TestCertificate.name(unit: nil)),
                Self.subject("another unit", TestCertificate.name(unit: "authenticator attestation")),
                Self.subject("no name", TestCertificate.name(unit: unit, common: nil)),
                StatementParts.Change("another AAGUID", .wrongAAGUID) {
                    $0.certificate = { $0.extensions = [TestCertificate.aaguid(.init(repeating: 1, count: 16))] }
                },
                StatementParts.Change("a critical AAGUID", .wrongAAGUID) {
                    $0.certificate = {
                        $0.extensions = [TestCertificate.aaguid(.init(repeating: 0xA0, count: 16), critical: true)]
                    }
                },
                StatementParts.Change("an AAGUID without its octet string", .wrongAAGUID) {
                    $0.certificate = {
                        $0.extensions = [
                            .init(
                                oid: TestCertificate.oids.aaguid, critical: false,
                                value: .init(repeating: 0xA0, count: 16))
                        ]
                    }
                },
            ], kind: .basic, Self.packed)
        var parts = StatementParts()
        parts.certificate = { $0.extensions = [] }
        #expect(try await Self.packed(parts).register().attestation.kind == .basic)
    }

    // MARK: - Certificates

    // Proves: W6
    @Test(
        "A chain leads to an anchor over its issuers, and not over one that is missing, no CA, expired or of another name"
    )
    func chains() async throws {
        let intermediateName = TestCertificate.name(unit: "Intermediate")
        let middle = TestP256(6)
        func isTrusted(
            rootPath: Int? = nil, leaf: @escaping @Sendable (inout TestCertificate) -> Void = { _ in },
            middle change: @escaping @Sendable (inout TestCertificate) -> Void = { _ in }, omitsMiddle: Bool = false
        ) async throws -> Bool {
            var intermediate = TestCertificate(middle)
            (intermediate.subject, intermediate.isAuthority) = (intermediateName, true)
            change(&intermediate)
            let encoded = try intermediate.encoded()
            var parts = StatementParts()
            parts.certificate = {
                ($0.issuerKey, $0.issuerName) = (middle, intermediateName)
                leaf(&$0)
            }
            parts.chain = { .array(omitsMiddle ? [.bytes($0[0])] : [.bytes($0[0]), .bytes(encoded)]) }
            var root = TestCertificate(TestCertificate.authority)
            (root.subject, root.isAuthority, root.maxPathLength) = (TestCertificate.issuer, true, rootPath)
            var ceremony = TestPasskey.registrationCeremony
            ceremony.trustAnchors = try TrustAnchors(certificates: [root.encoded()])
            return try await Self.packed(parts).register(ceremony).attestation.isTrusted
        }
        let past = TestPasskey.time - 1
        #expect(try await isTrusted())
        #expect(try await !isTrusted(omitsMiddle: true))
        #expect(try await !isTrusted(rootPath: 0))
        #expect(try await !isTrusted(leaf: { $0.notAfter = past }))
        #expect(try await !isTrusted(leaf: { $0.issuerKey = TestP256(7) }))
        #expect(
            try await !isTrusted(leaf: { $0.extensions = [.init(oid: [1, 2, 3], critical: true, value: [5, 0])] }))
        #expect(try await !isTrusted(middle: { $0.isAuthority = false }))
        #expect(try await !isTrusted(middle: { $0.isAuthority = nil }))
        #expect(try await !isTrusted(middle: { $0.notAfter = past }))
        #expect(try await !isTrusted(middle: { $0.subject = TestCertificate.name(unit: "Other") }))
        #expect(try await !isTrusted(middle: { $0.issuerKey = TestP256(7) }))
    }

    @Test("A trust anchor must be a certificate")
    func anchors() {
        #expect(throws: WebAuthnError.malformedTrustAnchor) { try TrustAnchors(certificates: [[0x30, 0x00]]) }
    }

    // MARK: - apple, android-key, fido-u2f

    private static func apple(_ parts: StatementParts) -> TestPasskey {
        parts.passkey("apple") { context, parts in
            var certificate = TestCertificate(.init(TestP256().key.publicKey))
            let value = hex("3024a1220420") + parts.nonce(Array(SHA256.hash(data: context.signed)))
            certificate.extensions = [.init(oid: TestCertificate.oids.apple, critical: false, value: value[...])]
            try parts.certificate(&certificate)
            return parts.statement(["x5c": try parts.chain([certificate.encoded()])])
        }
    }

    @Test("An attestation of Apple with one change is rejected")
    func apple() async throws {
        try await StatementParts.check(
            StatementParts.chainChanges + [
                StatementParts.Change("another nonce", .wrongNonce) { $0.nonce = { [$0[0] ^ 1] + $0.dropFirst() } },
                StatementParts.Change("no extension", .malformedExtension) { $0.certificate = { $0.extensions = [] } },
                StatementParts.Change("a short nonce", .malformedExtension) { $0.nonce = { Array($0.dropLast()) } },
                StatementParts.Change("bytes after the nonce", .malformedExtension) { $0.nonce = { $0 + [0] } },
                StatementParts.Change("the key of another credential", .wrongKey) {
                    $0.certificate = { $0.publicKey = .init(TestP256(2).key.publicKey) }
                },
            ], kind: .anonymizationCA, Self.apple)
    }

    private static func android(_ parts: StatementParts) -> TestPasskey {
        parts.passkey("android-key") { context, parts in
            var certificate = TestCertificate(.init(TestP256().key.publicKey))
            let content =
                hex("0202012c0a01010201000a0101") + [0x04, 0x20] + parts.nonce(context.clientDataHash) + [0x04, 0x00]
                + parts.lists.software + parts.lists.hardware
            certificate.extensions = [
                .init(
                    oid: TestCertificate.oids.android, critical: false, value: [0x30, UInt8(content.count)] + content)
            ]
            try parts.certificate(&certificate)
            return parts.statement([
                "alg": parts.algorithm, "sig": .bytes(try parts.sign(context.signed, by: TestP256())),
                "x5c": try parts.chain([certificate.encoded()]),
            ])
        }
    }

    private static func lists(_ name: String, _ fault: AttestationFault, _ software: String, _ hardware: String)
        -> StatementParts.Change
    {
        StatementParts.Change(name, fault) { $0.lists = (hex(software), hex(hardware)) }
    }

    @Test("An attestation of Android with one change is rejected")
    func android() async throws {
        let sign = "a105" + "3103020102"
        let generated = "bf853e03020100"
        try await StatementParts.check(
            StatementParts.signatureChanges + StatementParts.algorithmChanges + StatementParts.chainChanges + [
                StatementParts.Change("another nonce", .wrongNonce) { $0.nonce = { [$0[0] ^ 1] + $0.dropFirst() } },
                StatementParts.Change("no extension", .malformedExtension) { $0.certificate = { $0.extensions = [] } },
                StatementParts.Change("a short nonce", .malformedExtension) { $0.nonce = { Array($0.dropLast()) } },
                StatementParts.Change("the key of another credential", .wrongSignature) {
                    $0.certificate = { $0.publicKey = .init(TestP256(2).key.publicKey) }
                },
                Self.lists("no properties", .wrongKeyUse, "3000", "3000"),
                Self.lists("no purpose", .wrongKeyUse, "3000", "3007" + generated),
                Self.lists("no origin", .wrongKeyUse, "3007" + sign, "3000"),
                Self.lists("another purpose", .wrongKeyUse, "3000", "300e" + "a1053103020103" + generated),
                Self.lists("an imported key", .wrongKeyUse, "3000", "300e" + sign + "bf853e03020102"),
                Self.lists("two origins", .wrongKeyUse, "3007" + "bf853e03020102", "300e" + sign + generated),
                Self.lists("all applications", .wrongKeyUse, "3006" + "bf8458020500", "300e" + sign + generated),
                Self.lists(
                    "all applications, by hardware", .wrongKeyUse, "3000", "3014" + sign + "bf8458020500" + generated),
                Self.lists(
                    "a purpose that is no set", .malformedExtension, "3000", "300e" + "a1053003020102" + generated),
                Self.lists("an empty tag", .malformedExtension, "3000", "300b" + sign + "bf853e00"),
                Self.lists("a list that is no sequence", .malformedExtension, "0500", "300e" + sign + generated),
            ], kind: .basic, Self.android)
        #expect(try await Self.android(StatementParts()).register().attestation.isEnforcedByHardware == true)
        for (software, hardware) in [(sign, generated), (generated, sign), (sign + generated, "")] {
            var parts = StatementParts()
            func list(_ content: String) -> [UInt8] { [0x30, UInt8(content.count / 2)] + hex(content) }
            parts.lists = (list(software), list(hardware))
            #expect(try await Self.android(parts).register().attestation.isEnforcedByHardware == false)
        }
    }

    private static func fidoU2F(_ parts: StatementParts) -> TestPasskey {
        parts.passkey("fido-u2f") { context, parts in
            var certificate = TestCertificate(StatementParts.attester)
            try parts.certificate(&certificate)
            let key = TestP256()
            let signed = [0x00] + context.authenticatorData.prefix(32) + context.clientDataHash + context.passkey.id
            return parts.statement([
                "sig": .bytes(try parts.sign(signed + [0x04] + key.x + key.y)),
                "x5c": try parts.chain([certificate.encoded()]),
            ])
        }
    }

    @Test("An attestation of FIDO U2F with one change is rejected")
    func fidoU2F() async throws {
        try await StatementParts.check(
            StatementParts.signatureChanges + StatementParts.chainChanges + [
                StatementParts.Change("two certificates", .tooManyCertificates) {
                    $0.chain = { .array([.bytes($0[0]), .bytes($0[0])]) }
                },
                StatementParts.Change("a certificate with P-384", .unsuitableCertificate(.keyType)) {
                    $0.certificate = { $0.publicKey = .init(P384.Signing.PrivateKey().publicKey) }
                },
            ], kind: .basic, Self.fidoU2F)
    }
}
