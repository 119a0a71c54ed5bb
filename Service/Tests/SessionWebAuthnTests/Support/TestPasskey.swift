import Crypto
import Foundation
import SessionTokens

@testable import SessionWebAuthn

/// Makes the responses of an authenticator, part by part, so that a test can change each of them.
struct TestPasskey: Sendable {
    static let origin = "https://example.com"
    static let relyingParty = RelyingParty(ids: ["example.com"], origins: [origin])
    static let challenge = [UInt8](repeating: 7, count: 32)
    static let time = Date(timeIntervalSince1970: 1_780_000_000)

    var key: any TestKey = TestP256()
    var relyingPartyID = "example.com"
    var flags: UInt8 = 0x05
    var counter: UInt32 = 0
    var aaguid = [UInt8](repeating: 0xA0, count: 16)
    var id = [UInt8](repeating: 0x1D, count: 32)
    var extensions: [UInt8] = []
    var clientData: [String: JSONValue] = ["origin": .string(origin), "crossOrigin": .bool(false)]
    /// Replaces the key in the authenticator data.
    var publicKey: [UInt8]?
    var format = "none"
    var statement: @Sendable (Context) throws -> CBOR = { _ in .members([:] as KeyValuePairs<String, CBOR>) }

    /// What a statement attests.
    struct Context {
        let passkey: TestPasskey
        let authenticatorData: [UInt8]
        let clientDataHash: [UInt8]
        var signed: [UInt8] { authenticatorData + clientDataHash }
    }

    func clientDataJSON(_ type: String) -> [UInt8] {
        let members = clientData.merging(
            ["type": .string(type), "challenge": .string(Base64URL.encode(Self.challenge))]) { own, _ in own }
        return Array(TokenJSON.write(members))
    }

    func authenticatorData(withCredential: Bool) -> [UInt8] {
        let number = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: counter >> $0) }
        var data = SHA256.hash(data: Array(relyingPartyID.utf8)) + [flags | (withCredential ? 0x40 : 0)] + number
        if withCredential {
            data += aaguid + [UInt8(id.count >> 8), UInt8(id.count & 0xFF)] + id + (publicKey ?? key.publicKey.encoded)
        }
        return data + extensions
    }

    func registration() throws -> RegistrationResponse {
        let (data, clientData) = (authenticatorData(withCredential: true), clientDataJSON("webauthn.create"))
        let context = Context(
            passkey: self, authenticatorData: data, clientDataHash: Array(SHA256.hash(data: clientData)))
        let object = CBOR.members([
            "fmt": .text(format), "attStmt": try statement(context), "authData": .bytes(data),
        ])
        return RegistrationResponse(credentialID: id, clientDataJSON: clientData, attestationObject: object.encoded)
    }

    func assertion() throws -> AssertionResponse {
        let (data, clientData) = (authenticatorData(withCredential: false), clientDataJSON("webauthn.get"))
        return AssertionResponse(
            credentialID: id, clientDataJSON: clientData, authenticatorData: data,
            signature: try key.sign(data + SHA256.hash(data: clientData)))
    }

    var stored: StoredCredential {
        StoredCredential(
            id: id, publicKey: publicKey ?? key.publicKey.encoded, isBackupEligible: flags & 0x08 != 0,
            userHandle: [1, 2, 3])
    }

    static var registrationCeremony: RegistrationCeremony {
        RegistrationCeremony(relyingParty: relyingParty, challenge: challenge, requiresUserVerification: true)
    }

    static var authenticationCeremony: AuthenticationCeremony {
        AuthenticationCeremony(relyingParty: relyingParty, challenge: challenge, requiresUserVerification: true)
    }

    @discardableResult
    func register(_ ceremony: RegistrationCeremony = registrationCeremony) async throws -> RegisteredCredential {
        try await ceremony.verify(registration(), at: Self.time)
    }

    @discardableResult
    func assert(_ ceremony: AuthenticationCeremony = authenticationCeremony) throws -> VerifiedAssertion {
        try ceremony.verify(assertion(), for: stored)
    }

    func with(_ change: (inout TestPasskey) -> Void) -> TestPasskey {
        var changed = self
        change(&changed)
        return changed
    }
}

/// A private key of a credential.
protocol TestKey: Sendable {
    /// The public key as COSE.
    var publicKey: CBOR { get }
    func sign(_ message: [UInt8]) throws -> [UInt8]
}

struct TestP256: TestKey {
    var key: P256.Signing.PrivateKey

    init(_ seed: UInt8 = 1) {
        // Any number below the order is a key, so this does not fail.
        key = (try? P256.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: seed, count: 32))) ?? .init()
    }

    var x: [UInt8] { Array(key.publicKey.rawRepresentation.prefix(32)) }
    var y: [UInt8] { Array(key.publicKey.rawRepresentation.suffix(32)) }
    var publicKey: CBOR {
        .members([1: .integer(2), 3: .integer(-7), -1: .integer(1), -2: .bytes(x), -3: .bytes(y)])
    }

    func sign(_ message: [UInt8]) throws -> [UInt8] { Array(try key.signature(for: message).derRepresentation) }
}
