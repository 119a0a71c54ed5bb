internal import Foundation
internal import SessionTokens
internal import SessionWire

extension SessionEngine {
    // MARK: Codes

    /// Starts a login with a code. It replaces an earlier one of this client, even if that is answered later.
    func startOTP(_ options: StartOTPLoginOptions) async throws {
        loginAttempt += 1
        let attempt = loginAttempt
        let verifier = PKCE.verifier(from: environment.randomBytes(32))
        let body = StartOTPRequest(
            identifier: Identifier(type: options.identifier.type.rawValue, value: options.identifier.value),
            loginConfigID: options.loginConfigID, dispatchID: await dispatchID(),
            codeChallenge: PKCE.challenge(for: verifier))
        let answer = try await sendAnonymous(await withTrustedDevice(try APIRequest.post(.otp, body: body)))
        guard attempt == loginAttempt else { return }
        pendingLogin = PendingOTPLogin(answer, codeVerifier: verifier, attempt: environment.newAttemptID())
    }

    func resendOTP() async throws {
        let request = try requirePendingLogin().identify(APIRequest(.otpRetry))
        _ = try await sendAnonymous(await withTrustedDevice(request))
    }

    /// Checks a code and signs in. If only the second half fails, the same code continues from there.
    func checkOTP(_ typed: String) async throws -> PreludeUser {
        let code = try EnteredCode.checked(typed)
        let pending = try requirePendingLogin()
        let fence = machine.loginFence
        let challengeToken: String
        if let accepted = pending.accepted, accepted.code == code {
            challengeToken = accepted.challengeToken
        } else {
            let request = try APIRequest.post(.otpCheck, body: CheckOTPRequest(code: code))
            challengeToken = try await sendLogin(await withTrustedDevice(pending.identify(request))).challengeToken()
            if pendingLogin?.codeVerifier == pending.codeVerifier {
                pendingLogin?.accepted = .init(code: code, challengeToken: challengeToken)
            }
        }
        let user = try await finalize(
            challengeToken, codeVerifier: pending.codeVerifier, attempt: pending.attempt, since: fence)
        if pendingLogin?.codeVerifier == pending.codeVerifier { pendingLogin = nil }
        if machine.session?.accessToken == user.accessToken { redeemedCode = RedeemedCode(code, of: user) }
        return user
    }

    private func requirePendingLogin() throws -> PendingOTPLogin {
        guard let pendingLogin else {
            let text = ServerErrorText(
                message: "no login waits for a code; call startOTPLogin first",
                facts: ServerErrorFacts(needsNewCode: true))
            throw PreludeSessionError.unauthorized(text.text)
        }
        return pendingLogin
    }

    // MARK: Passwords

    func login(_ options: LoginWithPasswordOptions) async throws -> PreludeUser {
        let fence = machine.loginFence
        let body = PasswordLoginRequest(
            identifier: options.emailAddress, password: options.password.value, dispatchID: await dispatchID())
        let answer: TransportAnswer
        do {
            answer = try await sendLogin(await withTrustedDevice(try APIRequest.post(.passwordLogin, body: body)))
        } catch PreludeSessionError.unauthorized(let text) {
            throw PreludeSessionError.unauthorized(ServerErrorText(text: text).about(field: "password").text)
        }
        return try await finalize(
            try answer.challengeToken(), codeVerifier: nil, attempt: environment.newAttemptID(), since: fence)
    }

    // MARK: The end of every login

    /// Redeems a challenge token, binds the session to the device key, and stores the session before it is published.
    ///
    /// - Parameters:
    ///   - attempt: The id of the login. It lives as long as the challenge token, in memory: without the token no request is
    ///     repeated.
    ///   - fence: The login fence at which the login began.
    func finalize(
        _ challengeToken: String, codeVerifier: String?, attempt: String, since fence: Int
    ) async throws -> PreludeUser {
        try await device.prepareKey()
        var request = try APIRequest.post(
            .finalize, body: FinalizeRequest(challengeToken: challengeToken, codeVerifier: codeVerifier))
        request.proof = .login(attempt: attempt)
        // The session to replace. An unreadable record names none and is overwritten.
        request.headers[HeaderName.refreshToken] = (try? await loaded())?.refreshToken
        let answer = try await sendLogin(request)
        let tokens = try TokenAnswer(answer, previous: nil)
        let session: StoredSession
        do {
            session = try tokens.checkedSession()
        } catch {
            // A repeated call would get the same answer.
            await revokeUnwanted(tokens.session)
            throw error
        }
        var current = session
        if try await adopt(session, fence: fence) {
            await keepTrustedDevice(answer)
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

    /// Sends a request of a login, and once more if its answer may be lost.
    private func sendLogin(_ request: APIRequest) async throws -> TransportAnswer {
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
