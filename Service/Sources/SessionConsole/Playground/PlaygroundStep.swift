/// The steps of the playground, each with the Swift that does the same in an app.
///
/// A test compiles the Swift. The script replaces the examples in it by what the operator has entered. Secrets are
/// variables, so the log shows none.
enum PlaygroundStep: String, CaseIterable {
    case sendCode = "send-code"
    case sendCodeBySMS = "send-code-by-sms"
    case checkCode = "check-code"
    case resendCode = "resend-code"
    case passwordLogin = "password-login"
    case refresh
    case logOut = "log-out"
    case listSessions = "list-sessions"
    case revokeSession = "revoke-session"
    case revokeOthers = "revoke-others"
    case requestScope = "request-scope"
    case sendScopeCode = "send-scope-code"
    case checkScopeCode = "check-scope-code"
    case continueScope = "continue-scope"
    case changePassword = "change-password"

    var title: String {
        switch self {
        case .sendCode, .sendCodeBySMS: "Send a code"
        case .checkCode: "Sign in with the code"
        case .resendCode: "Send the code again"
        case .passwordLogin: "Sign in with a password"
        case .refresh: "Refresh"
        case .logOut: "Log out"
        case .listSessions: "List the sessions"
        case .revokeSession: "Revoke a session"
        case .revokeOthers: "Revoke all other sessions"
        case .requestScope: "Request a scope"
        case .sendScopeCode: "Send the code of the step"
        case .checkScopeCode: "Submit the code of the step"
        case .continueScope: "Submit the token of your own step"
        case .changePassword: "Change the password"
        }
    }

    var swift: String {
        switch self {
        case .sendCode:
            """
            let identifier = PreludeIdentifier(type: .emailAddress, value: "ada@example.com")
            try await client.startOTPLogin(StartOTPLoginOptions(identifier: identifier))
            """
        case .sendCodeBySMS:
            """
            let identifier = PreludeIdentifier(type: .phoneNumber, value: "+14155550100")
            try await client.startOTPLogin(StartOTPLoginOptions(identifier: identifier))
            """
        case .checkCode: "let user = try await client.checkOTP(code)"
        case .resendCode: "try await client.resendOTP()"
        case .passwordLogin:
            """
            let user = try await client.loginWithPassword(
                LoginWithPasswordOptions(emailAddress: "ada@example.com", password: password))
            """
        case .refresh:
            """
            // refresh() alone keeps a token that is still valid.
            try await client.invalidateSession()
            let user = try await client.refresh()
            """
        case .logOut: "try await client.logout()"
        case .listSessions: "let list = try await client.listSessions(ListSessionsOptions(limit: 20))"
        case .revokeSession: #"try await client.revokeSessions(.session(id: "ses_01"))"#
        case .revokeOthers: "try await client.revokeSessions(.others)"
        case .requestScope: #"let challenge = try await client.requestStepUp(scope: "transfer:write")"#
        case .sendScopeCode: "try await client.sendStepUpOTP(challenge)"
        case .checkScopeCode: "let next = try await client.submitStepUpOTP(challenge, code: code)"
        case .continueScope:
            "let next = try await client.continueStepUp(challenge, verificationToken: verificationToken)"
        case .changePassword: "try await client.changePassword(RedactedString(password))"
        }
    }
}
