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
        if let exchanged = migrations.exchanged, exchanged.token == token {
            do {
                return try await finish(exchanged, fence: fence)
            } catch PreludeSessionError.tokenReused, PreludeSessionError.expiredChallengeToken,
                PreludeSessionError.invalidChallengeToken
            {
                // The challenge is void, but the credential may still be valid: exchange it again.
            }
        }
        let verifier = PKCE.verifier(from: environment.randomBytes(32))
        let body = MigrationRequest(
            token: token.value, codeChallenge: PKCE.challenge(for: verifier), dispatchID: await dispatchID())
        let answer = try await sendAnonymous(try APIRequest.post(.migration, body: body))
        let exchanged = Migrations.Exchanged(
            token: token, challengeToken: try answer.challengeToken(), codeVerifier: verifier,
            attempt: environment.newAttemptID())
        return try await finish(exchanged, fence: fence)
    }

    /// Redeems the challenge, and keeps it while it may still be redeemed.
    private func finish(_ exchanged: Migrations.Exchanged, fence: Int) async throws -> PreludeUser {
        guard machine.acceptsLogin(fence) else { throw Self.loginOvertaken }
        migrations.keep(exchanged)
        do {
            let user = try await finalize(
                exchanged.challengeToken, codeVerifier: exchanged.codeVerifier, attempt: exchanged.attempt, since: fence
            )
            migrations.forget(exchanged)
            return user
        } catch {
            if !Migrations.mayRetry(after: error) { migrations.forget(exchanged) }
            throw error
        }
    }
}
