internal import Foundation
internal import SessionTokens
internal import SessionWire

extension SessionEngine {
    // MARK: Codes

    /// Starts a verification; an earlier one of this client is forgotten, whichever is answered first.
    func startOTP(_ options: StartOTPLoginOptions) async throws {
        loginAttempt += 1
        let attempt = loginAttempt
        let verifier = PKCE.verifier(from: environment.randomBytes(32))
        let body = StartOTPRequest(
            identifier: Identifier(type: options.identifier.type.rawValue, value: options.identifier.value),
            loginConfigID: options.loginConfigID, dispatchID: try await dispatchID(),
            codeChallenge: PKCE.challenge(for: verifier))
        let answer = try await sendAnonymous(try APIRequest.post(.otp, body: body))
        guard attempt == loginAttempt else { return }
        pendingLogin = PendingOTPLogin(
            verificationToken: answer.header(HeaderName.verificationToken),
            cookie: Self.verificationCookie(in: answer), codeVerifier: verifier)
    }

    func resendOTP() async throws {
        let pending = try requirePending()
        _ = try await sendAnonymous(Self.verified(APIRequest(.otpRetry), by: pending))
    }

    /// Checks a code and signs in. When only the second half fails, the same code goes on from there.
    func checkOTP(_ code: String) async throws -> PreludeUser {
        let pending = try requirePending()
        let begun = machine.loginFence
        let challenge: String
        if let won = pending.won, won.code == code {
            challenge = won.challengeToken
        } else {
            let request = try APIRequest.post(.otpCheck, body: CheckOTPRequest(code: code))
            let answer = try await sendAnonymous(Self.verified(request, by: pending))
            challenge = try Self.challengeToken(in: answer)
            if pendingLogin?.codeVerifier == pending.codeVerifier {
                pendingLogin?.won = .init(code: code, challengeToken: challenge)
            }
        }
        let user = try await finalize(challenge, codeVerifier: pending.codeVerifier, since: begun)
        if pendingLogin?.codeVerifier == pending.codeVerifier { pendingLogin = nil }
        return user
    }

    private func requirePending() throws -> PendingOTPLogin {
        guard let pendingLogin else {
            throw PreludeSessionError.unauthorized("no login is waiting for a code; call startOTPLogin first")
        }
        return pendingLogin
    }

    private static func verified(_ request: APIRequest, by pending: PendingOTPLogin) -> APIRequest {
        var request = request
        if let token = pending.verificationToken {
            request.headers[HeaderName.verificationToken] = token
        } else {
            request.headers["cookie"] = pending.cookie
        }
        return request
    }

    /// `name=value` of the verification cookie, for servers that send no header.
    private static func verificationCookie(in answer: TransportAnswer) -> String? {
        answer.header("set-cookie")?.split(separator: ",").lazy
            .map { $0.drop { $0 == " " }.prefix { $0 != ";" } }
            .first { $0.contains("verification-login_") }.map(String.init)
    }

    // MARK: Passwords

    func login(_ options: LoginWithPasswordOptions) async throws -> PreludeUser {
        let begun = machine.loginFence
        let body = PasswordLoginRequest(
            identifier: options.emailAddress, password: options.password.value, dispatchID: try await dispatchID())
        let answer = try await sendAnonymous(try APIRequest.post(.passwordLogin, body: body))
        return try await finalize(try Self.challengeToken(in: answer), codeVerifier: nil, since: begun)
    }

    // MARK: The end of every login

    /// Redeems a challenge, binds the session to the device's key, stores it, and only then says so.
    ///
    /// - Parameter begun: The login fence at which the login began.
    func finalize(_ challengeToken: String, codeVerifier: String?, since begun: Int) async throws -> PreludeUser {
        try await device.prepareKey()
        var request = try APIRequest.post(
            .finalize, body: FinalizeRequest(challengeToken: challengeToken, codeVerifier: codeVerifier))
        request.proof = .session
        // A record that cannot be read names no session to replace; the new one is written over it.
        request.headers[HeaderName.refreshToken] = (try? await loaded())?.refreshToken
        let answer = try await sendAnonymous(request)
        let session = try TokenAnswer.session(answer, previous: nil)
        guard try await adopt(session, fence: begun) else {
            // Somebody signed out or in meanwhile. The session exists on the server; nobody here wants it.
            do {
                try await rememberRevocation(of: session)
                tellRevocations()
            } catch {
                await revokeOnce(session)
            }
            throw PreludeSessionError.unauthorized("this login was overtaken by another login or a logout")
        }
        tellRevocations()
        return try user(session)
    }

    static func challengeToken(in answer: TransportAnswer) throws -> String {
        guard let body = try? JSONDecoder().decode(ChallengeResponse.self, from: answer.body) else {
            throw PreludeSessionError.generic(code: "invalid_answer", message: "the answer holds no challenge token")
        }
        return body.challengeToken
    }

    /// Scoring is the app's extra: a login does not fail for want of it.
    func dispatchID() async throws -> String? {
        guard let signals else { return nil }
        return try? await signals.dispatchSignals()
    }
}
