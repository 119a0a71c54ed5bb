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
        /// Asks for the options of `loginWithPasskey(_:)`.
        case beginPasskeyLogin
        /// Sends the response of the authenticator for `loginWithPasskey(_:)`.
        case finishPasskeyLogin
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
        /// `listPasskeys()`.
        case listPasskeys
        /// Asks for the options of `registerPasskey(_:)`.
        case beginPasskeyRegistration
        /// Sends the response of the authenticator for `registerPasskey(_:)`.
        case finishPasskeyRegistration
        /// `renamePasskey(id:nickname:)` with `PATCH`, and `deletePasskey(id:)` with `DELETE`.
        case changePasskey
        /// `changePassword(_:)`.
        case changePassword
        /// `passwordCompliancy()` and `validatePassword(_:)`.
        case passwordCompliancy
        /// `requestStepUp(scope:metadata:)`.
        case requestStepUp
        /// `continueStepUp(_:verificationToken:)`, a step with a passkey, and `submitStepUpOTP(_:code:)` after its code was
        /// checked.
        case continueStepUp

        /// The path of the request. That of `changePasskey` ends with `{credential_id}`, which stands for the id of the passkey.
        public var path: String { frontendPath.rawValue }

        init?(path: String) {
            guard let call = Self.allCases.first(where: { $0.frontendPath.matches(path) }) else { return nil }
            self = call
        }

        private var frontendPath: FrontendPath {
            switch self {
            case .sendOTP: .otp
            case .resendOTP: .otpRetry
            case .checkOTP: .otpCheck
            case .loginWithPassword: .passwordLogin
            case .beginPasskeyLogin: .beginPasskeyLogin
            case .finishPasskeyLogin: .finishPasskeyLogin
            case .migrate: .migration
            case .finalizeLogin: .finalize
            case .refresh: .refresh
            case .revoke: .revoke
            case .listSessions: .sessions
            case .revokeSessions: .revokeSessions
            case .identifiers: .identifiers
            case .listPasskeys: .passkeys
            case .beginPasskeyRegistration: .beginPasskeyRegistration
            case .finishPasskeyRegistration: .finishPasskeyRegistration
            case .changePasskey: .passkey
            case .changePassword: .passwordReset
            case .passwordCompliancy: .passwordCompliancy
            case .requestStepUp: .stepUpRequest
            case .continueStepUp: .stepUpContinue
            }
        }
    }
}

extension FrontendPath {
    /// Whether a path is this one, with one segment for the parameter.
    fileprivate func matches(_ path: String) -> Bool {
        guard let parameter = rawValue.firstIndex(of: "{") else { return path == rawValue }
        let begin = rawValue[..<parameter]
        guard path.hasPrefix(begin) else { return false }
        let segment = path.dropFirst(begin.count)
        return !segment.isEmpty && !segment.contains("/")
    }
}
