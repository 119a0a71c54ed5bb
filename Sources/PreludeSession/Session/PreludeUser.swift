internal import Foundation
internal import SessionTokens

/// The signed-in user, as the access token tells.
public struct PreludeUser: Sendable, Hashable {
    /// A JWT for the app's backend (RFC 9068), which must verify it. Lives minutes; ask for it anew with each use.
    public let accessToken: String
    /// What the access token says of the user.
    public let profile: PreludeProfile
}

/// What an access token says of its user. Not verified here: it is for showing, never for deciding.
public struct PreludeProfile: Sendable, Hashable {
    /// The user's id, `usr_…` (`sub`, RFC 7519 §4.1.2).
    public let userID: String?
    /// The session's id, `ses_…` (`sid`).
    public let sessionID: String?
    /// All claims that are neither registered (RFC 7519 §4.1, RFC 9068 §2.2) nor above.
    public let extras: [String: PreludeJSONValue]

    private static let known: Set<String> = [
        "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "sid", "client_id", "cnf",
    ]

    init(accessToken: String) throws {
        let claims = try JWT.unverifiedClaims(of: accessToken)
        userID = claims["sub"]?.stringValue
        sessionID = claims["sid"]?.stringValue
        extras = claims.filter { !Self.known.contains($0.key) }.mapValues(PreludeJSONValue.init)
    }
}

extension PreludeUser: CustomStringConvertible, CustomReflectable {
    /// Without the token.
    public var description: String { "PreludeUser(\(profile.userID ?? "unknown"))" }
    public var customMirror: Mirror { Mirror(self, children: ["profile": profile]) }
}
