/// Starts a verification and queues its code.
///
/// Known, unknown and blocked identifiers cause the same reads and writes, so the answer takes the same time.
package struct StartVerification: Intent {
    package let appID: AppID
    package let identifier: CanonicalIdentifier
    package let signUp: Bool
    package let budget: CallBudget
    package let draft: MessageDraft
    package let now: Timestamp
    /// Reports a limit.
    package let events: EventFactory?
    /// Makes the row, given the identifier that the code is sent to, and whether it may not sign in.
    package let verification: @Sendable (_ recipient: CanonicalIdentifier, _ isSuppressed: Bool) -> Verification

    package init(
        appID: AppID, identifier: CanonicalIdentifier, signUp: Bool, budget: CallBudget, draft: MessageDraft,
        now: Timestamp, events: EventFactory? = nil,
        verification: @escaping @Sendable (_ recipient: CanonicalIdentifier, _ isSuppressed: Bool) -> Verification
    ) {
        self.appID = appID
        self.identifier = identifier
        self.signUp = signUp
        self.budget = budget
        self.draft = draft
        self.now = now
        self.events = events
        self.verification = verification
    }

    package var facts: FactQuery {
        FactQuery(app: appID) {
            $0.budget = .init(budget, for: .identifier(identifier))
            $0.user = .identifier(identifier)
        }
    }

    package func decide(_ facts: Facts) -> Decision<StartVerificationOutcome> {
        // What was typed may reach another mailbox than the identifier of the user, although both compare as equal.
        let recipient = facts.user?.identifiers.first { $0 == identifier } ?? identifier
        let subject = LoginSubject(recipient, userID: facts.user?.id)
        if let limit = budget.reached(facts, for: identifier) {
            let report =
                events?.loginLimited(limit, LoginMethod(codeTo: identifier.type), of: subject, facts) ?? []
            return Decision(.limited(limit.reported(by: report)), report)
        }
        // A user that may not sign in gets a code, too, and learns the status by it.
        let isSuppressed = facts.user == nil && !signUp
        let limit = budget.withholds(facts, for: identifier)
        let withheld: LoginFailure? = isSuppressed ? .unknownUser : limit.map { _ in .strangerLimit }
        var started = verification(recipient, isSuppressed)
        started.payers = budget.payers(device: facts.deviceStanding)
        let message = draft.code(of: started, for: subject, withheld: withheld, at: now)
        // A code that is withheld is counted and queued, too: the writes do not show that nothing is sent.
        return Decision(
            .started(started, message),
            budget.counted(facts, for: identifier, app: appID)
                + budget.reportsOfShare(facts, for: identifier, events)
                + [.insertVerification(started), .insertMessage(message)])
    }
}

package enum StartVerificationOutcome: Sendable, Equatable {
    case started(Verification, QueuedMessage)
    case limited(ReachedLimit)
}
