/// A login that waits for its code.
struct PendingOTPLogin: Sendable {
    /// The handle of the verification, and the cookie that carries it where a server sends no header.
    let verificationToken: String?
    let cookie: String?
    /// PKCE: proves at the end that whoever started is whoever finishes (RFC 7636).
    let codeVerifier: String
    /// The challenge a right code has won. The code is spent with it, so a retry starts from here.
    var won: Won?

    struct Won: Sendable {
        let code: String
        let challengeToken: String
    }
}
