internal import Foundation
internal import SessionTokens

/// The signed-in user, as described by the access token.
public struct PreludeUser: Sendable, Hashable {
    /// A JWT for the app's backend (RFC 9068), which must verify it. It is valid for minutes: call `refresh()` before each
    /// use.
    public let accessToken: String
    /// The claims of the access token.
    public let profile: PreludeProfile
    /// Whether the login that returned this value created the user. Always `false` after a refresh, after a migration, and
    /// with a service that does not say it.
    ///
    /// Use it to show an introduction once. It is a fact about the login, so the session does not keep it.
    public internal(set) var isNewUser = false

    /// The user's id, `usr_…` (`sub`, RFC 7519 §4.1.2). Each access token has one.
    public var userID: String { profile.userID ?? "" }
}

/// The claims of an access token. They are not verified on the device: use them for display only.
public struct PreludeProfile: Sendable, Hashable {
    /// The user's id, `usr_…` (`sub`, RFC 7519 §4.1.2).
    public let userID: String?
    /// The session's id, `ses_…` (`sid`).
    public let sessionID: String?
    /// All other claims that are not registered (RFC 7519 §4.1, RFC 9068 §2.2).
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

extension PreludeUser {
    /// Reads the user from an access token.
    ///
    /// - Throws: `.refreshFailed` when it is not a JWT of a user.
    init(accessToken: String) throws {
        guard let profile = try? PreludeProfile(accessToken: accessToken) else {
            throw PreludeSessionError.refreshFailed("the access token is not a JWT")
        }
        guard profile.userID?.isEmpty == false else {
            throw PreludeSessionError.refreshFailed("the access token names no user")
        }
        self.init(accessToken: accessToken, profile: profile)
    }
}

extension PreludeUser: CustomStringConvertible, CustomReflectable {
    /// Does not contain the token.
    public var description: String { "PreludeUser(\(profile.userID ?? "unknown"))" }
    public var customMirror: Mirror { Mirror(self, children: ["profile": profile]) }
}
