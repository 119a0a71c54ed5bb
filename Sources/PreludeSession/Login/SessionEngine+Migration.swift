internal import SessionTokens
internal import SessionWire

/// The migrations under way, and the one whose second half failed.
struct Migrations: Sendable {
    struct Running: Sendable {
        let token: RedactedString
        let fence: Int
        let task: Task<PreludeUser, any Error>
    }

    /// What an old credential was exchanged for. It may serve only once, so a retry starts from here.
    struct Exchanged: Sendable {
        let token: RedactedString
        let challengeToken: String
        let codeVerifier: String
    }

    var running: [Running] = []
    var exchanged: Exchanged?

    mutating func forget() { exchanged = nil }
}

extension SessionEngine {
    /// Signs in with an old credential. All who bring the same one at the same time share one exchange.
    func migrate(_ options: MigrateOptions) async throws -> PreludeUser {
        let token = options.token
        try PreludeSessionError.refuseBlank(token.value, "the token to migrate")
        let fence = machine.loginFence
        if let same = migrations.running.first(where: { $0.token == token && $0.fence == fence }) {
            return try await same.task.value
        }
        // A task of its own: a caller who gives up does not take the others' login along.
        let task = Task {
            defer { migrations.running.removeAll { $0.token == token && $0.fence == fence } }
            return try await self.performMigration(token, fence: fence)
        }
        migrations.running.append(Migrations.Running(token: token, fence: fence, task: task))
        return try await task.value
    }

    private func performMigration(_ token: RedactedString, fence: Int) async throws -> PreludeUser {
        if let exchanged = migrations.exchanged, exchanged.token == token {
            do {
                return try await finish(exchanged, fence: fence)
            } catch PreludeSessionError.tokenReused, PreludeSessionError.expiredChallengeToken,
                PreludeSessionError.invalidChallengeToken
            {
                // Too late for that; the credential may still be good.
            }
        }
        let verifier = PKCE.verifier(from: environment.randomBytes(32))
        let body = MigrationRequest(
            token: token.value, codeChallenge: PKCE.challenge(for: verifier), dispatchID: try await dispatchID())
        let answer = try await sendAnonymous(try APIRequest.post(.migration, body: body))
        let exchanged = Migrations.Exchanged(
            token: token, challengeToken: try Self.challengeToken(in: answer), codeVerifier: verifier)
        return try await finish(exchanged, fence: fence)
    }

    /// Redeems the challenge. It is kept for as long as it may still be redeemed.
    private func finish(_ exchanged: Migrations.Exchanged, fence: Int) async throws -> PreludeUser {
        guard machine.acceptsLogin(fence) else {
            throw PreludeSessionError.unauthorized("this login was overtaken by another login or a logout")
        }
        migrations.exchanged = exchanged
        do {
            let user = try await finalize(
                exchanged.challengeToken, codeVerifier: exchanged.codeVerifier, since: fence)
            forget(exchanged)
            return user
        } catch {
            switch error {
            // What stands between here and the service says nothing about the credential.
            case PreludeSessionError.generic(let code, _) where code.hasPrefix("http_5"): break
            case PreludeSessionError.network, PreludeSessionError.timeout, PreludeSessionError.internalServerError,
                PreludeSessionError.rateLimited, PreludeSessionError.storageUnavailable, is CancellationError:
                break
            default: forget(exchanged)
            }
            throw error
        }
    }

    private func forget(_ exchanged: Migrations.Exchanged) {
        if migrations.exchanged?.challengeToken == exchanged.challengeToken { migrations.forget() }
    }
}
