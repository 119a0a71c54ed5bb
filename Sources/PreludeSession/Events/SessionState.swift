/// What is known of a session, for a user interface: `client.states` and `SessionModel`.
public enum SessionState: Sendable {
    /// The credentials were not read yet. Show what the launch screen shows: it takes a moment only.
    case unknown
    /// The credentials cannot be read before the device is unlocked. A user may be signed in: do not show the login yet.
    case locked
    /// No user is signed in.
    ///
    /// The reason why the last session ended on this device, also after a relaunch; `nil` if there was none since the app was
    /// installed.
    case signedOut(PreludeSignOutReason?)
    /// A user is signed in, also offline.
    case signedIn(PreludeProfile)
    /// The credentials cannot be read, and an unlock does not change it: a damaged record, a missing entitlement, a failing disk.
    /// Show the login, and the message of the error. A login replaces what cannot be read; if the app can read it again, call
    /// `reload()`.
    case failed(PreludeSessionError)
}

extension SessionState: Equatable {
    /// Compares two states. Errors are equal if their descriptions are.
    public static func == (left: SessionState, right: SessionState) -> Bool {
        switch (left, right) {
        case (.unknown, .unknown), (.locked, .locked): true
        case (.signedOut(let left), .signedOut(let right)): left == right
        case (.signedIn(let left), .signedIn(let right)): left == right
        case (.failed(let left), .failed(let right)): String(describing: left) == String(describing: right)
        default: false
        }
    }
}
