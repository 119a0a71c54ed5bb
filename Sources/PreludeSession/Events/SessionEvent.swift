/// A change of a client's session.
public enum SessionEvent: Sendable, Hashable {
    /// A login succeeded.
    case signedIn(PreludeProfile)
    /// There is a new access token. Its claims may have changed.
    case refreshed(PreludeProfile)
    /// The credentials were deleted on this device.
    case signedOut(PreludeSignOutReason)
}

/// Why a session ended on this device. New versions may add reasons.
public struct PreludeSignOutReason: RawRepresentable, Sendable, Hashable {
    /// The reason as one word, for logs.
    public let rawValue: String
    /// Creates a reason from its word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// `logout()` was called.
    public static let logout = PreludeSignOutReason(rawValue: "logout")
    /// `revokeSessions(_:)` included this session.
    public static let revokedHere = PreludeSignOutReason(rawValue: "revoked_here")
    /// The service rejected a refresh: the session was revoked elsewhere or has expired.
    public static let ended = PreludeSignOutReason(rawValue: "ended")
    /// The account is suspended or closed. Another login does not help: the user must contact the app's support.
    public static let suspended = PreludeSignOutReason(rawValue: "suspended")
    /// Another client of the same credential store signed out.
    public static let anotherClient = PreludeSignOutReason(rawValue: "another_client")
    /// The device key is lost, or the session is bound to another key.
    public static let deviceKeyLost = PreludeSignOutReason(rawValue: "device_key_lost")

    /// What the reason is for the other clients of the store: a user who signs out in one has done so in all.
    var inAnotherClient: Self { self == .logout || self == .revokedHere ? .anotherClient : self }
}
