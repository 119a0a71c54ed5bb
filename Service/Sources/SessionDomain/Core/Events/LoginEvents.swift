internal import SessionTokens

/// What a code or password was for.
package enum LoginPurpose: String, Sendable {
    case login
    case stepUp = "step_up"
    /// A step-up that adds the identifier to the user.
    case register
}

/// Why an attempt failed, as events report it. The caller never learns it.
package enum LoginFailure: String, Sendable, Codable, CaseIterable {
    case wrongCode = "wrong_code"
    case expiredCode = "expired_code"
    /// The code has no attempts left.
    case usedUp = "used_up"
    /// The identifier may not sign in, so its code was not sent.
    case codeNotSent = "code_not_sent"
    /// The messages that unknown devices have together are spent, so its code was not sent.
    case strangerLimit = "stranger_limit"
    /// The send hook of the app refused the code.
    case sendDenied = "send_denied"
    /// The send hook of the app asks for another way to sign in.
    case otherChannel = "other_channel"
    case wrongPassword = "wrong_password"
    case noPassword = "no_password"
    /// No user has the identifier, and the app creates none.
    case unknownUser = "unknown_user"
    case inactiveUser = "inactive_user"
    /// The code proves another spelling than the one that the user has, so maybe another mailbox.
    case otherSpelling = "other_spelling"
    /// The user has a passkey, and the app sends no codes to such users.
    case passkeyRequired = "passkey_required"
    /// The response of the passkey is not accepted.
    case wrongPasskey = "wrong_passkey"
    /// The operator's backend rejected the credential of the earlier system.
    case rejectedCredential = "rejected_credential"
    /// The login was proven, and something ended it before the session began, such as a change of the password.
    case voidChallenge = "void_challenge"
    case reusedChallenge = "reused_challenge"
    /// The PKCE verifier is not that of the device that began the login.
    case wrongVerifier = "wrong_verifier"
}

/// Whose attempt an event reports. The identifier is masked.
package struct LoginSubject: Sendable {
    package var identifier: CanonicalIdentifier?
    package var purpose = LoginPurpose.login
    package var userID: String?
    package var sessionID: String?

    package init(_ identifier: CanonicalIdentifier?, userID: String? = nil) {
        self.identifier = identifier
        self.userID = userID
    }

    /// A request for a scope. No identifier is chosen yet.
    init(stepUpOf userID: String, session sessionID: String?) {
        self.init(nil, userID: userID)
        purpose = .stepUp
        self.sessionID = sessionID
    }

    /// The step of a step-up.
    init(_ identifier: CanonicalIdentifier, of challenge: StepUpChallenge) {
        self.init(identifier, userID: challenge.userID)
        purpose = challenge.identifierOfStep == nil ? .stepUp : .register
        sessionID = challenge.sessionID
    }

    var data: [String: JSONValue] {
        var data: [String: JSONValue] = ["purpose": .string(purpose.rawValue)]
        if let identifier {
            data["identifier"] = .string(identifier.masked)
            if identifier.type == .phoneNumber {
                data["calling_code"] = .string(CallingCode.of(identifier.canonical))
            }
        }
        if let userID { data["user_id"] = .string(userID) }
        if let sessionID { data["session_id"] = .string(sessionID) }
        return data
    }
}

extension EventFactory {
    /// - Parameter method: `nil`: the challenge of the login is of an older version and does not name it.
    /// - Parameter problem: What is wrong with the response of an authenticator.
    package func loginFailed(
        _ reason: LoginFailure, _ method: LoginMethod?, of subject: LoginSubject, problem: String? = nil
    ) -> Event {
        var data = subject.data
        data["reason"] = .string(reason.rawValue)
        if let method { data["method"] = .string(method.rawValue) }
        if let problem { data["problem"] = .string(problem) }
        return make(.loginFailed, data, reporting: .login(method, .failed(reason)))
    }

    /// Reports a limit, unless it was reported already.
    ///
    /// A limited caller can call again and again. So a limit is reported once per counter and hour: the first report
    /// reserves a key, and later ones find it taken. A flood writes one row per hour.
    ///
    /// Many users share some counters, such as that of an address. Of these a limit is reported for each user, too, so that
    /// the events of a user show it. It costs a bounded number of writes in an hour, the same for an identifier without a user:
    /// the time of an answer must not tell whether there is one.
    ///
    /// - Parameter method: `nil`: a request for a scope, whose method is decided later.
    package func loginLimited(
        _ limit: ReachedLimit, _ method: LoginMethod?, of subject: LoginSubject, _ failures: GuardFailures
    ) -> [Change] {
        let end = Timestamp(seconds: (limit.until.seconds / 3600 + 1) * 3600)
        let isFirst = !failures.isTaken(.redemption(limit.reportKey))
        let event = limited(limit, method, of: subject, isFirst: isFirst)
        guard !isFirst else {
            return [.redeem(limit.reportKey, until: end, app: event.appID), .append(event)]
        }
        guard limit.counter.isShared, let identifier = subject.identifier else { return [] }
        let key = "\(limit.reportKey)/\(IdentifierDigest(identifier).text)"
        // Invented identifiers must not spend the reports of users.
        let all = CounterKey.reports(limit.counter.limit, of: limit.counter.text)
        let reports = subject.userID == nil ? CounterKey.withheld(all) : all
        guard !failures.isTaken(.redemption(key)), failures.limit(of: reports) == nil else { return [] }
        return [
            .redeem(key, until: end, app: event.appID),
            .count(reports, app: event.appID, limit: ReachedLimit.maximumReports, now: event.createdAt),
            .append(event),
        ]
    }

    /// - Parameter isFirst: A limit that is reported for a further identifier is no news for observers.
    private func limited(
        _ limit: ReachedLimit, _ method: LoginMethod?, of subject: LoginSubject, isFirst: Bool
    ) -> Event {
        var data = subject.data
        if let method { data["method"] = .string(method.rawValue) }
        data["limit"] = .string(limit.counter.limit.rawValue)
        data["setting"] = .string(limit.counter.limit.setting)
        data["retry_at"] = .string(limit.until.rfc3339)
        let phone = subject.identifier.flatMap { $0.type == .phoneNumber ? CallingCode.of($0.canonical) : nil }
        return make(
            .loginLimited, data,
            reporting: isFirst
                ? .limitReached(limit.counter.limit, of: appID, callingCode: phone, until: limit.until) : nil)
    }

    /// Reports that a source address reached a limit.
    func sourceLimited(_ limit: LimitName, _ attempt: LimitedAttempt, until: Timestamp) -> Event {
        var data: [String: JSONValue] = [
            "limit": .string(limit.rawValue), "retry_at": .string(until.rfc3339),
        ]
        data["setting"] = .string(limit.setting)
        if let purpose = attempt.purpose { data["purpose"] = .string(purpose.rawValue) }
        if let method = attempt.method { data["method"] = .string(method.rawValue) }
        return make(.loginLimited, data, reporting: .limitReached(limit, of: appID, callingCode: nil, until: until))
    }
}

/// What a source address tried when it reached its limit.
struct LimitedAttempt: Sendable {
    /// `nil`: a call of the management API.
    let purpose: LoginPurpose?
    /// `nil`: not known before the code is read.
    let method: LoginMethod?

    static let management = LimitedAttempt(purpose: nil, method: nil)

    static func login(_ method: LoginMethod? = nil) -> LimitedAttempt {
        LimitedAttempt(purpose: .login, method: method)
    }
}

/// How a user signed in, as events report it.
package enum LoginMethod: String, Sendable, Codable, CaseIterable {
    case smsCode = "otp_sms"
    case emailCode = "otp_email"
    case password
    case passkey
    case migration

    /// Whether the user read a code that was sent to an identifier.
    var hasCode: Bool { self == .smsCode || self == .emailCode }

    /// How the user proved who it is, as the claim `amr` says it (RFC 8176). `nil`: the service does not know.
    package var references: [String]? {
        switch self {
        case .smsCode: ["otp", "sms"]
        case .emailCode: ["otp"]
        case .password: ["pwd"]
        case .passkey: ["pop", "user"]
        case .migration: nil
        }
    }

    /// The method of a code that was sent to an identifier of this type.
    package init(codeTo type: IdentifierType) {
        switch type {
        case .phoneNumber: self = .smsCode
        case .emailAddress: self = .emailCode
        }
    }
}
