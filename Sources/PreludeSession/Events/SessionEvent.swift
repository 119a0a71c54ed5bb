/// What happened to the session of a client, for an interface to follow.
public enum SessionEvent: Sendable, Hashable {
    /// A login succeeded.
    case signedIn(PreludeProfile)
    /// There is a new access token; claims may have changed.
    case refreshed(PreludeProfile)
    /// The credentials are gone from this device.
    case signedOut(SignOutReason)
}

/// Why a session is over on this device. Open: more reasons may come.
public struct SignOutReason: RawRepresentable, Sendable, Hashable {
    /// The reason in one word, for logs.
    public let rawValue: String
    /// A reason by its word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// `logout()` was called.
    public static let logout = SignOutReason(rawValue: "logout")
    /// `revokeSessions(_:)` included this session.
    public static let revokedHere = SignOutReason(rawValue: "revoked_here")
    /// The service said a definite no to a refresh: revoked elsewhere, expired, or the user may not sign in any more.
    public static let ended = SignOutReason(rawValue: "ended")
    /// Another client of the same credential store signed out.
    public static let anotherClient = SignOutReason(rawValue: "another_client")
    /// The device's key is gone, or no longer the session's.
    public static let deviceKeyLost = SignOutReason(rawValue: "device_key_lost")
}
