import Foundation
import Testing

@testable import SessionWebAuthn

/// The test vectors of WebAuthn Level 3 §16 (Service/Tests/Vectors/webauthn.json).
struct W3CVectors: Decodable {
    struct Vector: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let registration: Registration
        let authentication: Authentication

        var testDescription: String { name }
    }

    struct Registration: Decodable, Sendable {
        let challenge: String
        let clientDataJSON: String
        let attestationObject: String
    }

    struct Authentication: Decodable, Sendable {
        let challenge: String
        let clientDataJSON: String
        let authenticatorData: String
        let signature: String
    }

    let vectors: [Vector]
    let authority: String

    private enum CodingKeys: String, CodingKey {
        case vectors
        case authority = "attestation_ca_cert"
    }

    static let all: W3CVectors = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Vectors/webauthn.json")
        // Without the file there are no arguments, and `W3CVectorTests.all` fails.
        guard let data = try? Data(contentsOf: file), let all = try? JSONDecoder().decode(Self.self, from: data) else {
            return W3CVectors(vectors: [], authority: "")
        }
        return all
    }()

    static func vector(_ name: String) throws -> Vector {
        try #require(all.vectors.first { $0.name == name })
    }
}

extension W3CVectors.Vector {
    static let relyingParty = RelyingParty(
        ids: ["example.org"], origins: ["https://example.org"], topOrigins: ["https://example.com"])
    /// The certificates are valid from 2024 to 3024.
    static let time = Date(timeIntervalSince1970: 1_780_000_000)

    /// The id in the authenticator data, which is at the end of the object.
    var credentialID: [UInt8] {
        get throws { try #require(try AuthenticatorData(authenticatorData).credential).id }
    }

    var authenticatorData: [UInt8] {
        get throws {
            let object = try CBOR.read(hex(registration.attestationObject), keys: .canonical)
            return try #require(object.mapValue?["authData"]?.bytesValue)
        }
    }

    func ceremony(trusting anchors: TrustAnchors = TrustAnchors()) -> RegistrationCeremony {
        var ceremony = RegistrationCeremony(
            relyingParty: Self.relyingParty, challenge: hex(registration.challenge), requiresUserVerification: false)
        ceremony.trustAnchors = anchors
        return ceremony
    }

    func registrationResponse() throws -> RegistrationResponse {
        RegistrationResponse(
            credentialID: try credentialID, clientDataJSON: hex(registration.clientDataJSON),
            attestationObject: hex(registration.attestationObject))
    }

    var authenticationCeremony: AuthenticationCeremony {
        AuthenticationCeremony(
            relyingParty: Self.relyingParty, challenge: hex(authentication.challenge), requiresUserVerification: false)
    }

    func assertionResponse() throws -> AssertionResponse {
        AssertionResponse(
            credentialID: try credentialID, clientDataJSON: hex(authentication.clientDataJSON),
            authenticatorData: hex(authentication.authenticatorData), signature: hex(authentication.signature))
    }

    func storedCredential() throws -> StoredCredential {
        let data = try AuthenticatorData(authenticatorData)
        let credential = try #require(data.credential)
        return StoredCredential(
            id: credential.id, publicKey: credential.publicKey,
            isBackupEligible: data.flags.contains(.backupEligible), userHandle: [1])
    }
}
