import SessionDomain
import SessionWire

extension RequestClass {
    /// - Parameters:
    ///   - isRead: Whether the method is GET or HEAD.
    ///   - target: A target in origin form. A query has no effect.
    init(isRead: Bool, target: String) {
        let path = target.withoutQuery
        switch FrontendPath(rawValue: path) {
        case .refresh, .revoke, .revokeSessions, .jwks, .stepUpJWKS, .metadata: self = .session
        case .sessions, .identifiers: self = .read
        case .passwordReset: self = .change
        case .some: self = .login
        case nil where Self.isForOperators(path): self = .session
        case nil: self = isRead ? .read : .change
        }
    }

    /// Whether an operator needs the path under overload: to see what happens, to sign in, and to end sessions and keys.
    private static func isForOperators(_ path: String) -> Bool {
        if path == "/metrics" || path == "/v2/session/log-level" { return true }
        if path == "/console/sign-in" { return true }
        // /v2/session/apps/{app}/users/{user}/sessions/{session or "invalidate"}, or /keys/{key}
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 7, parts[1] == "v2", parts[5] == "keys" { return true }
        return parts.count == 9 && parts[1] == "v2" && parts[5] == "users" && parts[7] == "sessions"
    }
}
