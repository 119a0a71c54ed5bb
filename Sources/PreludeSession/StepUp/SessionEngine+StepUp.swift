internal import Foundation
internal import SessionWire

extension SessionEngine {
    /// Requests a scope. A scope that is granted at once is fetched by a refresh before this returns.
    func requestStepUp(scope: String, metadata: [String: String]?) async throws -> StepUpChallenge {
        try PreludeSessionError.rejectBlank(scope, "the scope")
        _ = try await loaded()
        let fence = machine.fence
        let body = StepUpRequest(scope: scope, metadata: metadata, dispatchID: await dispatchID())
        let response = try await sendSignedIn(try APIRequest.post(.stepUpRequest, body: body))
        let decision = try response.decode(StepUpResponse.self)
        try requireUnchanged(since: fence)
        if decision.status == .block { return .blocked(scope: scope) }
        // An unknown status with a token is a challenge with steps.
        let challenge = try readChallenge(
            decision.challengeToken, passkey: decision.passkeyOptions,
            status: StepUpStatus(rawValue: decision.status.rawValue) ?? .underReview, scope: scope)
        stepUps.update(challenge)
        await saveStepUps()
        if challenge.isCompleted { try await redeem(challenge, since: fence) }
        return challenge
    }

    /// Sends the code of the challenge's step. The challenge token authorizes the call; it needs no access token.
    func sendStepUpOTP(_ challenge: StepUpChallenge) async throws {
        let ticket = try await ticket(of: challenge)
        try await requireNotExpired(ticket)
        let body = StartOTPRequest(challengeToken: ticket.token.value)
        _ = try await send(try APIRequest.post(.otp, body: body), for: challenge)
    }

    func submitStepUpOTP(_ challenge: StepUpChallenge, code: String) async throws -> StepUpChallenge? {
        try PreludeSessionError.rejectBlank(code, "the code")
        let code = try EnteredCode.checked(code)
        return try await advance(challenge, by: RedactedString(code)) { ticket in
            try .post(.otpCheck, body: CheckOTPRequest(code: code, challengeToken: ticket.token.value))
        }
    }

    func continueStepUp(_ challenge: StepUpChallenge, verificationToken: String) async throws -> StepUpChallenge? {
        try PreludeSessionError.rejectBlank(verificationToken, "the verification token")
        return try await advance(challenge, by: RedactedString(verificationToken)) { ticket in
            try .post(
                .stepUpContinue,
                body: ContinueStepUpRequest(
                    challengeToken: ticket.token.value, verificationToken: verificationToken))
        }
    }

    /// The open challenge that changed last.
    func activeStepUp() async -> StepUpChallenge? {
        guard let session = await knownSession() else { return nil }
        await restoreStepUps()
        let now = await estimatedServerTime()
        // The token of an expired challenge is a secret without use.
        if stepUps.hasExpired(at: now) { await saveStepUps() }
        return stepUps.newest(session: session, at: now)
    }

    // MARK: Steps

    /// Submits the answer to a step. If only the refresh after the last step fails, the same answer continues from there.
    ///
    /// - Parameters:
    ///   - answer: The same for a repeated call, and no other answer to this challenge.
    ///   - isSignedIn: Whether the call also carries the access token.
    ///   - request: The call without its proof. It may wait for the user.
    /// - Returns: The next challenge; `nil` when the access token carries the scope.
    func advance(
        _ challenge: StepUpChallenge, by answer: RedactedString, isSignedIn: Bool = false,
        request: (StepUpTicket) async throws -> APIRequest
    ) async throws -> StepUpChallenge? {
        let ticket = try await ticket(of: challenge)
        let fence = machine.fence
        if let completed = challenge.isCompleted ? challenge : stepUps.completed(by: answer, of: challenge) {
            try await resume(completed, since: fence)
            return nil
        }
        try await requireNotExpired(ticket)
        var call = try await request(ticket)
        try requireUnchanged(since: fence)
        call.proof = .challenge(id: ticket.tokenID)
        let response = try await send(call, for: challenge, isSignedIn: isSignedIn).challenge()
        try requireUnchanged(since: fence)
        let next = try readChallenge(
            response.challengeToken, passkey: response.passkeyOptions, status: challenge.status,
            scope: challenge.requestedScope)
        stepUps.update(challenge, to: next, by: answer)
        await saveStepUps()
        guard next.isCompleted else { return next }
        try await redeem(next, since: fence)
        return nil
    }

    /// Continues with a challenge whose steps are done.
    private func resume(_ completed: StepUpChallenge, since fence: Int) async throws {
        guard !stepUps.isRedeemed(completed) else { return }
        if let ticket = completed.ticket { try await requireNotExpired(ticket) }
        try requireUnchanged(since: fence)
        // A refresh may have redeemed it meanwhile. If it was dropped, the server decides again.
        if stepUps.progress(of: completed) == .dropped { stepUps.update(completed) }
        try await redeem(completed, since: fence)
    }

    /// Fetches the scope of a completed challenge by a refresh that carries it, after any refresh in progress.
    private func redeem(_ completed: StepUpChallenge, since fence: Int) async throws {
        while stepUps.progress(of: completed) == .open {
            let running = sharedRefresh(carrying: completed)
            if running.challenge == completed {
                _ = try await running.task.value.user()
                return
            }
            // Another caller's refresh: its error is for that caller.
            _ = await running.task.result
        }
        // Another caller's refresh has redeemed it, or it was dropped.
        if stepUps.isRedeemed(completed) { return }
        try requireUnchanged(since: fence)
        throw PreludeSessionError.invalidChallengeToken("the challenge was rejected; request the scope again")
    }

    // MARK: Checks

    /// What to send for a challenge of the current session.
    private func ticket(of challenge: StepUpChallenge) async throws -> StepUpTicket {
        let ticket = try challenge.sendableTicket()
        guard let session = try await loaded() else {
            throw PreludeSessionError.unauthorized("no user is signed in")
        }
        guard ticket.endpoint == records.endpoint, ticket.sessionID == session.sessionID else {
            throw PreludeSessionError.invalidChallengeToken(
                "the challenge belongs to another session; request the scope again")
        }
        await restoreStepUps()
        return ticket
    }

    private func requireNotExpired(_ ticket: StepUpTicket) async throws {
        guard ticket.isExpired(at: try await device.serverTime()) else { return }
        throw PreludeSessionError.expiredChallengeToken("the challenge has expired; request the scope again")
    }

    private func requireUnchanged(since fence: Int) throws {
        guard machine.accepts(fence) else {
            throw PreludeSessionError.unauthorized("a login or a logout ended this step-up")
        }
    }

    /// Sends a call for a challenge, and drops the challenge if the server says that it cannot continue. A wrong code does
    /// not drop it.
    private func send(
        _ request: APIRequest, for challenge: StepUpChallenge, isSignedIn: Bool = false
    ) async throws -> APIResponse {
        do {
            return try await isSignedIn ? sendAuthorized(request) : api.send(request)
        } catch let response as ErrorResponse {
            if response.endsChallenge { await close(challenge) }
            throw response.error
        }
    }

    private func readChallenge(
        _ token: String?, passkey: PasskeyRequestOptions?, status: StepUpStatus, scope: String
    ) throws -> StepUpChallenge {
        guard let token,
            let challenge = StepUpChallenge(
                token: token, status: status, scope: scope, sessionID: machine.session?.sessionID,
                endpoint: records.endpoint, passkeyRequest: passkey.flatMap { try? PreludePasskeySignInRequest($0) })
        else {
            throw PreludeSessionError.generic(
                code: "invalid_answer", message: "the server's response contains no valid challenge token")
        }
        return challenge
    }
}

/// Reads and writes the record of open challenges. The SDK works without it, so no failure is reported.
extension SessionEngine {
    /// Takes over the challenges of an earlier launch, once. If the store cannot be read now, the next call tries again.
    func restoreStepUps() async {
        guard !stepUps.isRestored else { return }
        let fence = machine.fence
        let content: RecordContent<StepUpRecord>?
        do { content = try await records.read(StepUpRecord.self) } catch { return }
        // After a login or a logout the stored challenges are void.
        guard machine.accepts(fence) else { return }
        stepUps.restore(content?.challenges(endpoint: records.endpoint) ?? [])
    }

    /// Stores the open challenges.
    func saveStepUps() async {
        let now = await estimatedServerTime()
        stepUps.dropExpired(at: now)
        try? await records.withLock(.stepUps) {
            let content = try await self.records.read(StepUpRecord.self)
            if let content, content.isNewerVersion { return }
            let stored = content?.challenges(endpoint: self.records.endpoint) ?? []
            let challenges = await self.challengesToStore(with: stored, at: now)
            if challenges.isEmpty {
                try await self.records.delete(StepUpRecord.self)
            } else {
                try await self.records.write(StepUpRecord(challenges))
            }
        }
    }

    private func challengesToStore(with stored: [StepUpChallenge], at now: Date) -> [StepUpChallenge] {
        stepUps.merged(with: stored, session: machine.session, at: now)
    }

    /// Drops a challenge here and in the store.
    func close(_ challenge: StepUpChallenge) async {
        stepUps.close(challenge)
        await saveStepUps()
    }
}
