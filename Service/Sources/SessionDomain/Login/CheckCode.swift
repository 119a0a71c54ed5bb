internal import SessionTokens

/// Signs in with a code.
///
/// Every attempt is counted, and no answer is given before the count is committed.
package struct CheckCode: Intent {
    package let appID: AppID
    package let tokenHash: String
    /// Keyed hashes of the entered code, one for each server key that may have made the stored hash.
    package let codeHashes: [String]
    package let limits: LimitSettings
    /// The device that the caller names, if its token is valid.
    package let device: KnownDevice?
    /// The networks of the caller.
    package let networks: [CountedNetwork]
    package let signUp: Bool
    /// Whether users with a passkey sign in with codes, too.
    package let codesWithPasskey: Bool
    /// Whether the session starts at once. Then a login that needs a `code_verifier` is rejected, and its code is kept.
    package let startsSession: Bool
    /// The id of the user that is created if no user has the identifier.
    package let newUserID: String
    package let now: Timestamp
    package let events: EventFactory

    package init(
        appID: AppID, tokenHash: String, codeHashes: [String], limits: LimitSettings, device: KnownDevice? = nil,
        networks: [CountedNetwork] = [], signUp: Bool, codesWithPasskey: Bool = true, startsSession: Bool = false,
        newUserID: String, now: Timestamp,
        events: EventFactory
    ) {
        self.appID = appID
        self.tokenHash = tokenHash
        self.codeHashes = codeHashes
        self.limits = limits
        self.device = device
        self.networks = networks
        self.signUp = signUp
        self.codesWithPasskey = codesWithPasskey
        self.startsSession = startsSession
        self.newUserID = newUserID
        self.now = now
        self.events = events
    }

    package struct Facts: Sendable {
        let verification: Verification?
        let standing: KnownDevice.Standing
        let user: User?
        let failures: GuardFailures
    }

    package var reads: Read<Facts> {
        Read(
            app: appID, .verification(tokenHash: tokenHash), .budget(budget, for: .ofVerification),
            .user(.ofVerification(now: now, maximumChecks: limits.checksPerCode)), .failures, as: Facts.init)
    }

    private var check: CodeCheck {
        CodeCheck(appID: appID, codeHashes: codeHashes, limits: limits, now: now, events: events)
    }

    private var budget: CallBudget {
        CallBudget(.check, limits: limits, device: device, networks: networks, now: now)
    }

    package func decide(_ facts: Facts) -> Decision<CheckCodeOutcome> {
        let checked: Verification
        switch check.precheck(facts.verification) {
        case .stop(let outcome):
            return Decision(outcome, check.rejection(of: facts.verification, facts.failures) { LoginSubject($0) })
        case .count(let next): checked = next
        }
        guard let current = facts.verification else { return Decision(.unknown) }
        if startsSession, current.codeChallenge != nil { return Decision(.verifierNeeded) }
        let (identifier, standing) = (current.identifier, facts.standing)
        let counters = budget.counters(for: identifier, device: standing)
        let (method, subject) = (LoginMethod(codeTo: identifier.type), LoginSubject(identifier, userID: facts.user?.id))
        if let limit = budget.reached(at: identifier, device: standing, facts.failures) {
            return Decision(.limited(limit), events.loginLimited(limit, method, of: subject, facts.failures))
        }
        func failed(_ reason: LoginFailure) -> [Change] {
            [.append(events.loginFailed(reason, method, of: subject))]
        }
        let counted = counters.map { $0.counted(app: appID) }
        // The same for a wrong code and for the right one of an identifier without a user, and when a right code is
        // checked again.
        let rejected: CheckCodeOutcome = checked.checks < limits.checksPerCode ? .wrong : .spent
        let countedTry = counted + [.replaceVerification(current, with: checked)]
        let needsPasskey = facts.user?.needsPasskey(ifCodesWithPasskey: codesWithPasskey) == true
        guard let right = check.rightCode(of: checked), !needsPasskey else {
            let reason =
                needsPasskey
                ? .passkeyRequired : reason(user: facts.user, isSuppressed: current.isSuppressed) ?? .wrongCode
            return Decision(rejected, countedTry + failed(reason))
        }
        // A success is no failed check: its own count is taken back.
        let answered = current.codeChallenge.map { _ in current.answered(with: right, at: now) }
        let outcome = answered ?? checked
        let spent = counted + [answered.map { .replaceVerification(current, with: $0) } ?? .deleteVerification(current)]
        let owner = budget.owner(of: identifier, device: standing)
        func proven(isHeld: Bool) -> [Change] {
            spent + owner.success(of: identifier, counted: counters, clearsFailures: !isHeld, app: appID)
                + (current.isAnswered ? [] : refunds(to: current.payers))
        }
        if let user = facts.user {
            guard user.identifiers.contains(where: { $0.isStored(as: checked.identifier) }) else {
                return Decision(rejected, countedTry + failed(.otherSpelling))
            }
            let changes = proven(isHeld: user.isHeld(identifier, at: now))
            // Who has the code can read the messages of the identifier.
            guard user.status == .active else {
                return Decision(
                    .inactive(user.status), changes + [.append(events.loginFailed(.inactiveUser, method, of: subject))])
            }
            // The user was created by the first check of this code.
            let isNew = current.isAnswered && user.createdAt == current.answeredAt
            return Decision(.right(outcome, user, isNew: isNew), changes)
        }
        guard signUp else { return Decision(rejected, countedTry + failed(.unknownUser)) }
        let user = newUser(for: checked)
        let created = Change.insertions(of: user) + [.append(events.userCreated(user))]
        return Decision(.right(outcome, user, isNew: true), proven(isHeld: false) + created)
    }

    /// A later window has not counted the message.
    private func refunds(to payers: [Verification.Payer]) -> [Change] {
        payers.filter { $0.until > now }.map { .uncount(.startsOfNetwork($0.network), app: appID) }
    }

    /// Why no code is right. `nil` if one may be.
    private func reason(user: User?, isSuppressed: Bool) -> LoginFailure? {
        user == nil && (!signUp || isSuppressed) ? .unknownUser : nil
    }

    package func newUser(for verification: Verification) -> User {
        User(id: newUserID, appID: appID, identifiers: [verification.identifier], createdAt: now)
    }
}

package enum CheckCodeOutcome: Sendable, Equatable {
    case right(Verification, User, isNew: Bool)
    /// The code is right, and its user may not sign in.
    case inactive(User.Status)
    case wrong
    /// As `wrong`, and no later check of the code that was sent is accepted: its checks are used up, or it has expired.
    ///
    /// It depends only on what the caller did with its own verification: how often it checked, and when it asked for the
    /// code. So it says nothing about the identifier.
    case spent
    case limited(ReachedLimit)
    case unknown
    /// The login has a `code_challenge`, which this check cannot answer. Nothing was counted.
    case verifierNeeded
}

/// The rules for an attempt at a code, in a login and in a step.
package struct CodeCheck: Sendable {
    let appID: AppID
    /// Keyed hashes of the entered code, one for each server key that may have made the stored hash.
    let codeHashes: [String]
    let limits: LimitSettings
    let now: Timestamp
    let events: EventFactory

    package init(appID: AppID, codeHashes: [String], limits: LimitSettings, now: Timestamp, events: EventFactory) {
        self.appID = appID
        self.codeHashes = codeHashes
        self.limits = limits
        self.now = now
        self.events = events
    }

    /// Decides whether an attempt counts: the verification must be running and must have attempts left.
    package func precheck(_ current: Verification?) -> CodePrecheck {
        guard let current, current.appID == appID, current.expiresAt(limits) > now else { return .stop(.unknown) }
        guard current.code.expiresAt > now, current.checks < limits.checksPerCode else { return .stop(.spent) }
        var next = current
        next.checks += 1
        return .count(next)
    }

    /// Reports an attempt at an expired or used-up code, once per code: such attempts are not counted, so a caller could
    /// make any number of events.
    func rejection(
        of current: Verification?, _ failures: GuardFailures, subject: (CanonicalIdentifier) -> LoginSubject
    ) -> [Change] {
        guard let current, current.appID == appID, current.expiresAt(limits) > now else {
            return []
        }
        let key = "login.failed/\(current.tokenHash)/\(current.sends)"
        guard !failures.isTaken(.redemption(key)) else { return [] }
        let event = events.loginFailed(
            current.code.expiresAt > now ? .usedUp : .expiredCode, LoginMethod(codeTo: current.identifier.type),
            of: subject(current.identifier))
        // The verification has ended before that.
        return [.redeem(key, until: max(current.expiresAt(limits), now) + 3600, app: appID), .append(event)]
    }

    /// The code that was entered. `nil` for a wrong one.
    ///
    /// Compares in constant time with each valid code. A suppressed verification takes as long and is never right.
    package func rightCode(of verification: Verification) -> IssuedCode? {
        let matches = verification.validCodes(at: now).filter { code in
            codeHashes.map { ConstantTime.equal($0, code.hash) }.contains(true)
        }
        return verification.isSuppressed ? nil : matches.first
    }
}

package enum CodePrecheck: Sendable, Equatable {
    /// Count the attempt: store this verification.
    case count(Verification)
    case stop(CheckCodeOutcome)
}
