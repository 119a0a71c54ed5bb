internal import Foundation
internal import SessionTokens
internal import SessionWire

extension SessionEngine {
    // MARK: Codes

    /// Starts a login with a code. It replaces an earlier one of this client, even if that is answered later.
    func startOTP(_ options: StartOTPLoginOptions) async throws {
        await finishLogout()
        let start = logins.start()
        let verifier = PKCE.verifier(from: environment.randomBytes(32))
        let body = StartOTPRequest(
            identifier: Identifier(options.identifier),
            loginConfigID: options.loginConfigID, dispatchID: await dispatchID(),
            codeChallenge: PKCE.challenge(for: verifier))
        // The next launch must not check the new code against the earlier login.
        try? await records.delete(PendingLogin.self)
        let response = try await sendAnonymous(await withTrustedDevice(try APIRequest.post(.otp, body: body)))
        let now = await estimatedServerTime()
        guard start == logins.starts else { return }
        logins.keep(
            PendingLogin(options, response, codeVerifier: verifier, attempt: environment.newAttemptID(), now: now))
        await savePendingLogin()
    }

    func resendOTP() async throws {
        let pending = try await requirePendingLogin()
        let request = await withTrustedDevice(pending.identify(APIRequest(.otpRetry)))
        _ = try await forgettingEnded(pending) { try await self.sendAnonymous(request) }
    }

    /// Checks a code and signs in. If only the second half fails, the same code continues from there.
    func checkOTP(_ typed: String) async throws -> PreludeUser {
        let code = try EnteredCode.checked(typed)
        await finishLogout()
        let fence = machine.loginFence
        let pending = try await requirePendingLogin()
        if let challengeToken = pending.challengeToken(of: code) {
            do {
                return try await finish(pending, with: code, challengeToken, since: fence)
            } catch PreludeSessionError.tokenReused, PreludeSessionError.expiredChallengeToken,
                PreludeSessionError.invalidChallengeToken
            {
                // The challenge is void. The service says how the login continues.
            }
        }
        let request = await withTrustedDevice(
            pending.identify(try APIRequest.post(.otpCheck, body: CheckOTPRequest(code: code))))
        let challengeToken = try await forgettingEnded(pending) {
            try await self.sendLogin(request).challengeToken()
        }
        if logins.accept(code, of: pending, challengeToken: challengeToken) {
            await savePendingLogin(isChanged: true)
        }
        return try await finish(pending, with: code, challengeToken, since: fence)
    }

    private func finish(
        _ pending: PendingLogin, with code: String, _ challengeToken: String, since fence: Int
    ) async throws -> PreludeUser {
        let user = try await finalize(
            challengeToken, codeVerifier: pending.codeVerifier, attempt: pending.attempt,
            identifier: pending.identifier, since: fence)
        if machine.session?.accessToken == user.accessToken { logins.redeemed(code, of: user) }
        return user
    }

    /// Forgets a login when the service says that it has ended.
    private func forgettingEnded<Answer>(
        _ pending: PendingLogin, _ work: () async throws -> Answer
    ) async throws -> Answer {
        do {
            return try await work()
        } catch let error as PreludeSessionError {
            if case .badRequest = error, error.needsNewCode { await forget(pending) }
            throw error
        }
    }

    private func requirePendingLogin() async throws -> PendingLogin {
        guard let login = try await loginInProgress(), login.waitsForCode else {
            throw PreludeSessionError.unauthorized(
                .init("no login waits for a code; call startOTPLogin first", needsNewCode: true))
        }
        return login
    }

    // MARK: Passwords

    func login(_ options: LoginWithPasswordOptions) async throws -> PreludeUser {
        await finishLogout()
        let fence = machine.loginFence
        let body = PasswordLoginRequest(
            identifier: options.emailAddress, password: options.password.value, dispatchID: await dispatchID())
        let response: APIResponse
        do {
            response = try await sendLogin(await withTrustedDevice(try APIRequest.post(.passwordLogin, body: body)))
        } catch PreludeSessionError.unauthorized(var details) {
            details.field = "password"
            throw PreludeSessionError.unauthorized(details)
        }
        let login = PendingLogin(
            password: Identifier(
                type: PreludeIdentifierType.emailAddress.rawValue, value: options.emailAddress),
            challengeToken: try response.challengeToken(), attempt: environment.newAttemptID(),
            now: await estimatedServerTime())
        return try await redeemOrContinue(login, since: fence)
    }

    // MARK: Credentials of an earlier system

    /// Signs in with an old credential. Concurrent callers with the same credential share one exchange.
    func migrate(_ options: MigrateOptions) async throws -> PreludeUser {
        let token = options.token
        try PreludeSessionError.rejectBlank(token.value, "the token to migrate")
        await finishLogout()
        let fence = machine.loginFence
        if let same = logins.migration(token, fence: fence) { return try await same.task.value }
        // A task of its own: a cancelled caller must not cancel the login of the others.
        let task = Task {
            defer { logins.migrationEnded(token, fence: fence) }
            return try await self.performMigration(token, fence: fence)
        }
        logins.started(LoginProgress.Migration(token: token, fence: fence, task: task))
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
        let response = try await sendAnonymous(try APIRequest.post(.migration, body: body))
        let login = PendingLogin(
            migrating: token.value, challengeToken: try response.challengeToken(), codeVerifier: verifier,
            attempt: environment.newAttemptID(), now: await estimatedServerTime())
        guard machine.acceptsLogin(fence) else { throw Self.loginOvertaken }
        return try await redeem(login, since: fence)
    }

    // MARK: The end of every login

    /// Signs in with the challenge of an accepted password or passkey.
    ///
    /// An earlier call may have started a session whose response was lost. Its attempt gets it, so no second one begins.
    func redeemOrContinue(_ login: PendingLogin, since fence: Int) async throws -> PreludeUser {
        if let earlier = try? await loginInProgress(), earlier.hasSameAcceptedUser(as: login),
            let user = try await redeemIfPossible(earlier, since: fence)
        {
            return user
        }
        return try await redeem(login, since: fence)
    }

    /// Signs in with the challenge of an accepted password, passkey or credential. It is stored as long as it may be redeemed.
    func redeem(_ login: PendingLogin, since fence: Int) async throws -> PreludeUser {
        guard let challengeToken = login.accepted?.challengeToken else { throw Self.loginOvertaken }
        if machine.acceptsLogin(fence), logins.pending != login {
            logins.keep(login)
            await savePendingLogin()
        }
        do {
            return try await finalize(
                challengeToken, codeVerifier: login.codeVerifier, attempt: login.attempt,
                identifier: login.identifier, since: fence)
        } catch {
            if !PendingLogin.mayContinue(after: error) { await forget(login) }
            throw error
        }
    }

    /// Signs in with the challenge of an earlier call.
    ///
    /// - Returns: `nil` if the challenge is void. The password or credential may still be valid.
    func redeemIfPossible(_ earlier: PendingLogin, since fence: Int) async throws -> PreludeUser? {
        do {
            return try await redeem(earlier, since: fence)
        } catch PreludeSessionError.tokenReused, PreludeSessionError.expiredChallengeToken,
            PreludeSessionError.invalidChallengeToken
        {
            return nil
        }
    }

    /// Redeems a challenge token, binds the session to the device key, and stores the session before it is published.
    ///
    /// - Parameters:
    ///   - attempt: The id of the login. It lives as long as the challenge token: without the token no request is repeated.
    ///   - identifier: With what the user has signed in, if it is known.
    ///   - fence: The login fence at which the login began.
    func finalize(
        _ challengeToken: String, codeVerifier: String?, attempt: String, identifier: Identifier? = nil,
        since fence: Int
    ) async throws -> PreludeUser {
        try await device.prepareKey()
        var request = try APIRequest.post(
            .finalize, body: FinalizeRequest(challengeToken: challengeToken, codeVerifier: codeVerifier))
        request.proof = .login(attempt: attempt)
        // The session to replace. An unreadable record names none and is overwritten.
        request.headers[HeaderName.refreshToken] = (try? await loaded())?.refreshToken
        let response = try await sendLogin(request)
        let tokens = try IssuedTokens(response, previous: nil)
        var session: StoredSession
        do {
            session = try tokens.checkedSession()
        } catch {
            // A repeated call would get the same response.
            await revokeUnwanted(tokens.session)
            throw error
        }
        session.identifiers = identifier.map { [$0] }
        var current = session
        if try await adopt(session, fence: fence) {
            await keepTrustedDevice(response)
            revocations.send()
        } else if let stored = machine.session, stored.sessionID == session.sessionID {
            // Another call of this login was faster: the server answers all of them with one session.
            current = stored
        } else {
            await revokeUnwanted(session)
            throw Self.loginOvertaken
        }
        var user = try user(current)
        user.isNewUser = tokens.isNewUser
        return user
    }

    /// Sends a request of a login, and once more if its response may be lost.
    func sendLogin(_ request: APIRequest) async throws -> APIResponse {
        var repetition = LoginRepetition()
        while true {
            do {
                return try await api.send(request)
            } catch  where repetition.isAllowed(after: error) {
                log(.debug, "repeats a request of a login", [.path(request.path)])
            } catch let response as ErrorResponse {
                throw response.error
            }
        }
    }

    /// Revokes a session that exists on the server only: its login was overtaken, or its access token is invalid.
    private func revokeUnwanted(_ session: StoredSession) async {
        let isStored = await revocations.add(session)
        let sending = revocations.send()
        // Without a stored entry only this process can send it.
        if !isStored { await environment.wait(for: sending, atMost: api.timeout) }
    }

    static let loginOvertaken = PreludeSessionError.unauthorized("another login or a logout ended this login")

    /// The id of the device signals. Without one the login continues: signals are optional.
    func dispatchID() async -> String? { try? await signals?.dispatch() }
}

/// Decides whether a request of a login is sent once more. The service answers the right code, and the challenge of the same
/// attempt, again.
struct LoginRepetition: Sendable {
    private var mayRepeat = true
    private var mayReplaceProof = true

    /// Whether to send the request again after this error.
    mutating func isAllowed(after error: any Error) -> Bool {
        if mayRepeat, RefreshExchange.mayBeLost(error) {
            mayRepeat = false
            return true
        }
        // An HTTP client or a proxy has sent the request twice, and this is the response to the copy.
        if mayReplaceProof, let response = error as? ErrorResponse, response.isInvalidProof {
            mayReplaceProof = false
            return true
        }
        return false
    }
}

/// The token that the server gives a device at a login. It opens a budget of attempts of its own for the same user, so that
/// strangers who try codes and passwords do not lock out the device.
///
/// It survives a logout. The next login replaces it, also that of another user.
private struct TrustedDeviceRecord: VersionedRecord, Equatable {
    static let recordName = RecordName.trustedDevice

    var version = TrustedDeviceRecord.currentVersion
    /// A secret: it is never logged.
    let token: String

    /// Longer values are not tokens of the server.
    static let maximumLength = 1024
}

extension SessionEngine {
    /// Adds the token of this device to a login. Without one, or if the store cannot be read, the login goes on.
    func withTrustedDevice(_ request: APIRequest) async -> APIRequest {
        var request = request
        if case .valid(let record)? = try? await records.read(TrustedDeviceRecord.self) {
            request.headers[HeaderName.trustedDevice] = record.token
        }
        return request
    }

    /// Keeps the token of a login. A store that refuses it must not fail the login.
    func keepTrustedDevice(_ response: APIResponse) async {
        guard let token = response.header(HeaderName.trustedDevice), !token.isEmpty,
            token.utf8.count <= TrustedDeviceRecord.maximumLength
        else { return }
        if let stored = try? await records.read(TrustedDeviceRecord.self), stored.isNewerVersion { return }
        do {
            try await records.write(TrustedDeviceRecord(token: token))
        } catch {
            log(.warning, "the token of this device cannot be stored", [.error(error)])
        }
    }
}
