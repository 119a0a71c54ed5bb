internal import SessionDomain
internal import Testing

extension ContractWorld {
    /// A start of a verification, whose code has the hash `right`.
    func verificationStart(
        _ identifier: CanonicalIdentifier, token: String, limit: RateLimit = RateLimit(limit: 100, window: 600),
        sends: Int = 100, device: KnownDevice? = nil, networks: [CountedNetwork] = [], signUp: Bool = true,
        codesWithPasskey: Bool = true, codeChallenge: String? = nil,
        after seconds: Int = 0
    ) -> StartVerification {
        let time = now + seconds
        var limits = LimitSettings()
        limits.starts = limit
        (limits.sendsPerHour, limits.sendsPerDay) = (sends, sends)
        let budget = CallBudget(.start, limits: limits, device: device, networks: networks, now: time)
        return StartVerification(
            appID: app, identifier: identifier, signUp: signUp, codesWithPasskey: codesWithPasskey, budget: budget,
            draft: draft(), now: time
        ) { recipient, isSuppressed in
            Verification(
                tokenHash: token, appID: app, identifier: recipient, loginConfigID: "lcfg_1",
                codeChallenge: codeChallenge, isSuppressed: isSuppressed,
                code: code("right", of: token, expiresAt: time + 600), lastSentAt: time,
                createdAt: time)
        }
    }

    /// A code with this hash.
    func code(_ hash: String, of verification: String, expiresAt: Timestamp) -> IssuedCode {
        let seed = CodeSeed(verification: verification, number: "number of \(hash)", size: 6, keyID: "key")
        return IssuedCode(hash: hash, seed: seed, expiresAt: expiresAt)
    }

    func draft() -> MessageDraft {
        MessageDraft(
            id: environment.newID("msg"), locales: ["fr"], senders: [.email: MessageSender(senderID: "sender")],
            context: EventContext(requestID: "req_1"))
    }

    /// A verification that is in the store.
    @discardableResult
    func begin(
        _ identifier: CanonicalIdentifier, token: String, signUp: Bool = true, codeChallenge: String? = nil,
        after seconds: Int = 0
    ) async throws -> Verification {
        let outcome = try await store.perform(
            verificationStart(
                identifier, token: token, signUp: signUp, codeChallenge: codeChallenge, after: seconds))
        guard case .started(let verification, _) = outcome else {
            throw ContractFailure("the verification was not started: \(outcome)")
        }
        return verification
    }

    func check(
        _ codes: String..., token: String, limits: LimitSettings = LimitSettings(), device: KnownDevice? = nil,
        networks: [CountedNetwork] = [], signUp: Bool = true, after seconds: Int = 1
    ) async throws -> CheckCodeOutcome {
        try await store.perform(
            CheckCode(
                appID: app, tokenHash: token, codeHashes: codes, limits: limits, device: device, networks: networks,
                signUp: signUp, newUserID: environment.newID("usr"), now: now + seconds, events: events()))
    }

    func resend(
        token: String, code: String = "second", limits: LimitSettings = LimitSettings(), device: KnownDevice? = nil,
        after seconds: Int
    ) async throws -> ResendOutcome {
        try await store.perform(
            ResendCode(
                appID: app, tokenHash: token, limits: limits, device: device,
                newCode: self.code(code, of: token, expiresAt: now + seconds + limits.codeLifetime), draft: draft(),
                now: now + seconds))
    }

    /// A device on which a user has signed in.
    func device(of user: User, id: String = "dev_1") -> KnownDevice {
        KnownDevice(userID: user.id, id: id, issuedAt: now, loginEpoch: user.loginEpoch)
    }
}

/// The reason why a rule could not be checked.
struct ContractFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

extension CheckCodeOutcome {
    var isRight: Bool { if case .right = self { true } else { false } }
}

extension StartVerificationOutcome {
    var isStarted: Bool { if case .started = self { true } else { false } }
}
