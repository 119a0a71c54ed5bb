internal import Foundation
internal import SessionWire

extension SessionEngine {
    /// The scope that allows one password change.
    static let passwordScope = "prld:pwd:write"

    func passwordCompliancy() async throws -> PreludePasswordCompliancy {
        let response = try await sendAnonymous(.get(.passwordCompliancy))
        return PreludePasswordCompliancy(try response.decode(PasswordCompliancy.self))
    }

    /// Whether the access token carries the scope. A valid token without it is not refreshed: that could only
    /// remove scopes.
    func canChangePassword() async throws -> Bool {
        if let session = try await sessionWithValidToken() {
            if session.scopes.contains(Self.passwordScope[...]) { return true }
            let now = try await device.serverTime()
            await restoreStepUps()
            if stepUps.waiting(session: machine.session, at: now) == nil { return false }
        }
        _ = try await refresh()
        return try await sessionWithValidToken()?.scopes.contains(Self.passwordScope[...]) ?? false
    }

    /// Changes the password with the current access token. A refresh would remove a scope that is valid once.
    ///
    /// - Parameter sessionID: The session whose user's password changes; `nil` for the current one.
    func changePassword(_ password: RedactedString, in sessionID: String? = nil) async throws {
        let request = try APIRequest.post(.passwordReset, body: ResetPasswordRequest(password: password.value))
        let session = try await sessionWithValidToken()
        if let sessionID, machine.session?.sessionID != sessionID { throw Self.loginOvertaken }
        let fence = machine.fence
        let allowed = session.flatMap { $0.scopes.contains(Self.passwordScope[...]) ? $0.accessToken : nil }
        _ = try await sendSignedIn(request, accessToken: allowed)
        // A token that still has the scope claims what is used up now. A newer token may carry another scope.
        guard machine.accepts(fence), let session = machine.session,
            session.scopes.contains(Self.passwordScope[...])
        else { return }
        invalidate(session.accessToken)
        // The password is changed, so a failed refresh is no error. The next call refreshes.
        _ = try? await refresh()
    }

    /// Signs in with a code, then sets the password.
    ///
    /// A repeated call with the same code finds no login that waits for it, and continues in the session that the code began.
    /// Any other session may be another user's.
    func resetPassword(code: String, to password: RedactedString) async throws -> PreludeUser {
        guard try await passwordCompliancy().check(password.value).valid else {
            throw PreludeSessionError.invalidPassword("the password does not meet the app's rules")
        }
        var newUser: PreludeUser?
        if try await !continuesReset(with: EnteredCode.normalized(code)) { newUser = try await checkOTP(code) }
        try await changePassword(password, in: newUser?.profile.sessionID ?? logins.redeemedCode?.sessionID)
        logins.forgetCode()
        // Its refresh may have failed, but the password is changed and the token is still valid.
        guard let session = try await loaded() else { throw Self.loginOvertaken }
        var user = try user(session)
        user.isNewUser = newUser?.isNewUser ?? false
        return user
    }

    private func continuesReset(with code: String) async throws -> Bool {
        guard let session = try await loaded(), logins.pending == nil,
            logins.redeemedCode?.continues(session, with: code) ?? false
        else { return false }
        return try await canChangePassword()
    }

    /// The session if its access token has not expired, without any margin.
    private func sessionWithValidToken() async throws -> StoredSession? {
        _ = try await loaded()
        let now = try await device.serverTime()
        if case .nothing(let session) = machine.need(serverTime: now, margin: 0) { return session }
        return nil
    }
}
