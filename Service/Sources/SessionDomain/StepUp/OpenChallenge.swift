/// Opens a challenge. If the session has too many open challenges, the oldest ones are deleted.
///
/// Returns `false`, and opens none, if the rules of the scope or the user's identifiers are not those that decided any more.
/// A process caches rules for some seconds, and a hook can take seconds. A change of the rules ends the open challenges, so
/// none may be opened after it.
package struct OpenChallenge: Intent {
    package let challenge: StepUpChallenge
    /// The rules of the scope that decided.
    package let rules: [ScopeRule]
    /// The established identifiers of the user at `decidedAt`: what the decision rests on, and a hook was shown.
    package let identifiers: Set<CanonicalIdentifier>
    package let decidedAt: Timestamp

    package init(
        challenge: StepUpChallenge, rules: [ScopeRule], identifiers: Set<CanonicalIdentifier>, decidedAt: Timestamp
    ) {
        self.challenge = challenge
        self.rules = rules
        self.identifiers = identifiers
        self.decidedAt = decidedAt
    }

    package var facts: FactQuery {
        FactQuery(app: challenge.appID) {
            $0.settings = true
            $0.user = .id(challenge.userID)
            $0.unredeemedChallenges = challenge.sessionID
            $0.shared = [.settings]
        }
    }

    package func decide(_ facts: Facts) -> Decision<Bool> {
        guard (facts.settings?.stepUp?.rules ?? []).filter({ $0.scope == challenge.scope }) == rules else {
            return Decision(false)
        }
        // A hold that ends meanwhile is no change: both sets are those of the same time.
        guard Set(facts.user?.establishedIdentifiers(at: decidedAt) ?? []) == identifiers else {
            return Decision(false)
        }
        let surplus = facts.unredeemedChallenges.dropFirst(StepUpChallenge.maximumPerSession - 1)
        return Decision(true, surplus.map { .deleteChallenge($0) } + [.insertChallenge(challenge)])
    }
}
