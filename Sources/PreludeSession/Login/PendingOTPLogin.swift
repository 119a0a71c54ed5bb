internal import Foundation
internal import SessionWire

/// A login that waits for its code. It lives in memory only.
struct PendingOTPLogin: Sendable {
    /// The verification's id at the server, or the cookie with it from a server that sends no header.
    let verificationToken: String?
    let cookie: String?
    /// Proves that the client that starts the login also completes it (PKCE, RFC 7636 §4.1).
    let codeVerifier: String
    /// The id of the login, which every request that starts its session has.
    let attempt: String
    /// The accepted code and its challenge. A repeated call continues from here.
    var accepted: AcceptedCode?

    struct AcceptedCode: Sendable {
        let code: String
        let challengeToken: String
    }

    init(_ answer: TransportAnswer, codeVerifier: String, attempt: String) {
        verificationToken = answer.header(HeaderName.verificationToken)
        cookie = Self.verificationCookie(in: answer)
        self.codeVerifier = codeVerifier
        self.attempt = attempt
    }

    /// Adds the verification to a request.
    func identify(_ request: APIRequest) -> APIRequest {
        var request = request
        if let verificationToken {
            request.headers[HeaderName.verificationToken] = verificationToken
        } else {
            request.headers["cookie"] = cookie
        }
        return request
    }

    /// `name=value` of the verification cookie.
    private static func verificationCookie(in answer: TransportAnswer) -> String? {
        answer.header("set-cookie")?.split(separator: ",").lazy
            .map { $0.drop { $0 == " " }.prefix { $0 != ";" } }
            .first { $0.contains("verification-login_") }.map(String.init)
    }
}
