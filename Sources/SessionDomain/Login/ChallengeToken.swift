internal import SessionTokens

/// The claims of a challenge token: what a login or a step-up has proven so far.
package struct ChallengeClaims: Codable, Sendable, Equatable {
    package var iss: String
    package var aud: String
    package var sub: String
    package var jti: String
    package var iat: Int64
    package var exp: Int64
    package var challengeID: String
    package var currentStep: String
    package var grantMode: String
    /// PKCE challenge from the start of the login, which finalize must answer (RFC 7636).
    package var codeChallenge: String?
    /// Scopes that this login method grants to the session.
    package var grantedScopes: [String]?
    /// How the user signed in. `nil` for a step-up, and for tokens of older versions.
    package var method: LoginMethod?
    /// `User.loginEpoch` of a login.
    package var loginEpoch: Int64?
    /// Whether the login proved an identifier that was not held.
    package var endsHolds: Bool?
    /// Whether the login created the user.
    package var isNewUser: Bool?
    /// Whether the login came from a known device of the user.
    package var isKnownDevice: Bool?
    /// The identifier whose code the login had. `nil` for a login without a code.
    package var provenIdentifier: IdentifierDigest?
    /// The session of a step-up.
    package var sid: String?
    /// The scope of a step-up.
    package var scopeRequested: String?
    /// The steps of a step-up, in order.
    package var steps: [Step]?

    /// One step, as clients see it.
    package struct Step: Codable, Sendable, Equatable {
        package var order: Int
        package var key: String
        package var done: Bool
        package var expirationDuration: Int

        private enum CodingKeys: String, CodingKey {
            case order, key, done
            case expirationDuration = "expiration_duration"
        }
    }

    /// Whether the device of this login becomes a known one. With a held identifier it does not: a hijacked session that
    /// registered its own phone would open another budget at the password of the user.
    var makesDeviceKnown: Bool { endsHolds == true || method == .migration }

    package static let completed = "completed"
    package static let sessionStart = "session-start"
    /// Seconds from the correct code or password to finalize.
    static let lifetime = 300

    private enum CodingKeys: String, CodingKey {
        case iss, aud, sub, jti, iat, exp, sid, steps, method
        case challengeID = "challenge_id"
        case currentStep = "current_step"
        case grantMode = "grant_mode"
        case codeChallenge = "code_challenge"
        case grantedScopes = "granted_scopes"
        case loginEpoch = "login_epoch"
        case endsHolds = "ends_holds"
        case isNewUser = "is_new_user"
        case isKnownDevice = "is_known_device"
        case provenIdentifier = "proven_identifier"
        case scopeRequested = "scope_requested"
    }
}

@available(service, *)
extension AppRuntime {
    /// Issues the token of a login that is proven for this user.
    ///
    /// - Parameters:
    ///   - user: As read in the transaction that checked the code or password.
    ///   - identifier: The identifier that the login proved; `nil` for a migration. With a held one, the session gets no
    ///     scopes, and no hold ends.
    ///   - isNew: Whether the correct code created the user.
    ///   - device: The device that the caller names, if its token is valid.
    func issueLoginChallenge(
        for user: User, by identifier: CanonicalIdentifier? = nil, codeChallenge: String? = nil,
        grantedScopes: [String] = [], method: LoginMethod? = nil, isNew: Bool = false, device: KnownDevice? = nil,
        environment: ServiceEnvironment
    ) throws -> String {
        let now = environment.now()
        let isHeld = identifier.map { user.isHeld($0, at: now) } ?? false
        let claims = ChallengeClaims(
            iss: issuer, aud: challengeAudience, sub: user.id, jti: environment.newID("chl"), iat: now.seconds,
            exp: (now + ChallengeClaims.lifetime).seconds, challengeID: environment.newID("chg"),
            currentStep: ChallengeClaims.completed, grantMode: ChallengeClaims.sessionStart,
            codeChallenge: codeChallenge, grantedScopes: isHeld || grantedScopes.isEmpty ? nil : grantedScopes,
            method: method, loginEpoch: user.loginEpoch, endsHolds: identifier != nil && !isHeld ? true : nil,
            isNewUser: isNew ? true : nil, isKnownDevice: device?.standing(for: user) == .known ? true : nil,
            provenIdentifier: method?.hasCode == true ? identifier.map(IdentifierDigest.init) : nil)
        return try JWT.sign(claims, type: TokenType.challenge, key: challengeKey)
    }

    /// Issues the currently valid token of a step-up.
    func issueStepUpChallenge(_ challenge: StepUpChallenge, now: Timestamp) throws -> String {
        let steps = challenge.steps.enumerated().map { index, step in
            ChallengeClaims.Step(
                order: step.order, key: step.key, done: index < challenge.stepsDone,
                expirationDuration: step.expirationDuration)
        }
        let claims = ChallengeClaims(
            iss: issuer, aud: challengeAudience, sub: challenge.userID, jti: challenge.tokenID, iat: now.seconds,
            exp: challenge.expiresAt.seconds, challengeID: challenge.id,
            currentStep: challenge.currentStep?.key ?? ChallengeClaims.completed,
            grantMode: challenge.terms.mode.rawValue, sid: challenge.sessionID, scopeRequested: challenge.scope,
            steps: steps)
        return try JWT.sign(claims, type: TokenType.challenge, key: challengeKey)
    }

    /// Verifies a challenge token of this app: signature and audience first, then time.
    func verifyChallenge(_ token: String, now: Timestamp) throws(Refusal) -> ChallengeClaims {
        guard !token.isEmpty else { throw .missingChallenge }
        guard
            let claims = try? JWT.verify(
                token, as: ChallengeClaims.self, type: TokenType.challenge, keys: challengeKeys),
            claims.aud == challengeAudience
        else { throw .invalidChallenge }
        guard claims.exp > now.seconds else { throw .expiredChallenge }
        return claims
    }

    /// Differs from the app id, so that no verifier accepts a challenge as an access token (RFC 8725 §3.12).
    private var challengeAudience: String { "\(settings.id)/challenge" }
}
