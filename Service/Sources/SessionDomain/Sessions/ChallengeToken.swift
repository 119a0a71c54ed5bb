internal import Crypto
internal import Foundation
package import SessionTokens

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
    var makesDeviceKnown: Bool { endsHolds == true || method == .migration || method == .passkey }

    /// The hash of the verification whose right code got this token; `nil` if the code is not accepted again.
    package var answeredVerification: String? {
        jti.hasPrefix(Self.answerPrefix) ? String(jti.dropFirst(Self.answerPrefix.count)) : nil
    }

    /// The id of all tokens that one verification gets for its right code, so that one of them is redeemed.
    static func id(answering verification: Verification) -> String { answerPrefix + verification.tokenHash }

    private static let answerPrefix = "vrf_"

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

extension ChallengeClaims: JSONWritable, JSONObjectReadable {
    package init(_ object: JSONObject) throws {
        self.init(
            iss: try object.string("iss"), aud: try object.string("aud"), sub: try object.string("sub"),
            jti: try object.string("jti"), iat: try object.integer("iat"), exp: try object.integer("exp"),
            challengeID: try object.string("challenge_id"), currentStep: try object.string("current_step"),
            grantMode: try object.string("grant_mode"), codeChallenge: try object.stringIfPresent("code_challenge"),
            grantedScopes: try object.stringsIfPresent("granted_scopes"),
            method: try object.stringIfPresent("method").map(Self.method),
            loginEpoch: try object.integerIfPresent("login_epoch"), endsHolds: try object.boolIfPresent("ends_holds"),
            isNewUser: try object.boolIfPresent("is_new_user"),
            isKnownDevice: try object.boolIfPresent("is_known_device"),
            provenIdentifier: try object.stringIfPresent("proven_identifier").map(IdentifierDigest.init(text:)),
            sid: try object.stringIfPresent("sid"), scopeRequested: try object.stringIfPresent("scope_requested"),
            steps: try object.objectsIfPresent("steps")?.map(Step.init))
    }

    private static func method(_ name: String) throws -> LoginMethod {
        guard let method = LoginMethod(rawValue: name) else { throw JWSError.invalidClaims }
        return method
    }

    package func write(into json: inout JSONWriter) {
        json.member("aud", aud)
        json.member("challenge_id", challengeID)
        json.member("code_challenge", codeChallenge)
        json.member("current_step", currentStep)
        json.member("ends_holds", endsHolds)
        json.member("exp", exp)
        json.member("grant_mode", grantMode)
        if let grantedScopes { json.member("granted_scopes", strings: grantedScopes) }
        json.member("iat", iat)
        json.member("is_known_device", isKnownDevice)
        json.member("is_new_user", isNewUser)
        json.member("iss", iss)
        json.member("jti", jti)
        if let loginEpoch { json.member("login_epoch", loginEpoch) }
        json.member("method", method?.rawValue)
        json.member("proven_identifier", provenIdentifier?.text)
        json.member("scope_requested", scopeRequested)
        json.member("sid", sid)
        if let steps {
            json.member("steps", objects: steps) { step, json in
                json.member("done", step.done)
                json.member("expiration_duration", Int64(step.expirationDuration))
                json.member("key", step.key)
                json.member("order", Int64(step.order))
            }
        }
        json.member("sub", sub)
    }
}

extension ChallengeClaims.Step: JSONObjectReadable {
    package init(_ object: JSONObject) throws {
        guard let done = try object.boolIfPresent("done") else { throw JWSError.invalidClaims }
        self.init(
            order: Int(try object.integer("order")), key: try object.string("key"), done: done,
            expirationDuration: Int(try object.integer("expiration_duration")))
    }
}

extension AppRuntime {
    /// Issues the token of a login that is proven for this user.
    ///
    /// - Parameters:
    ///   - user: As read in the transaction that checked the code or password.
    ///   - identifier: The identifier that the login proved; `nil` for a migration. With a held one, the session gets no
    ///     scopes, and no hold ends.
    ///   - verification: The verification of the code. If it is answered, all its tokens are equivalent: they have one id, and
    ///     expire together.
    ///   - isNew: Whether the correct code created the user.
    ///   - device: The device that the caller names, if its token is valid.
    func issueLoginChallenge(
        for user: User, by identifier: CanonicalIdentifier? = nil, answering verification: Verification? = nil,
        codeChallenge: String? = nil, grantedScopes: [String] = [], method: LoginMethod? = nil, isNew: Bool = false,
        device: KnownDevice? = nil,
        environment: ServiceEnvironment
    ) throws -> String {
        let now = environment.now()
        let answered = verification.flatMap { $0.isAnswered ? $0 : nil }
        let issuedAt = answered?.answeredAt ?? now
        let isHeld = identifier.map { user.isHeld($0, at: now) } ?? false
        let claims = ChallengeClaims(
            iss: issuer, aud: challengeAudience, sub: user.id,
            jti: answered.map(ChallengeClaims.id(answering:)) ?? environment.newID("chl"), iat: issuedAt.seconds,
            exp: (issuedAt + ChallengeClaims.lifetime).seconds, challengeID: environment.newID("chg"),
            currentStep: ChallengeClaims.completed, grantMode: ChallengeClaims.sessionStart,
            codeChallenge: codeChallenge ?? verification?.codeChallenge,
            grantedScopes: isHeld || grantedScopes.isEmpty ? nil : grantedScopes,
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
    ///
    /// - Parameter mayBeExpired: Whether the caller checks the time itself.
    func verifyChallenge(
        _ token: String, now: Timestamp, mayBeExpired: Bool = false
    ) throws(Refusal) -> ChallengeClaims {
        guard !token.isEmpty else { throw .missingChallenge }
        guard
            let claims = try? JWT.verify(
                token, as: ChallengeClaims.self, type: TokenType.challenge, keys: challengeKeys),
            claims.aud == challengeAudience
        else { throw .invalidChallenge }
        guard mayBeExpired || claims.exp > now.seconds else { throw .expiredChallenge }
        return claims
    }

    /// Differs from the app id, so that no verifier accepts a challenge as an access token (RFC 8725 §3.12).
    private var challengeAudience: String { "\(settings.id)/challenge" }
}

/// SHA-256 of an identifier in its canonical form. A challenge token names the identifier that a login proved by it, so the
/// token contains no address.
package struct IdentifierDigest: Sendable, Equatable, Codable {
    let text: String

    package init(_ identifier: CanonicalIdentifier) {
        text = Base64URL.encode(SHA256.hash(data: Data(identifier.key.utf8)))
    }

    /// - Parameter text: The digest, as `text` has it.
    init(text: String) { self.text = text }

    package init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
