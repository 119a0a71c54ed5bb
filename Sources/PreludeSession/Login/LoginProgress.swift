/// The login of this client that is not finished, and the code of the last one that is.
final class LoginProgress {
    /// It is also stored.
    private(set) var pending: PendingLogin?
    /// Counts started OTP logins, logins and logouts. A response to an older start is dropped.
    private(set) var starts = 0
    /// The code that began the session, for a password reset that continues.
    private(set) var redeemedCode: RedeemedCode?

    /// An OTP login starts.
    ///
    /// - Returns: The number of this start.
    func start() -> Int {
        starts += 1
        return starts
    }

    /// A login or a logout: what was in progress before is void.
    func end() {
        starts += 1
        pending = nil
    }

    /// This login is in progress from now on.
    func keep(_ login: PendingLogin) { pending = login }

    /// The server has accepted the code of a login.
    ///
    /// - Returns: `false` if the login is not in progress any more.
    func accept(_ code: String, of login: PendingLogin, challengeToken: String) -> Bool {
        guard pending?.attempt == login.attempt else { return false }
        pending?.accept(code, challengeToken: challengeToken)
        return true
    }

    /// A login cannot continue. Another one stays.
    func forget(_ login: PendingLogin) {
        if pending?.attempt == login.attempt { pending = nil }
    }

    /// A code has begun the session of a user.
    func redeemed(_ code: String, of user: PreludeUser) { redeemedCode = RedeemedCode(code, of: user) }

    func forgetCode() { redeemedCode = nil }
}
