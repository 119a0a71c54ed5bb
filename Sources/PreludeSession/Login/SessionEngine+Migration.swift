internal import SessionTokens
internal import SessionWire

extension SessionEngine {
    /// Signs in with an old credential. Concurrent callers with the same credential share one exchange.
    func migrate(_ options: MigrateOptions) async throws -> PreludeUser {
        let token = options.token
        try PreludeSessionError.rejectBlank(token.value, "the token to migrate")
        await finishLogout()
        let fence = machine.loginFence
        if let same = migrations.running(token, fence: fence) { return try await same.task.value }
        // A task of its own: a cancelled caller must not cancel the login of the others.
        let task = Task {
            defer { migrations.stopped(token, fence: fence) }
            return try await self.performMigration(token, fence: fence)
        }
        migrations.started(Migrations.Running(token: token, fence: fence, task: task))
        return try await task.value
    }

    private func performMigration(_ token: RedactedString, fence: Int) async throws -> PreludeUser {
        // The old credential may be valid only once, so a repeated call continues from its challenge.
        if let earlier = try? await loginInProgress(), earlier.identifier == nil,
            earlier.challengeToken(of: token.value) != nil,
            let user = try await redeemIfPossible(earlier, since: fence)
        {
            return user
        }
        let verifier = PKCE.verifier(from: environment.randomBytes(32))
        let body = MigrationRequest(
            token: token.value, codeChallenge: PKCE.challenge(for: verifier), dispatchID: await dispatchID())
        let answer = try await sendAnonymous(try APIRequest.post(.migration, body: body))
        let login = PendingLogin(
            migrating: token.value, challengeToken: try answer.challengeToken(), codeVerifier: verifier,
            attempt: environment.newAttemptID(), now: await estimatedServerTime())
        guard machine.acceptsLogin(fence) else { throw Self.loginOvertaken }
        return try await redeem(login, since: fence)
    }
}
