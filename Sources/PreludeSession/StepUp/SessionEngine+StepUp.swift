internal import Foundation
internal import SessionWire

extension SessionEngine {
    /// Asks for a scope. One that is granted at once is fetched at once.
    func requestStepUp(scope: String, metadata: [String: String]?) async throws -> StepUpChallenge {
        try PreludeSessionError.refuseBlank(scope, "the scope to ask for")
        _ = try await loaded()
        let fence = machine.fence
        let body = StepUpRequest(scope: scope, metadata: metadata, dispatchID: try await dispatchID())
        let answer = try await sendSignedIn(try APIRequest.post(.stepUpRequest, body: body))
        let decision = try Self.decode(StepUpResponse.self, from: answer)
        try requireUnchanged(since: fence)
        if decision.status == .block { return .blocked(scope: scope) }
        // A word of tomorrow with a token is a challenge like any other.
        let challenge = try readChallenge(
            decision.challengeToken, status: StepUpStatus(rawValue: decision.status.rawValue) ?? .underReview,
            scope: scope)
        stepUps.moved(challenge)
        await saveStepUps()
        if challenge.isCompleted { try await complete(challenge, since: fence) }
        return challenge
    }

    /// Sends the code of the challenge's step. No session goes along: the challenge token says it all.
    func sendStepUpOTP(_ challenge: StepUpChallenge) async throws {
        let ticket = try await ticket(of: challenge)
        try await refuseExpired(ticket)
        let body = StartOTPRequest(challengeToken: ticket.token.value)
        try await closing(challenge) { _ = try await self.api.send(try APIRequest.post(.otp, body: body)) }
    }

    func submitStepUpOTP(_ challenge: StepUpChallenge, code: String) async throws -> StepUpChallenge? {
        try PreludeSessionError.refuseBlank(code, "the code")
        return try await advance(challenge, by: RedactedString(code)) { token in
            try .post(.otpCheck, body: CheckOTPRequest(code: code, challengeToken: token))
        }
    }

    func continueStepUp(_ challenge: StepUpChallenge, verificationToken: String) async throws -> StepUpChallenge? {
        try PreludeSessionError.refuseBlank(verificationToken, "the verification token")
        return try await advance(challenge, by: RedactedString(verificationToken)) { token in
            try .post(
                .stepUpContinue,
                body: ContinueStepUpRequest(challengeToken: token, verificationToken: verificationToken))
        }
    }

    /// The open challenge that moved last.
    func activeStepUp() async -> StepUpChallenge? {
        guard let session = await peek() else { return nil }
        await restoreStepUps()
        let now = await knownServerTime()
        let expired = stepUps.open.contains { $0.ticket?.isExpired(at: now) ?? true }
        // Its token is a secret that nobody needs any more.
        if expired { await saveStepUps() }
        return stepUps.newest(session: session, at: now)
    }

    // MARK: Steps

    /// Hands in the answer to a step. When only the refresh after the last one fails, the same answer goes on from there.
    ///
    /// - Returns: The next challenge, `nil` when the scope is here.
    private func advance(
        _ challenge: StepUpChallenge, by answer: RedactedString, request: (String) throws -> APIRequest
    ) async throws -> StepUpChallenge? {
        let ticket = try await ticket(of: challenge)
        let fence = machine.fence
        if let completed = challenge.isCompleted ? challenge : stepUps.won(by: answer, of: challenge) {
            try await resume(completed, since: fence)
            return nil
        }
        try await refuseExpired(ticket)
        var call = try request(ticket.token.value)
        call.proof = .challenge(id: ticket.tokenID)
        let proven = call
        let response = try await closing(challenge) { try await self.api.send(proven) }
        try requireUnchanged(since: fence)
        let next = try readChallenge(
            try Self.challengeToken(in: response), status: challenge.status, scope: challenge.requestedScope)
        stepUps.moved(challenge, to: next, by: answer)
        await saveStepUps()
        guard next.isCompleted else { return next }
        try await complete(next, since: fence)
        return nil
    }

    /// Goes on with a challenge whose steps are done, wherever it stopped.
    private func resume(_ completed: StepUpChallenge, since fence: Int) async throws {
        guard !stepUps.isRedeemed(completed) else { return }
        if let ticket = completed.ticket { try await refuseExpired(ticket) }
        try requireUnchanged(since: fence)
        // Already redeemed by a refresh that was under way, or to be judged by the server.
        if !stepUps.isRedeemed(completed), !stepUps.isOpen(completed) { stepUps.moved(completed) }
        try await complete(completed, since: fence)
    }

    /// Fetches the scope of a completed challenge: by a refresh that carries it, after the one that may be under way.
    private func complete(_ challenge: StepUpChallenge, since fence: Int) async throws {
        while stepUps.isOpen(challenge) {
            let running = sharedRefresh(carrying: challenge)
            guard running.stepUp == challenge else {
                // Somebody else's; how it ends is theirs to hear.
                _ = await running.task.result
                continue
            }
            do {
                _ = try await running.task.value
            } catch let refusal as StepUpRefusal {
                throw refusal.error
            } catch let failure as StepUpFailure {
                throw failure.error
            }
            return
        }
        // A refresh of somebody else's took it along, or there is no session to bring the scope to.
        if stepUps.isRedeemed(challenge) { return }
        try requireUnchanged(since: fence)
        throw PreludeSessionError.invalidChallengeToken("the challenge was refused; request the scope again")
    }

    // MARK: Rules

    /// What goes to the server for a challenge of this session.
    private func ticket(of challenge: StepUpChallenge) async throws -> StepUpTicket {
        guard let ticket = challenge.ticket, challenge.status != .blocked else {
            throw PreludeSessionError.invalidChallengeToken("the scope was denied; there is nothing to go on with")
        }
        guard let session = try await loaded() else {
            throw PreludeSessionError.unauthorized("nobody is signed in")
        }
        guard ticket.endpoint == name, ticket.sessionID == session.sessionID else {
            throw PreludeSessionError.invalidChallengeToken(
                "the challenge belongs to another session; request the scope again")
        }
        await restoreStepUps()
        return ticket
    }

    private func refuseExpired(_ ticket: StepUpTicket) async throws {
        guard ticket.isExpired(at: try await device.serverTime()) else { return }
        throw PreludeSessionError.expiredChallengeToken("the challenge is expired; request the scope again")
    }

    /// Does a call for a challenge, which is over when the server says so. A wrong code does not say so.
    private func closing<Answer: Sendable>(
        _ challenge: StepUpChallenge, _ call: () async throws -> Answer
    ) async throws -> Answer {
        do {
            return try await call()
        } catch let refusal as ServerRefusal {
            if refusal.isChallengeOver { await close(challenge) }
            throw refusal.error
        }
    }

    private func readChallenge(_ token: String?, status: StepUpStatus, scope: String) throws -> StepUpChallenge {
        guard let token,
            let challenge = StepUpChallenge(
                token: token, status: status, scope: scope, sessionID: machine.session?.sessionID, endpoint: name)
        else {
            throw PreludeSessionError.generic(
                code: "invalid_answer", message: "the answer holds no challenge token that can be understood")
        }
        return challenge
    }

    private func requireUnchanged(since fence: Int) throws {
        guard machine.accepts(fence) else {
            throw PreludeSessionError.unauthorized("this step-up was overtaken by a login or a logout")
        }
    }
}
