import SessionWire

extension TestService {
    /// The purpose of a request from the SDK to the service.
    public enum Call: Sendable, Hashable, CaseIterable {
        /// Sends a code: `startOTPLogin(_:)` and `sendStepUpOTP(_:)`.
        case sendOTP
        /// `resendOTP()`.
        case resendOTP
        /// Checks a code: `checkOTP(_:)` and `submitStepUpOTP(_:code:)`.
        case checkOTP
        /// `loginWithPassword(_:)`.
        case loginWithPassword
        /// `migrate(_:)`.
        case migrate
        /// Ends every login and creates the session.
        case finalizeLogin
        /// `refresh()`, and every call that needs a new access token.
        case refresh
        /// Revokes the session for `logout()`.
        case revoke
        /// `listSessions(_:)`.
        case listSessions
        /// `revokeSessions(_:)`.
        case revokeSessions
        /// `fetchIdentifiers()`.
        case identifiers
        /// `changePassword(_:)`.
        case changePassword
        /// `passwordCompliancy()` and `validatePassword(_:)`.
        case passwordCompliancy
        /// `requestStepUp(scope:metadata:)`.
        case requestStepUp
        /// `continueStepUp(_:verificationToken:)`, and `submitStepUpOTP(_:code:)` after its code was checked.
        case continueStepUp

        /// The path of the request.
        public var path: String { frontendPath.rawValue }

        init?(path: String) {
            guard let call = Self.allCases.first(where: { $0.path == path }) else { return nil }
            self = call
        }

        private var frontendPath: FrontendPath {
            switch self {
            case .sendOTP: .otp
            case .resendOTP: .otpRetry
            case .checkOTP: .otpCheck
            case .loginWithPassword: .passwordLogin
            case .migrate: .migration
            case .finalizeLogin: .finalize
            case .refresh: .refresh
            case .revoke: .revoke
            case .listSessions: .sessions
            case .revokeSessions: .revokeSessions
            case .identifiers: .identifiers
            case .changePassword: .passwordReset
            case .passwordCompliancy: .passwordCompliancy
            case .requestStepUp: .stepUpRequest
            case .continueStepUp: .stepUpContinue
            }
        }
    }
}
