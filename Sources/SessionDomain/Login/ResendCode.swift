/// Sends another code for a running verification. The old code is no longer valid.
package struct ResendCode: Intent {
    package let appID: AppID
    package let tokenHash: String
    package let limits: OTPLimits
    /// The device that the caller names, if its token is valid.
    package let device: KnownDevice?
    package let newCodeHash: String
    package let now: Timestamp
    /// Reports the code, and a limit.
    package let events: EventFactory?

    package init(
        appID: AppID, tokenHash: String, limits: OTPLimits, device: KnownDevice? = nil, newCodeHash: String,
        now: Timestamp, events: EventFactory? = nil
    ) {
        self.appID = appID
        self.tokenHash = tokenHash
        self.limits = limits
        self.device = device
        self.newCodeHash = newCodeHash
        self.now = now
        self.events = events
    }

    package var facts: FactQuery {
        FactQuery(app: appID) {
            $0.verification = .tokenHash(tokenHash)
            $0.budget = .init(budget, for: .ofVerification)
        }
    }

    private var budget: CallBudget { CallBudget(.resend, limits: limits, device: device, now: now) }

    package func decide(_ facts: Facts) -> Decision<ResendOutcome> {
        guard let current = facts.verification else { return Decision(.unknown) }
        switch decide(current) {
        case .unknown: return Decision(.unknown)
        case .limited(let until): return Decision(.limited(until: until))
        case .send(let next):
            let counters = budget.counters(for: current.identifier, device: facts.deviceStanding)
            let subject = LoginSubject(current.identifier)
            if let limit = facts.reached(counters) {
                return Decision(
                    .exhausted(limit),
                    events?.loginLimited(limit, LoginMethod(codeTo: current.identifier.type), of: subject, facts) ?? [])
            }
            let event = events.map { [Change.append($0.resent(next, to: subject))] } ?? []
            return Decision(
                .send(next),
                counters.map { $0.counted(app: appID) } + [.replaceVerification(current, with: next)] + event)
        }
    }

    /// - Parameter current: The verification with this token in this app, if there is one.
    package func decide(_ current: Verification?) -> ResendDecision {
        guard let current, current.appID == appID, current.codeExpiresAt > now else { return .unknown }
        guard current.sends < limits.sendsPerVerification else { return .limited(until: current.codeExpiresAt) }
        let earliest = current.lastSentAt + limits.resendDelay
        guard earliest <= now else { return .limited(until: earliest) }
        var next = current
        next.codeHash = newCodeHash
        next.codeExpiresAt = now + limits.codeLifetime
        next.checks = 0
        next.sends += 1
        next.lastSentAt = now
        return .send(next)
    }
}

extension EventFactory {
    /// The user is not read here, so that a resend takes the same time for every identifier.
    fileprivate func resent(_ verification: Verification, to subject: LoginSubject) -> Event {
        verification.isSuppressed
            ? loginFailed(.codeNotSent, LoginMethod(codeTo: verification.identifier.type), of: subject)
            : codeSent(to: subject)
    }
}

package enum ResendDecision: Sendable, Equatable {
    /// Store this verification, with its new code.
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
