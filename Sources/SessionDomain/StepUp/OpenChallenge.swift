/// Opens a challenge. If the session has too many open challenges, the oldest ones are deleted.
package struct OpenChallenge: Intent {
    package let challenge: StepUpChallenge

    package init(challenge: StepUpChallenge) { self.challenge = challenge }

    package var facts: FactQuery {
        FactQuery(app: challenge.appID) { $0.unredeemedChallenges = challenge.sessionID }
    }

    package func decide(_ facts: Facts) -> Decision<Void> {
        let surplus = facts.unredeemedChallenges.dropFirst(StepUpChallenge.maximumPerSession - 1)
        return Decision((), surplus.map { .deleteChallenge($0) } + [.insertChallenge(challenge)])
    }
}
