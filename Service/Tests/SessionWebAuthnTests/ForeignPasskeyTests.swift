import Foundation
import SessionForeignJudge
import SessionTokens
import Testing

@testable import SessionWebAuthn

/// Judges: soft-webauthn makes passkeys, and py_webauthn verifies some. No code of this project is involved.
@Suite("Passkeys of other software")
struct ForeignPasskeyTests {
    private static let arguments: [String: JSONValue] = [
        "rp_id": "example.com", "origin": .string(TestPasskey.origin),
        "challenge": .string(Base64URL.encode(TestPasskey.challenge)),
    ]

    @Test("A passkey of soft-webauthn is registered, and signs in")
    func softWebAuthn() async throws {
        let verdict = try ForeignJudge.ask(
            .makePasskey, Self.arguments.merging(["user_handle": "AQID"]) { own, _ in own })
        let passkey = JSONObject(try #require(verdict.passkey))
        let (created, asserted) = (
            try passkey.objectIfPresent("registration"), try passkey.objectIfPresent("assertion")
        )
        func bytes(_ object: JSONObject?, _ name: String) throws -> [UInt8] {
            let text = try object?.string(name) ?? ""
            return Array(try #require(Base64URL.decode(text)))
        }
        let id = try bytes(passkey, "id")
        var ceremony = TestPasskey.registrationCeremony
        ceremony.requiresUserVerification = false
        let response = RegistrationResponse(
            credentialID: id, clientDataJSON: try bytes(created, "clientDataJSON"),
            attestationObject: try bytes(created, "attestationObject"))
        let credential = try await ceremony.verify(response, at: TestPasskey.time)
        #expect(credential.attestation.kind == .none && credential.counter == 0)

        var authentication = TestPasskey.authenticationCeremony
        authentication.requiresUserVerification = false
        let assertion = try authentication.verify(
            AssertionResponse(
                credentialID: id, clientDataJSON: try bytes(asserted, "clientDataJSON"),
                authenticatorData: try bytes(asserted, "authenticatorData"),
                signature: try bytes(asserted, "signature"), userHandle: try bytes(asserted, "userHandle")),
            for: StoredCredential(
                id: id, publicKey: credential.publicKey, isBackupEligible: false, userHandle: [1, 2, 3]))
        #expect(assertion.counter == 1)
    }

    /// What py_webauthn accepts and this verifier rejects.
    private static let stricter: Set<String> = [
        "a frame of another origin", "a top origin", "crossOrigin as text", "long client data",
        "long authenticator data",
        "extensions that are no map", "the challenge with padding",
    ]

    @Test("py_webauthn accepts and rejects the same changes of a passkey")
    func pyWebAuthn() throws {
        let valid = CeremonyTests.Change("valid", .wrongSignature) { _ in }
        let changes = [valid] + CeremonyTests.changes
        let cases = try changes.flatMap { change in
            let passkey = TestPasskey().with(change.change)
            let selfAttested = passkey.with { passkey in
                passkey.format = "packed"
                passkey.statement = {
                    .members(["alg": .integer(-7), "sig": .bytes(try $0.passkey.key.sign($0.signed))])
                }
            }
            return try [
                Self.item(passkey.registration()), Self.item(selfAttested.registration()),
                Self.item(passkey.assertion(), passkey.stored.publicKey),
            ]
        }
        let verdict = try ForeignJudge.ask(
            .judgePasskeys, Self.arguments.merging(["cases": .array(cases)]) { own, _ in own })
        let reasons = try #require(verdict.reasons)
        #expect(reasons.count == cases.count)
        for (index, reason) in reasons.enumerated() {
            let name = changes[index / 3].testDescription
            let isAccepted = name == "valid" || Self.stricter.contains(name)
            #expect(reason.isEmpty == isAccepted, "\(name), \(["none", "self", "assertion"][index % 3]): \(reason)")
        }
    }

    private static func item(_ response: RegistrationResponse) -> JSONValue {
        .object([
            "id": text(response.credentialID),
            "response": .object([
                "clientDataJSON": text(response.clientDataJSON), "attestationObject": text(response.attestationObject),
            ]),
        ])
    }

    private static func item(_ response: AssertionResponse, _ publicKey: [UInt8]) -> JSONValue {
        .object([
            "id": text(response.credentialID), "public_key": text(publicKey),
            "response": .object([
                "clientDataJSON": text(response.clientDataJSON), "signature": text(response.signature),
                "authenticatorData": text(response.authenticatorData),
            ]),
        ])
    }

    private static func text(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.encode(bytes)) }
}
