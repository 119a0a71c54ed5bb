import SessionDomain

extension Decision {
    /// The decision without the events of attempts, for tests of what else it writes.
    var withoutReports: Decision {
        Decision(
            outcome,
            changes.filter { change in
                switch change {
                case .append(let event): !["login.", "code."].contains { event.name.rawValue.hasPrefix($0) }
                case .redeem(let key, _, _): !key.hasPrefix("login.")
                default: true
                }
            })
    }
}

extension TestApp {
    static func events() throws -> EventFactory { EventFactory(appID: try appID(), environment: stillEnvironment) }

    static func change(of userID: String) throws -> UserChange {
        UserChange(of: userID, app: try appID(), now: now, events: try events())
    }

    /// A DPoP proof by the key of `session()`.
    static func proof(_ name: String = "proof", isFresh: Bool = true, attempt: String? = nil) -> ProofUse {
        ProofUse(
            thumbprint: "key", replayKey: name, rememberUntil: now + 180, nonce: nil, windowStart: now - 100,
            isFresh: isFresh, issuedAt: now, attempt: attempt)
    }

    static func grant(
        id: String = "grt_1", scope: String = "pay", _ mode: GrantMode = .sessionBound, generation: Int64 = 5,
        lasts seconds: Int = 100
    ) throws -> Grant {
        Grant(
            id: id, appID: try appID(), userID: "usr_1", sessionID: "ses_1", scope: scope, mode: mode,
            generation: generation, expiresAt: now + seconds)
    }

    /// A code with this hash.
    static func code(_ hash: String, of verification: String = "token", expires: Int = 600) -> IssuedCode {
        let seed = CodeSeed(verification: verification, number: "number of \(hash)", size: 6, keyID: "key")
        return IssuedCode(hash: hash, seed: seed, expiresAt: now + expires)
    }

    static let draft = MessageDraft(id: "msg_1", locales: ["fr"], context: EventContext(requestID: "req_1"))

    /// The message with the newest code of a verification.
    static func queued(
        _ verification: Verification, for subject: LoginSubject? = nil, withheld: LoginFailure? = nil
    ) -> Change {
        let subject = subject ?? LoginSubject(verification.identifier)
        return .insertMessage(draft.code(of: verification, for: subject, withheld: withheld, at: now))
    }

    /// A running verification, whose code has the hash `right`.
    static func verification(
        _ key: String = "token", of identifier: CanonicalIdentifier? = nil, checks: Int = 0, sends: Int = 1,
        sent: Int = 0, expires: Int = 600, isSuppressed: Bool = false, codeChallenge: String? = nil
    ) throws -> Verification {
        Verification(
            tokenHash: key, appID: try appID(), identifier: try identifier ?? mail(), loginConfigID: "lcfg",
            codeChallenge: codeChallenge, isSuppressed: isSuppressed, code: code("right", of: key, expires: expires),
            checks: checks, sends: sends, lastSentAt: now - sent, createdAt: now - sent)
    }

    /// A challenge of `session()` with one step.
    static func challenge(
        id: String = "chg_1", step: String = StepUpStep.verifyEmail, newIdentifier: CanonicalIdentifier? = nil,
        wrongCodes: Int = 0
    ) throws -> StepUpChallenge {
        StepUpChallenge(
            id: id, appID: try appID(), userID: "usr_1", sessionID: "ses_1", scope: "pay",
            terms: GrantTerms(mode: .singleUse, grantedFor: 0),
            steps: [StepUpStep(order: 1, key: step, expirationDuration: 60)], newIdentifier: newIdentifier,
            createdAt: now - 10, tokenID: "chl_1", wrongCodes: wrongCodes, expiresAt: now + 50)
    }

    /// The valid token of `challenge()`, together with the session's key.
    static var reference: ChallengeReference {
        ChallengeReference(
            id: "chg_1", tokenID: "chl_1", sessionID: "ses_1", userID: "usr_1", expiresAt: now + 50,
            proofThumbprint: "key")
    }

    static func revocation(_ session: Session, _ reason: RevocationReason) throws -> [Change] {
        var ended = session
        ended.revokedAt = now
        return [
            .replaceSession(session, with: ended), .deleteStepUpsOfSession(session),
            .append(try events().sessionRevoked(session, reason: reason)),
        ]
    }

    static func device(id: String = "dev_1", of userID: String = "usr_1", epoch: Int64 = 0) -> KnownDevice {
        KnownDevice(userID: userID, id: id, issuedAt: now, loginEpoch: epoch)
    }

    /// The changes that count one call of this owner, with the default limits.
    static func counted(_ counters: [FactQuery.CounterSelector]) throws -> [Change] {
        let app = try appID()
        return counters.map { .count($0.key, app: app, limit: $0.limit, now: $0.now) }
    }

    /// The changes that take one event of each counter back, those that are cleared anyway left out.
    static func uncounted(
        _ counters: [FactQuery.CounterSelector], without cleared: [CounterKey] = []
    ) throws -> [Change] {
        let app = try appID()
        return counters.map(\.key).filter { !cleared.contains($0) }.map { .uncount($0, app: app) }
    }

    static func cleared(_ keys: [CounterKey]) throws -> [Change] {
        let app = try appID()
        return keys.map { .clearCounter($0, app: app) }
    }
}
