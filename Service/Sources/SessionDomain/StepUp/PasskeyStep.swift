internal import SessionTokens

/// Completes the step `verify_passkey` with an assertion that was verified.
package struct CompletePasskeyStep: Intent {
    package let appID: AppID
    package let reference: ChallengeReference
    package let use: PasskeyUse
    package let refusesLowerCounter: Bool
    package let nextTokenID: String
    package let now: Timestamp
    package let events: EventFactory

    package init(
        appID: AppID, reference: ChallengeReference, use: PasskeyUse, refusesLowerCounter: Bool, nextTokenID: String,
        now: Timestamp, events: EventFactory
    ) {
        self.appID = appID
        self.reference = reference
        self.use = use
        self.refusesLowerCounter = refusesLowerCounter
        self.nextTokenID = nextTokenID
        self.now = now
        self.events = events
    }

    package struct Facts: Sendable {
        let challenge: StepUpChallenge?
        let session: Session?
        let user: User?
        let passkeys: [Passkey]
    }

    package var reads: Read<Facts> {
        Read(
            app: appID, .challenge(reference.id), .sessionOfChallenge, .userOfSession(), .passkeys, as: Facts.init)
    }

    package func decide(_ facts: Facts) -> Decision<StepOutcome> {
        let refusal = reference.refusal(
            challenge: facts.challenge, session: facts.session, user: facts.user, now: now)
        if let refusal { return Decision(.refused(refusal)) }
        guard let challenge = facts.challenge, challenge.currentStep?.key == StepUpStep.verifyPasskey else {
            return Decision(.refused(.stepNotFound))
        }
        // A passkey of another user is not among those of this one.
        guard let found = use.found(in: facts.passkeys, now: now) else { return Decision(.wrong) }
        let isRefused = found.wentBack && refusesLowerCounter
        let report = found.report(events, isRefused: isRefused)
        if isRefused {
            return Decision(.wrong, report + [.replaceChallenge(challenge, with: challenge.withOneMoreWrongCode)])
        }
        let next = challenge.advanced(tokenID: nextTokenID, at: now)
        return Decision(
            .advanced(next), [found.change, .replaceChallenge(challenge, with: next)] + report)
    }
}
