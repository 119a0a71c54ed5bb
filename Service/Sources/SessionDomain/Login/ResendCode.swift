/// Queues another message for a running verification: with the same code, or with a new one, as `Verification.resent`
/// says.
package struct ResendCode: Intent {
    package let appID: AppID
    package let tokenHash: String
    package let limits: OTPLimits
    /// The device that the caller names, if its token is valid.
    package let device: KnownDevice?
    /// The networks of the caller.
    package let networks: [CountedNetwork]
    /// A random number from 0 up to 1, see `CallBudget.draw`.
    package let draw: Double
    /// Used if a new code is needed.
    package let newCode: IssuedCode
    package let draft: MessageDraft
    package let now: Timestamp
    /// Reports a limit.
    package let events: EventFactory?

    package init(
        appID: AppID, tokenHash: String, limits: OTPLimits, device: KnownDevice? = nil,
        networks: [CountedNetwork] = [], draw: Double = 0, newCode: IssuedCode,
        draft: MessageDraft, now: Timestamp, events: EventFactory? = nil
    ) {
        self.appID = appID
        self.tokenHash = tokenHash
        self.limits = limits
        self.device = device
        self.networks = networks
        self.draw = draw
        self.newCode = newCode
        self.draft = draft
        self.now = now
        self.events = events
    }

    package var facts: FactQuery {
        FactQuery(app: appID) {
            $0.verification = .tokenHash(tokenHash)
            $0.budget = .init(budget, for: .ofVerification)
            // Also of one whose code has expired: the reserve of messages is for identifiers of users.
            $0.user = .ofVerification(now: Timestamp(seconds: 0), maximumChecks: .max)
        }
    }

    var budget: CallBudget {
        CallBudget(.resend, limits: limits, device: device, networks: networks, draw: draw, now: now)
    }

    package func decide(_ facts: Facts) -> Decision<ResendOutcome> {
        guard let current = facts.verification else { return Decision(.unknown) }
        switch decide(current) {
        case .unknown: return Decision(.unknown)
        case .limited(let until): return Decision(.limited(until: until))
        case .send(var next):
            next.payers += budget.payers(device: facts.deviceStanding)
            let subject = LoginSubject(current.identifier, userID: facts.user?.id)
            if let limit = budget.reached(facts, for: current.identifier) {
                let report =
                    events?.loginLimited(limit, LoginMethod(codeTo: current.identifier.type), of: subject, facts) ?? []
                return Decision(.exhausted(limit.reported(by: report)), report)
            }
            let limit = budget.withholds(facts, for: current.identifier)
            let withheld: LoginFailure? = next.isSuppressed ? .codeNotSent : limit.map { _ in .strangerLimit }
            let message = draft.code(of: next, for: subject, withheld: withheld, at: now)
            return Decision(
                .send(next),
                budget.counted(facts, for: current.identifier, app: appID)
                    + budget.reportsOfShare(facts, for: current.identifier, events)
                    + [.replaceVerification(current, with: next), .insertMessage(message)])
        }
    }

    /// - Parameter current: The verification with this token in this app, if there is one.
    package func decide(_ current: Verification?) -> ResendDecision {
        guard let current, current.appID == appID, current.expiresAt(limits) > now, !current.isAnswered else {
            return .unknown
        }
        guard current.sends < limits.sendsPerVerification else { return .limited(until: current.expiresAt(limits)) }
        let earliest = current.lastSentAt + limits.resendDelay
        guard earliest <= now else { return .limited(until: earliest) }
        return .send(current.resent(newCode, limits: limits, at: now))
    }
}

package enum ResendDecision: Sendable, Equatable {
    /// Store this verification, and send its newest code.
    case send(Verification)
    case limited(until: Timestamp)
    case unknown
}

package enum ResendOutcome: Sendable, Equatable {
    case send(Verification)
    /// This verification sends no code until then.
    case limited(until: Timestamp)
    /// The budget of messages is spent.
    case exhausted(ReachedLimit)
    case unknown
}
