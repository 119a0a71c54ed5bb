public import Foundation
internal import SessionTokens
internal import SessionWire

/// Creates passkeys and signs in with them: the system's password manager, or an authenticator of a test.
///
/// The client asks for one answer at a time. Before the next one it cancels the task of the last one and waits for its
/// end, so an authenticator must return when its task is cancelled.
///
/// Throw `CancellationError` when the user cancels, and a `PreludePasskeyError` for what an app can react to. Any
/// other error is a failure of which only type and code are shown.
public protocol PreludePasskeyAuthenticator: Sendable {
    /// Creates a passkey (WebAuthn Level 3 §5.1.3).
    ///
    /// - Parameter request: What the service asks for.
    /// - Returns: The passkey, and its attestation.
    /// - Throws: `CancellationError`, a `PreludePasskeyError` or another error, see above.
    func createPasskey(_ request: PreludePasskeyCreationRequest) async throws -> PreludePasskeyCreation

    /// Signs in with a passkey (WebAuthn Level 3 §5.1.4).
    ///
    /// - Parameter request: What the service asks for.
    /// - Returns: The passkey that the user has chosen, and its signature.
    /// - Throws: `CancellationError`, a `PreludePasskeyError` or another error, see above.
    func signIn(_ request: PreludePasskeySignInRequest) async throws -> PreludePasskeySignIn

    /// The service does not accept a passkey any more, so it should not be offered again (WebAuthn Level 3 §5.1.10). It
    /// has an implementation that does nothing.
    ///
    /// - Parameters:
    ///   - credentialID: The id of the passkey.
    ///   - relyingPartyID: The host that the passkey is for.
    func passkeyWasDeleted(_ credentialID: Data, relyingPartyID: String) async
}

extension PreludePasskeyAuthenticator {
    /// Does nothing.
    public func passkeyWasDeleted(_ credentialID: Data, relyingPartyID: String) async {}
}

/// Whether the user must unlock the authenticator, and not only touch it (WebAuthn Level 3 §5.8.6).
public enum PreludePasskeyVerification: String, Sendable, Hashable, Codable, CaseIterable {
    /// An answer without it is invalid.
    case required
    /// If the authenticator can.
    case preferred
    /// Only if the authenticator needs it.
    case discouraged

    /// A missing or unknown value is `preferred`, as WebAuthn demands.
    init(wire: String?) { self = wire.flatMap(Self.init) ?? .preferred }
}

/// What the service asks for when a passkey is created.
public struct PreludePasskeyCreationRequest: Sendable, Hashable {
    /// The host that the passkey is for, such as `example.com` (the RP id).
    public var relyingPartyID: String
    /// What the answer contains, so that it is valid once.
    public var challenge: Data
    /// The user's id for authenticators. It contains no personal data.
    public var userHandle: Data
    /// The name of the account, which the password manager shows.
    public var userName: String
    /// The name of the user, for display.
    public var displayName: String
    /// The passkeys that the user has. An authenticator that has one of them creates none.
    public var excludedCredentialIDs: [Data]
    /// Whether the user must unlock the authenticator.
    public var userVerification: PreludePasskeyVerification

    /// Creates a request. The client creates it from the service's response.
    ///
    /// - Parameters:
    ///   - relyingPartyID: The host that the passkey is for.
    ///   - challenge: What the answer contains.
    ///   - userHandle: The user's id for authenticators.
    ///   - userName: The name of the account.
    ///   - displayName: The name of the user, for display.
    ///   - excludedCredentialIDs: The passkeys that the user has.
    ///   - userVerification: Whether the user must unlock the authenticator.
    public init(
        relyingPartyID: String, challenge: Data, userHandle: Data, userName: String, displayName: String,
        excludedCredentialIDs: [Data] = [], userVerification: PreludePasskeyVerification = .preferred
    ) {
        self.relyingPartyID = relyingPartyID
        self.challenge = challenge
        self.userHandle = userHandle
        self.userName = userName
        self.displayName = displayName
        self.excludedCredentialIDs = excludedCredentialIDs
        self.userVerification = userVerification
    }
}

/// A new passkey.
public struct PreludePasskeyCreation: Sendable, Hashable {
    /// The id of the passkey.
    public var credentialID: Data
    /// The client data, as JSON (WebAuthn Level 3 §5.8.1).
    public var clientDataJSON: Data
    /// The attestation object, as CBOR (§6.5.4).
    public var attestationObject: Data
    /// How a client reaches the authenticator, such as `internal`; `nil` if that is not known.
    public var transports: [String]?
    /// `platform` for an authenticator of this device; `nil` if that is not known.
    public var attachment: String?

    /// Creates the answer of an authenticator.
    ///
    /// - Parameters:
    ///   - credentialID: The id of the passkey.
    ///   - clientDataJSON: The client data, as JSON.
    ///   - attestationObject: The attestation object, as CBOR.
    ///   - transports: How a client reaches the authenticator.
    ///   - attachment: `platform` for an authenticator of this device.
    public init(
        credentialID: Data, clientDataJSON: Data, attestationObject: Data, transports: [String]? = nil,
        attachment: String? = nil
    ) {
        self.credentialID = credentialID
        self.clientDataJSON = clientDataJSON
        self.attestationObject = attestationObject
        self.transports = transports
        self.attachment = attachment
    }
}

/// What the service asks for at a sign-in with a passkey.
public struct PreludePasskeySignInRequest: Sendable, Hashable, Codable {
    /// The host that the passkey is for, such as `example.com` (the RP id).
    public var relyingPartyID: String
    /// What the answer contains, so that it is valid once.
    public var challenge: Data
    /// The passkeys to choose from. Empty: each passkey for the host.
    public var allowedCredentialIDs: [Data]
    /// Whether the user must unlock the authenticator.
    public var userVerification: PreludePasskeyVerification
    /// Whether passkeys are offered above the keyboard, and not in a sheet (`PasskeyLoginOptions.autofill`).
    public var autofill: Bool
    /// Whether only passkeys of this device are offered (`PasskeyLoginOptions.preferImmediatelyAvailableCredentials`).
    public var preferImmediatelyAvailableCredentials: Bool

    /// Creates a request. The client creates it from the service's response.
    ///
    /// - Parameters:
    ///   - relyingPartyID: The host that the passkey is for.
    ///   - challenge: What the answer contains.
    ///   - allowedCredentialIDs: The passkeys to choose from. Empty: each passkey for the host.
    ///   - userVerification: Whether the user must unlock the authenticator.
    ///   - autofill: Whether passkeys are offered above the keyboard.
    ///   - preferImmediatelyAvailableCredentials: Whether only passkeys of this device are offered.
    public init(
        relyingPartyID: String, challenge: Data, allowedCredentialIDs: [Data] = [],
        userVerification: PreludePasskeyVerification = .preferred, autofill: Bool = false,
        preferImmediatelyAvailableCredentials: Bool = false
    ) {
        self.relyingPartyID = relyingPartyID
        self.challenge = challenge
        self.allowedCredentialIDs = allowedCredentialIDs
        self.userVerification = userVerification
        self.autofill = autofill
        self.preferImmediatelyAvailableCredentials = preferImmediatelyAvailableCredentials
    }
}

/// The signature of a passkey.
public struct PreludePasskeySignIn: Sendable, Hashable {
    /// The id of the passkey.
    public var credentialID: Data
    /// The client data, as JSON (WebAuthn Level 3 §5.8.1).
    public var clientDataJSON: Data
    /// What the authenticator signed besides the client data (§6.1).
    public var authenticatorData: Data
    /// The signature.
    public var signature: Data
    /// The user's id from the creation; `nil` if the authenticator does not return it.
    public var userHandle: Data?
    /// `platform` for an authenticator of this device; `nil` if that is not known.
    public var attachment: String?

    /// Creates the answer of an authenticator.
    ///
    /// - Parameters:
    ///   - credentialID: The id of the passkey.
    ///   - clientDataJSON: The client data, as JSON.
    ///   - authenticatorData: What the authenticator signed besides the client data.
    ///   - signature: The signature.
    ///   - userHandle: The user's id from the creation.
    ///   - attachment: `platform` for an authenticator of this device.
    public init(
        credentialID: Data, clientDataJSON: Data, authenticatorData: Data, signature: Data, userHandle: Data? = nil,
        attachment: String? = nil
    ) {
        self.credentialID = credentialID
        self.clientDataJSON = clientDataJSON
        self.authenticatorData = authenticatorData
        self.signature = signature
        self.userHandle = userHandle
        self.attachment = attachment
    }
}

// MARK: From and to the bodies of the protocol

extension PreludePasskeyCreationRequest {
    /// - Throws: `.generic` with the code `invalid_answer` for options that no authenticator can use.
    init(_ options: PasskeyCreationOptions) throws {
        self.init(
            relyingPartyID: try PasskeyOptions.relyingPartyID(options.rp.id),
            challenge: try PasskeyOptions.bytes(options.challenge),
            userHandle: try PasskeyOptions.bytes(options.user.id), userName: options.user.name,
            displayName: options.user.displayName,
            excludedCredentialIDs: try (options.excludeCredentials ?? []).map { try PasskeyOptions.bytes($0.id) },
            userVerification: PreludePasskeyVerification(wire: options.authenticatorSelection?.userVerification))
    }
}

extension PreludePasskeySignInRequest {
    /// - Throws: `.generic` with the code `invalid_answer` for options that no authenticator can use.
    init(_ options: PasskeyRequestOptions) throws {
        self.init(
            relyingPartyID: try PasskeyOptions.relyingPartyID(options.rpID),
            challenge: try PasskeyOptions.bytes(options.challenge),
            allowedCredentialIDs: try (options.allowCredentials ?? []).map { try PasskeyOptions.bytes($0.id) },
            userVerification: PreludePasskeyVerification(wire: options.userVerification))
    }
}

/// Reads members of options.
private enum PasskeyOptions {
    private static var invalid: PreludeSessionError {
        .generic(code: "invalid_answer", message: "the options for the passkey in the server's response are invalid")
    }

    static func relyingPartyID(_ text: String) throws -> String {
        guard !text.isEmpty else { throw invalid }
        return text
    }

    static func bytes(_ text: String) throws -> Data {
        guard let bytes = Base64URL.decode(text), !bytes.isEmpty else { throw invalid }
        return bytes
    }
}

extension PasskeyAttestation {
    init(_ creation: PreludePasskeyCreation) {
        self.init(
            id: Base64URL.encode(creation.credentialID), authenticatorAttachment: creation.attachment,
            response: Response(
                clientDataJSON: Base64URL.encode(creation.clientDataJSON),
                attestationObject: Base64URL.encode(creation.attestationObject), transports: creation.transports))
    }
}

extension PasskeyAssertion {
    init(_ signIn: PreludePasskeySignIn) {
        self.init(
            id: Base64URL.encode(signIn.credentialID), authenticatorAttachment: signIn.attachment,
            response: Response(
                clientDataJSON: Base64URL.encode(signIn.clientDataJSON),
                authenticatorData: Base64URL.encode(signIn.authenticatorData),
                signature: Base64URL.encode(signIn.signature), userHandle: signIn.userHandle.map(Base64URL.encode)))
    }
}
