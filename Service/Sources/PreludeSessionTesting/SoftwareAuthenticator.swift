import Crypto
public import Foundation
public import PreludeSession
import SessionTokens
import SessionWebAuthn
import Synchronization

/// An authenticator for passkeys in the memory of a test.
///
/// It makes what a browser and an authenticator make together: the client data, and the data that a key for ES256 signs
/// (WebAuthn Level 3). Its passkeys are discoverable, so a sign-in needs no user name.
///
/// A client of ``TestService`` has one. Pass the same one to two clients to simulate a relaunch of the app, or a backup of the
/// password manager on another device.
///
/// ```swift
/// let authenticator = SoftwareAuthenticator()
/// let client = try service.client(passkeyAuthenticator: authenticator)
/// ```
///
/// Without a client, a test passes challenge and origin itself:
///
/// ```swift
/// let registration = try authenticator.register(
///     challenge, relyingPartyID: "example.com", origin: "https://example.com", userHandle: userHandle)
/// let assertion = try authenticator.signIn(
///     otherChallenge, relyingPartyID: "example.com", origin: "https://example.com")
/// ```
public final class SoftwareAuthenticator: Sendable {
    /// How the authenticator proves what it is.
    public enum Attestation: Sendable {
        /// Not at all, as most passkeys.
        case none
        /// The passkey signs its own registration: the format `packed` without a certificate.
        case packed
    }

    /// Whether the counter of signatures grows, and whether passkeys are copied to other devices.
    public enum Kind: Sendable {
        /// A security key: it counts signatures, and its passkeys stay on it.
        case securityKey
        /// A password manager: it does not count, and its passkeys are backed up.
        case synchronized
    }

    /// Why the authenticator does not answer.
    public enum Failure: Error, Sendable, Hashable {
        /// It has no passkey for the relying party, or none of the allowed ones.
        case noPasskey
        /// It has one of the excluded passkeys already.
        case alreadyRegistered
    }

    /// What a client sends to register a passkey.
    public struct Registration: Sendable, Hashable {
        /// The id of the passkey.
        public let credentialID: Data
        /// The client data, as JSON.
        public let clientDataJSON: Data
        /// The attestation object, as CBOR.
        public let attestationObject: Data
        /// How a client reaches the authenticator.
        public let transports: [String]

        /// `RegistrationResponseJSON` (WebAuthn Level 3 §5.1.8).
        public var json: Data {
            let id = Base64URL.encode(credentialID)
            let response: [String: JSONValue] = [
                "clientDataJSON": .string(Base64URL.encode(clientDataJSON)),
                "attestationObject": .string(Base64URL.encode(attestationObject)),
                "transports": .array(transports.map { .string($0) }),
            ]
            return TokenJSON.write([
                "id": .string(id), "rawId": .string(id), "type": "public-key", "response": .object(response),
                "clientExtensionResults": .object([:]),
            ])
        }
    }

    /// What a client sends to sign in with a passkey.
    public struct Assertion: Sendable, Hashable {
        /// The id of the passkey.
        public let credentialID: Data
        /// The client data, as JSON.
        public let clientDataJSON: Data
        /// What the authenticator signed besides the client data.
        public let authenticatorData: Data
        /// The signature, in DER.
        public let signature: Data
        /// The id of the user from the registration.
        public let userHandle: Data

        /// `AuthenticationResponseJSON` (WebAuthn Level 3 §5.1.8).
        public var json: Data {
            let id = Base64URL.encode(credentialID)
            let response: [String: JSONValue] = [
                "clientDataJSON": .string(Base64URL.encode(clientDataJSON)),
                "authenticatorData": .string(Base64URL.encode(authenticatorData)),
                "signature": .string(Base64URL.encode(signature)), "userHandle": .string(Base64URL.encode(userHandle)),
            ]
            return TokenJSON.write([
                "id": .string(id), "rawId": .string(id), "type": "public-key", "response": .object(response),
                "clientExtensionResults": .object([:]),
            ])
        }
    }

    private struct Passkey {
        let id: [UInt8]
        let key: P256.Signing.PrivateKey
        let relyingPartyID: String
        let userHandle: Data
        var counter: UInt32 = 0
    }

    private static let aaguid = Array("PreludeSoftware!".utf8)

    private let kind: Kind
    private let attestation: Attestation
    /// The newest passkey is last.
    private let passkeys: Mutex<[Passkey]>

    /// Creates an authenticator without passkeys.
    ///
    /// - Parameters:
    ///   - kind: Whether it counts, and whether its passkeys are backed up.
    ///   - attestation: How it proves what it is.
    public convenience init(_ kind: Kind = .synchronized, attestation: Attestation = .none) {
        self.init(kind, attestation, [])
    }

    private init(_ kind: Kind, _ attestation: Attestation, _ passkeys: [Passkey]) {
        (self.kind, self.attestation) = (kind, attestation)
        self.passkeys = Mutex(passkeys)
    }

    /// The same passkeys in a second authenticator, with the counters of now, as a thief would have them.
    public func copy() -> SoftwareAuthenticator {
        SoftwareAuthenticator(kind, attestation, passkeys.withLock { $0 })
    }

    /// Creates a passkey. It replaces an older one of the same user and relying party.
    ///
    /// - Parameters:
    ///   - challenge: The challenge of the relying party.
    ///   - relyingPartyID: The RP id, such as `example.com`.
    ///   - origin: The origin of the page or app, such as `https://example.com`.
    ///   - userHandle: The id of the user for authenticators.
    ///   - excluded: Passkeys that the user has already.
    ///   - verifiesUser: Whether the user unlocks the authenticator, and not only touches it.
    /// - Throws: `Failure.alreadyRegistered` if it has one of the excluded passkeys.
    public func register(
        _ challenge: Data, relyingPartyID: String, origin: String, userHandle: Data, excluding excluded: [Data] = [],
        verifiesUser: Bool = true
    ) throws -> Registration {
        let key = P256.Signing.PrivateKey()
        // As random as the key.
        let id = Array(SHA256.hash(data: key.publicKey.rawRepresentation))
        try passkeys.withLock { passkeys in
            let isExcluded = passkeys.contains { passkey in
                passkey.relyingPartyID == relyingPartyID && excluded.contains(Data(passkey.id))
            }
            guard !isExcluded else { throw Failure.alreadyRegistered }
            passkeys.removeAll { $0.relyingPartyID == relyingPartyID && $0.userHandle == userHandle }
            passkeys.append(Passkey(id: id, key: key, relyingPartyID: relyingPartyID, userHandle: userHandle))
        }
        let coordinates = Array(key.publicKey.rawRepresentation)
        let publicKey = CBOR.members([
            1: .integer(2), 3: .integer(COSEAlgorithm.es256.rawValue), -1: .integer(1),
            -2: .bytes(Array(coordinates.prefix(32))), -3: .bytes(Array(coordinates.suffix(32))),
        ])
        let clientData = clientDataJSON("webauthn.create", challenge, origin)
        let data =
            authenticatorData(relyingPartyID, verifiesUser: verifiesUser, hasCredential: true, counter: 0) + Self.aaguid
            + [UInt8(id.count >> 8), UInt8(id.count & 0xFF)] + id + publicKey.encoded
        let statement: KeyValuePairs<String, CBOR> =
            switch attestation {
            case .none: [:]
            case .packed:
                [
                    "alg": .integer(COSEAlgorithm.es256.rawValue),
                    "sig": .bytes(Array(try sign(data, clientData, with: key))),
                ]
            }
        let object = CBOR.members([
            "fmt": .text(attestation == .none ? "none" : "packed"), "attStmt": .members(statement),
            "authData": .bytes(data),
        ])
        return Registration(
            credentialID: Data(id), clientDataJSON: clientData, attestationObject: Data(object.encoded),
            transports: kind == .securityKey ? ["usb"] : ["hybrid", "internal"])
    }

    /// Signs in with the newest passkey for a relying party.
    ///
    /// - Parameters:
    ///   - challenge: The challenge of the relying party.
    ///   - relyingPartyID: The RP id, such as `example.com`.
    ///   - origin: The origin of the page or app, such as `https://example.com`.
    ///   - allowed: The ids of the passkeys to choose from. Empty: all.
    ///   - verifiesUser: Whether the user unlocks the authenticator, and not only touches it.
    /// - Throws: `Failure.noPasskey` if it has no passkey to choose from.
    public func signIn(
        _ challenge: Data, relyingPartyID: String, origin: String, allowing allowed: [Data] = [],
        verifiesUser: Bool = true
    ) throws -> Assertion {
        let passkey = try passkeys.withLock { passkeys in
            let index = passkeys.lastIndex { passkey in
                passkey.relyingPartyID == relyingPartyID && (allowed.isEmpty || allowed.contains(Data(passkey.id)))
            }
            guard let index else { throw Failure.noPasskey }
            if kind == .securityKey { passkeys[index].counter += 1 }
            return passkeys[index]
        }
        let clientData = clientDataJSON("webauthn.get", challenge, origin)
        let data = authenticatorData(
            relyingPartyID, verifiesUser: verifiesUser, hasCredential: false, counter: passkey.counter)
        return Assertion(
            credentialID: Data(passkey.id), clientDataJSON: clientData, authenticatorData: Data(data),
            signature: try sign(data, clientData, with: passkey.key), userHandle: passkey.userHandle)
    }

    private func clientDataJSON(_ type: String, _ challenge: Data, _ origin: String) -> Data {
        TokenJSON.write([
            "type": .string(type), "challenge": .string(Base64URL.encode(challenge)), "origin": .string(origin),
            "crossOrigin": .bool(false),
        ])
    }

    /// The hash of the RP id, the flags and the counter (§6.1).
    private func authenticatorData(
        _ relyingPartyID: String, verifiesUser: Bool, hasCredential: Bool, counter: UInt32
    ) -> [UInt8] {
        let flags: UInt8 = 0x01 | (verifiesUser ? 0x04 : 0) | (kind == .synchronized ? 0x18 : 0)
        return SHA256.hash(data: Data(relyingPartyID.utf8)) + [flags | (hasCredential ? 0x40 : 0)]
            + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: counter >> $0) }
    }

    private func sign(_ data: [UInt8], _ clientData: Data, with key: P256.Signing.PrivateKey) throws -> Data {
        try key.signature(for: data + SHA256.hash(data: clientData)).derRepresentation
    }
}

/// The authenticator of a device whose app is associated with the RP id: its origin is `https://` and that id.
extension SoftwareAuthenticator: PreludePasskeyAuthenticator {
    /// Creates a passkey, as ``register(_:relyingPartyID:origin:userHandle:excluding:verifiesUser:)`` does.
    public func createPasskey(_ request: PreludePasskeyCreationRequest) async throws -> PreludePasskeyCreation {
        do {
            let made = try register(
                request.challenge, relyingPartyID: request.relyingPartyID, origin: "https://" + request.relyingPartyID,
                userHandle: request.userHandle, excluding: request.excludedCredentialIDs)
            return PreludePasskeyCreation(
                credentialID: made.credentialID, clientDataJSON: made.clientDataJSON,
                attestationObject: made.attestationObject, transports: made.transports)
        } catch Failure.alreadyRegistered {
            throw PreludePasskeyError.alreadyRegistered
        }
    }

    /// Signs in, as ``signIn(_:relyingPartyID:origin:allowing:verifiesUser:)`` does.
    public func signIn(_ request: PreludePasskeySignInRequest) async throws -> PreludePasskeySignIn {
        let made = try signIn(
            request.challenge, relyingPartyID: request.relyingPartyID, origin: "https://" + request.relyingPartyID,
            allowing: request.allowedCredentialIDs)
        return PreludePasskeySignIn(
            credentialID: made.credentialID, clientDataJSON: made.clientDataJSON,
            authenticatorData: made.authenticatorData, signature: made.signature, userHandle: made.userHandle)
    }
}
