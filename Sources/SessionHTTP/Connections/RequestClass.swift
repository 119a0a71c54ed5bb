import SessionWire

/// What a request is for. Under overload, those of the later classes are rejected first.
package enum RequestClass: String, Sendable, CaseIterable {
    /// Keeps or ends sessions, and what backends need to verify tokens.
    case session
    /// Signs users in.
    case login
    /// Other changes.
    case change
    /// Reads that can wait.
    case read

    /// The percentage of the places for requests that may be taken when a request of this class begins.
    var share: Int {
        switch self {
        case .session: 100
        case .login: 80
        case .change: 60
        case .read: 40
        }
    }

    /// - Parameters:
    ///   - isRead: Whether the method is GET or HEAD.
    ///   - target: A target in origin form.
    init(isRead: Bool, target: String) {
        let path = target.prefix { $0 != "?" }
        switch FrontendPath(rawValue: String(path)) {
        case .refresh, .revoke, .jwks, .stepUpJWKS: self = .session
        case .sessions, .identifiers: self = .read
        case .revokeSessions, .passwordReset: self = .change
        case .some: self = .login
        case nil: self = isRead ? .read : .change
        }
    }
}
