internal import Crypto
package import Foundation
internal import SessionTokens
internal import SessionWebAuthn

/// What a client passes to its authenticator to register a passkey (§5.4), with the token for the end of the ceremony.
package struct PasskeyCreation: Sendable {
    package let relyingPartyID: String
    package let relyingPartyName: String
    package let userHandle: Data
    package let username: String
    package let displayName: String
    package let challenge: Data
    /// The passkeys that the user has already.
    package let excluded: [Passkey]
    package let userVerification: PasskeyConfig.UserVerification
    package let attestation: PasskeyConfig.AttestationPreference
    package let token: String
}

/// What a client passes to its authenticator to sign in, or to complete a step (§5.5).
package struct PasskeyRequest: Sendable {
    package let challenge: Data
    package let relyingPartyID: String
    /// Empty: any passkey of the RP id.
    package let allowed: [Passkey]
    package let userVerification: PasskeyConfig.UserVerification
}

/// The claims of the token that begins a ceremony. No row is stored for it. The challenge of the ceremony is its SHA-256, so it
/// is bound to all that the token says.
struct PasskeyClaims: Codable, Sendable, Equatable {
    enum Ceremony: String {
        case registration, login
    }

    let aud: String
    /// Redeemed by the end of the ceremony.
    let jti: String
    let iat: Int64
    let exp: Int64
    /// The user of a registration.
    var sub: String?
    /// The session of a registration.
    var sid: String?
    /// The id of the user for authenticators, in base64url.
    var userHandle: String?
    var nickname: String?

    /// Seconds from the beginning of a ceremony to its end.
    static let lifetime: Int64 = 300

    private enum CodingKeys: String, CodingKey {
        case aud, jti, iat, exp, sub, sid, nickname
        case userHandle = "user_handle"
    }

    static func audience(_ ceremony: Ceremony, of app: App) -> String { "\(app.id)/passkey-\(ceremony.rawValue)" }

    /// The challenge that this token, and no other one, stands for.
    static func challenge(of token: String) -> [UInt8] { Array(SHA256.hash(data: Data(token.utf8))) }
}

extension AppRuntime {
    func issuePasskeyToken(_ claims: PasskeyClaims) throws -> String {
        try JWT.sign(claims, type: TokenType.passkey, key: challengeKey)
    }

    /// - Throws: `Refusal.invalidChallenge`, `.expiredChallenge`.
    func verifyPasskeyToken(
        _ token: String, _ ceremony: PasskeyClaims.Ceremony, now: Timestamp
    ) throws(Refusal) -> PasskeyClaims {
        guard
            let claims = try? JWT.verify(token, as: PasskeyClaims.self, type: TokenType.passkey, keys: challengeKeys),
            claims.aud == PasskeyClaims.audience(ceremony, of: settings)
        else { throw .invalidChallenge }
        guard claims.exp > now.seconds else { throw .expiredChallenge }
        return claims
    }
}

/// What an assertion proves about a passkey (§7.2).
package struct PasskeyUse: Sendable, Equatable {
    /// The passkey as it was verified.
    package let passkey: Passkey
    /// The counter of the assertion.
    package let counter: Int64
    package let isBackedUp: Bool

    /// Verifies an assertion by a passkey.
    ///
    /// - Parameter token: The token whose SHA-256 the authenticator signed.
    /// - Throws: `WebAuthnError`.
    init(
        verifying response: AssertionResponse, by passkey: Passkey, token: String, config: PasskeyConfig
    ) throws(WebAuthnError) {
        let ceremony = AuthenticationCeremony(
            relyingParty: config.relyingParty, challenge: PasskeyClaims.challenge(of: token),
            requiresUserVerification: config.userVerification == .required)
        let verified = try ceremony.verify(
            response,
            for: StoredCredential(
                id: response.credentialID, publicKey: Array(passkey.publicKey),
                isBackupEligible: passkey.isBackupEligible, userHandle: Array(passkey.userHandle)))
        self.init(of: passkey, counter: Int64(verified.counter), isBackedUp: verified.isBackedUp)
    }

    package init(of passkey: Passkey, counter: Int64, isBackedUp: Bool) {
        self.passkey = passkey
        self.counter = counter
        self.isBackedUp = isBackedUp
    }

    /// Finds the passkey among those that the user has now.
    ///
    /// - Parameter now: When it was used.
    /// - Returns: `nil` if it is gone, or has another key.
    func found(in passkeys: [Passkey], now: Timestamp) -> Found? {
        guard let current = passkeys.first(where: { $0.id == passkey.id && $0.publicKey == passkey.publicKey }) else {
            return nil
        }
        // Also in the transaction: of two responses with one counter, one is a copy.
        let wentBack = counter <= current.counter && (counter, current.counter) != (0, 0)
        var used = current
        used.counter = max(counter, current.counter)
        used.isBackedUp = isBackedUp
        used.lastUsedAt = now
        return Found(current: current, used: used, wentBack: wentBack)
    }

    struct Found {
        let current: Passkey
        let used: Passkey
        /// Whether the counter did not grow (§6.1.1).
        let wentBack: Bool

        /// Writes the use.
        var change: Change { .replacePasskey(current, with: used) }

        /// Reports a counter that went back.
        func report(_ events: EventFactory, isRefused: Bool) -> [Change] {
            wentBack ? [.append(events.passkeyCounterLowered(current, isRefused: isRefused))] : []
        }
    }
}

extension EventFactory {
    /// What webhooks get of a passkey. The key and the counter are left out.
    private func data(of passkey: Passkey) -> [String: JSONValue] {
        var credential: [String: JSONValue] = [
            "credential_id": .string(passkey.id), "backup_state": .bool(passkey.isBackedUp),
            "transports": .array(passkey.transports.map(JSONValue.string)),
            "created_at": .int(passkey.createdAt.seconds),
        ]
        if let nickname = passkey.nickname { credential["nickname"] = .string(nickname) }
        if let used = passkey.lastUsedAt { credential["last_used_at"] = .int(used.seconds) }
        return ["user_id": .string(passkey.userID), "credential": .object(credential)]
    }

    func passkeyRegistered(_ passkey: Passkey, session: String) -> Event {
        make(
            .passkeyRegistered,
            data(of: passkey).merging(
                ["session_id": .string(session), "registered_at": .string(passkey.createdAt.rfc3339)]
            ) { $1 })
    }

    /// - Parameter session: `nil`: an operator deletes it.
    func passkeyDeleted(_ passkey: Passkey, session: String?, at now: Timestamp) -> Event {
        var more: [String: JSONValue] = ["deleted_at": .string(now.rfc3339)]
        if let session { more["session_id"] = .string(session) }
        return make(.passkeyDeleted, data(of: passkey).merging(more) { $1 })
    }

    /// - Parameter isRefused: Whether the use was refused.
    func passkeyCounterLowered(_ passkey: Passkey, isRefused: Bool) -> Event {
        make(
            .passkeyCounterLowered,
            [
                "user_id": .string(passkey.userID), "credential_id": .string(passkey.id), "refused": .bool(isRefused),
            ])
    }
}

extension WebAuthnError {
    /// What is wrong with a response, for developers and operators.
    var problem: String {
        switch self {
        case .tooLong(let part): "\(part) is too long"
        case .malformedCBOR(let fault): "its CBOR is malformed (\(fault))"
        case .malformedClientData: "clientDataJSON is malformed"
        case .wrongType: "it is of the other ceremony"
        case .wrongChallenge: "its challenge is not that of this call"
        case .wrongOrigin(let origin): "its origin \(Self.shown(origin)) is not allowed; add it to allowed_origins"
        case .crossOrigin: "its page was in a frame of another origin"
        case .wrongTopOrigin(let origin): "its page was in a frame of \(Self.shown(origin))"
        case .malformedAuthenticatorData: "authenticatorData is malformed"
        case .backedUpWithoutEligibility: "its flags contradict each other"
        case .wrongRelyingParty: "it is for another RP ID"
        case .userNotPresent: "no user was present"
        case .userNotVerified: "the authenticator did not verify its user"
        case .malformedAttestationObject: "attestationObject is malformed"
        case .wrongCredentialID: "it is of another credential"
        case .wrongUserHandle: "it is of another user"
        case .malformedKey: "its public key is malformed"
        case .algorithmNotAllowed(let number): "its algorithm \(number) is not allowed"
        case .attestation(let fault): "its attestation is wrong (\(fault))"
        case .malformedTrustAnchor: "a trust anchor is malformed"
        case .backupEligibilityChanged: "its backup eligibility has changed"
        case .wrongSignature: "its signature is wrong"
        }
    }

    /// A text of the client, in an error or an event.
    private static func shown(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(100).filter { (0x21...0x7E).contains($0.value) }))
    }
}
