@_spi(Service) internal import PreludeSession

extension SessionUIText {
    /// What a view was doing when an error occurred.
    enum Situation: Sendable, Hashable {
        /// Signing in with a code.
        case signIn
        /// Using the session of a signed-in user.
        case session
    }

    /// The text to show for an error: the SDK's message, except where the situation says more.
    ///
    /// - Parameter situation: What the view was doing.
    /// - Returns: `nil` for a cancelled call, which is not shown.
    static func shown(for error: any Error, in situation: Situation) -> SessionUIText? {
        if error is CancellationError { return nil }
        guard let error = error as? PreludeSessionError else { return SessionUIText(PreludeSessionMessage(.failed)) }
        // No user is signed in yet, so “sign in again” would be a riddle.
        if situation == .signIn, error.endsCodeEntry { return SessionUIText(.signInExpired) }
        return SessionUIText(error.message)
    }
}
