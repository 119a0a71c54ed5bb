import Foundation
import PreludeSessionTesting
import SessionForeignJudge
import SessionTokens
import SessionWebAuthn
import Testing

@Suite("Software authenticator")
struct SoftwareAuthenticatorTests {
    private static let (id, origin) = ("example.com", "https://example.com")
    private static let challenge = Data(repeating: 7, count: 32)
    private static let user = Data([1, 2, 3])
    private static let relyingParty = RelyingParty(ids: [id], origins: [origin])

    private func register(
        _ authenticator: SoftwareAuthenticator, _ id: String = id, user: Data = user, excluding: [Data] = []
    ) throws -> SoftwareAuthenticator.Registration {
        try authenticator.register(
            Self.challenge, relyingPartyID: id, origin: Self.origin, userHandle: user, excluding: excluding)
    }

    private func verify(
        _ registration: SoftwareAuthenticator.Registration
    ) async throws -> (RegisteredCredential, StoredCredential) {
        let ceremony = RegistrationCeremony(
            relyingParty: Self.relyingParty, challenge: Array(Self.challenge), requiresUserVerification: true)
        let credential = try await ceremony.verify(
            RegistrationResponse(
                credentialID: Array(registration.credentialID), clientDataJSON: Array(registration.clientDataJSON),
                attestationObject: Array(registration.attestationObject), transports: registration.transports),
            at: Date(timeIntervalSince1970: 1_780_000_000))
        let stored = StoredCredential(
            id: credential.id, publicKey: credential.publicKey, isBackupEligible: credential.isBackupEligible,
            userHandle: Array(Self.user))
        return (credential, stored)
    }

    private func signIn(
        _ authenticator: SoftwareAuthenticator, _ stored: StoredCredential, verifiesUser: Bool = true
    ) throws -> VerifiedAssertion {
        let assertion = try authenticator.signIn(
            Self.challenge, relyingPartyID: Self.id, origin: Self.origin, allowing: [Data(stored.id)],
            verifiesUser: verifiesUser)
        let ceremony = AuthenticationCeremony(
            relyingParty: Self.relyingParty, challenge: Array(Self.challenge), requiresUserVerification: true)
        return try ceremony.verify(
            AssertionResponse(
                credentialID: Array(assertion.credentialID), clientDataJSON: Array(assertion.clientDataJSON),
                authenticatorData: Array(assertion.authenticatorData), signature: Array(assertion.signature),
                userHandle: Array(assertion.userHandle)), for: stored)
    }

    @Test("A passkey that is synchronized is registered and signs in, without a counter")
    func synchronized() async throws {
        let authenticator = SoftwareAuthenticator()
        let (credential, stored) = try await verify(register(authenticator))
        #expect(credential.attestation.kind == .none && credential.transports == ["hybrid", "internal"])
        #expect(credential.isBackupEligible && credential.isBackedUp && credential.isUserVerified)
        for _ in 0..<2 {
            let assertion = try signIn(authenticator, stored)
            #expect(assertion.counter == 0 && assertion.isBackedUp)
        }
    }

    @Test("A security key attests itself and counts, and a copy of it is noticed by its counter")
    func securityKey() async throws {
        let authenticator = SoftwareAuthenticator(.securityKey, attestation: .packed)
        let (credential, stored) = try await verify(register(authenticator))
        #expect(credential.attestation.kind == .selfAttestation && !credential.isBackupEligible)
        let copy = authenticator.copy()
        #expect(try signIn(authenticator, stored).counter == 1)
        #expect(try signIn(copy, stored).counter == 1)
        #expect(try signIn(authenticator, stored).counter == 2)
    }

    @Test("A user who only touches the authenticator is not verified")
    func touch() async throws {
        let authenticator = SoftwareAuthenticator()
        let stored = try await verify(register(authenticator)).1
        #expect(throws: WebAuthnError.userNotVerified) { try signIn(authenticator, stored, verifiesUser: false) }
    }

    @Test("Without a list, the newest passkey of the relying party signs in, and names its user")
    func discoverable() throws {
        let authenticator = SoftwareAuthenticator()
        _ = try register(authenticator)
        let second = try register(authenticator, user: Data([4]))
        _ = try register(authenticator, "example.net")
        let assertion = try authenticator.signIn(Self.challenge, relyingPartyID: Self.id, origin: Self.origin)
        #expect(assertion.credentialID == second.credentialID && assertion.userHandle == Data([4]))
    }

    @Test("A passkey that is excluded, replaced or of another relying party is not used")
    func failures() throws {
        let authenticator = SoftwareAuthenticator()
        let first = try register(authenticator)
        #expect(throws: SoftwareAuthenticator.Failure.alreadyRegistered) {
            try register(authenticator, excluding: [first.credentialID])
        }
        _ = try register(authenticator, "example.net", excluding: [first.credentialID])
        _ = try register(authenticator)
        for (id, allowed) in [(Self.id, [first.credentialID]), ("example.org", [])] {
            #expect(throws: SoftwareAuthenticator.Failure.noPasskey) {
                try authenticator.signIn(Self.challenge, relyingPartyID: id, origin: Self.origin, allowing: allowed)
            }
        }
    }

    @Test(
        "py_webauthn accepts the JSON of a registration and of a sign-in",
        arguments: [SoftwareAuthenticator.Attestation.none, .packed])
    func foreignJudge(_ attestation: SoftwareAuthenticator.Attestation) async throws {
        let authenticator = SoftwareAuthenticator(.securityKey, attestation: attestation)
        let registration = try register(authenticator)
        let publicKey = try await verify(registration).0.publicKey
        let assertion = try authenticator.signIn(Self.challenge, relyingPartyID: Self.id, origin: Self.origin)
        func item(_ json: Data, publicKey: [UInt8]? = nil) throws -> JSONValue {
            let members = try TokenJSON.decode([String: JSONValue].self, from: json)
            var item = members.filter { ["id", "response"].contains($0.key) }
            if let publicKey { item["public_key"] = .string(Base64URL.encode(publicKey)) }
            return .object(item)
        }
        let verdict = try ForeignJudge.ask(
            .judgePasskeys,
            [
                "rp_id": .string(Self.id), "origin": .string(Self.origin),
                "challenge": .string(Base64URL.encode(Self.challenge)),
                "cases": .array([try item(registration.json), try item(assertion.json, publicKey: publicKey)]),
            ])
        #expect(verdict.reasons == ["", ""])
    }
}
