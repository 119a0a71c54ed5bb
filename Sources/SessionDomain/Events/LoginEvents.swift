internal import SessionTokens

/// What a code or password was for.
package enum LoginPurpose: String, Sendable {
    case login
    case stepUp = "step_up"
    /// A step-up that adds the identifier to the user.
    case register
}

/// Why an attempt failed, as events report it. The caller never learns it.
package enum LoginFailure: String, Sendable {
    case wrongCode = "wrong_code"
    case expiredCode = "expired_code"
    /// The code has no attempts left.
    case usedUp = "used_up"
    /// The identifier may not sign in, so its code was not sent.
    case codeNotSent = "code_not_sent"
    case wrongPassword = "wrong_password"
    case noPassword = "no_password"
    /// No user has the identifier, and the app creates none.
    case unknownUser = "unknown_user"
    case inactiveUser = "inactive_user"
    /// The code proves another spelling than the one that the user has, so maybe another mailbox.
    case otherSpelling = "other_spelling"
    /// The operator's backend rejected the credential of the earlier system.
    case rejectedCredential = "rejected_credential"
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

    /// The step of a step-up.
    init(_ identifier: CanonicalIdentifier, of challenge: StepUpChallenge) {
        self.init(identifier, userID: challenge.userID)
        purpose = challenge.identifierOfStep == nil ? .stepUp : .register
        sessionID = challenge.sessionID
    }

    fileprivate var data: [String: JSONValue] {
        var data: [String: JSONValue] = ["purpose": .string(purpose.rawValue)]
        if let identifier { data["identifier"] = .string(identifier.masked) }
        if let userID { data["user_id"] = .string(userID) }
        if let sessionID { data["session_id"] = .string(sessionID) }
        return data
    }
}

extension EventFactory {
    package func loginFailed(_ reason: LoginFailure, _ method: LoginMethod, of subject: LoginSubject) -> Event {
        make(
            .loginFailed,
            subject.data.merging([
                "reason": .string(reason.rawValue), "method": .string(method.rawValue),
            ]) { first, _ in first })
    }

    package func codeSent(to subject: LoginSubject) -> Event {
        let channel = subject.identifier.map { JSONValue.string(OTPLoginConfig.Channel(reaching: $0.type).rawValue) }
        return make(.codeSent, subject.data.merging(["channel": channel ?? .null]) { first, _ in first })
    }

    /// Reports a limit, unless it was reported already.
    ///
    /// A limited caller can call again and again. So a limit is reported once per counter and hour: the first report
    /// reserves a key, and later ones find it taken. A flood writes one row per hour.
    package func loginLimited(_ limit: ReachedLimit, of subject: LoginSubject, _ facts: Facts) -> [Change] {
        let hour = limit.until.seconds / 3600
        let key = "login.limited/\(limit.counter.text)/\(hour)"
        guard !facts.isTaken(.redemption(key)) else { return [] }
        var data = subject.data
        data["limit"] = .string(limit.counter.name)
        data["retry_at"] = .string(limit.until.rfc3339)
        let event = make(.loginLimited, data)
        return [
            .redeem(key, until: Timestamp(seconds: (hour + 1) * 3600), app: event.appID),
            .append(event),
        ]
    }

    /// Reports that a source address reached its limit for a kind of call.
    func sourceLimited(_ kind: String, until: Timestamp) -> Event {
        make(.loginLimited, ["limit": .string("source_\(kind)"), "retry_at": .string(until.rfc3339)])
    }
}

extension CounterKey {
    /// The name of the limit in events: what is counted, without whose it is.
    fileprivate var name: String {
        switch self {
        case .starts: "starts"
        case .failures(_, let span): "failures_\(span.rawValue)"
        case .passwordTries: "password_tries"
        case .sends(_, let span): "sends_\(span.rawValue)"
        case .failuresOfGroup: "failures_of_user"
        case .sendsOfGroup: "sends_of_user"
        case .sendsOfApp: "sends_of_app"
        case .sendsToCallingCode: "sends_to_calling_code"
        case .stepUps: "step_ups"
        }
    }
}
