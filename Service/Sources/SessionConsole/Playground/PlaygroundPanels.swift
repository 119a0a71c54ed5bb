import SessionDomain

/// The panels of the playground: the steps on one side, the log of calls on the other. The script shows those that fit.
enum PlaygroundPanels {
    static func html(_ console: ConsoleAppContext, _ target: PlaygroundTarget) -> HTML {
        // The mailbox answers pages of its own origin only.
        let mailbox = console.context.mailbox != nil && target.isOwn ? target.origin + "/dev/mailbox" : ""
        return HTML(joining: [
            H.noscript {
                H.p(.class("message warn")) {
                    "The playground needs JavaScript, because it is a client in your browser. All other pages of the "
                    "console work without."
                }
            },
            H.p(.class("hint"), .id("play-loading")) { "The playground is loading. It needs JavaScript." },
            H.div(
                .id("play-root"), .class("playground"), .hidden, .data("data-endpoint", target.origin),
                .data("data-mailbox", mailbox)
            ) {
                H.div(.class("column")) {
                    status
                    signIn(console)
                    enterCode(console, mailbox)
                    session
                    sessions
                    stepUp(console, mailbox)
                    password
                    H.p(.class("hint")) {
                        "Key and tokens are in the memory of this page, and end with it. If this browser is signed in "
                        "to a page of the app, a login here ends that session."
                    }
                }
                log
            },
        ])
    }

    private static var status: HTML {
        H.section(.class("card"), .aria(labelledBy: "play-state")) {
            H.h2(.id("play-state"), .tabIndex(-1)) { "Signed out" }
            H.p(.id("play-result"), .role("status")) { "Sign in to begin." }
            H.p(.class("to-calls"), .id("play-to-calls"), .hidden) { H.a(.href(id: "play-calls")) { "Show the calls" } }
            H.p(.class("error"), .data("data-error", ""), .role("alert")) {}
        }
    }

    private static func signIn(_ console: ConsoleAppContext) -> HTML {
        let channels = Set(console.app.otpLogins.map(\.channel))
        return card("Sign in", in: "signedOut", [.sendCode, .sendCodeBySMS, .passwordLogin]) {
            form("start", submit: "Send a code") {
                field("address", "E-mail address or phone number", hint: "A number begins with + and its country code.")
            }
            for channel in OTPLoginConfig.Channel.allCases where !channels.contains(channel) {
                isOff(console, "a code by " + Format.channel(channel))
            }
            form("password-login", submit: "Sign in with a password", style: "") {
                field("email", "E-mail address")
                field("password", "Password", type: "password")
            }
            if console.app.passwordLogin?.enabled != true { isOff(console, "a password") }
        }
    }

    private static func isOff(_ console: ConsoleAppContext, _ kind: String) -> HTML {
        H.p(.class("hint")) {
            "The app has no login with \(kind). "
            H.a(.href(console.path / "logins")) { "Logins" }
        }
    }

    private static func enterCode(_ console: ConsoleAppContext, _ mailbox: String) -> HTML {
        card("Enter the code", in: "codeSent", [.checkCode, .resendCode]) {
            H.p {
                "Sent to "
                H.strong { H.bdi(.id("play-sent-to")) {} }
            }
            form("check", submit: "Sign in with the code") { field("code", "Code", inputMode: "numeric") }
            H.div(.class("actions")) {
                take("take", console, mailbox)
                button("resend", "Send again")
                button("another", "Use another address")
            }
        }
    }

    private static var session: HTML {
        card("Access token", in: "signedIn", [.refresh, .logOut]) {
            H.p {
                "The user is "
                H.span(.class("mono"), .id("play-user")) {}
            }
            H.pre(.id("play-token")) {}
            H.details {
                H.summary { "Claims" }
                H.div(.id("play-claims")) {}
            }
            H.div(.class("actions")) {
                button("refresh", "Refresh")
                button("log-out", "Log out", "danger")
            }
        }
    }

    private static var sessions: HTML {
        card("Sessions", in: "signedIn", [.listSessions, .revokeSession, .revokeOthers]) {
            H.div(.class("actions")) {
                button("list", "List the sessions")
                button("revoke-others", "Revoke all others", "danger")
            }
            H.ul(.id("play-session-list"), .class("devices")) {}
        }
    }

    private static func stepUp(_ console: ConsoleAppContext, _ mailbox: String) -> HTML {
        let steps: [PlaygroundStep] = [.requestScope, .sendScopeCode, .checkScopeCode, .continueScope]
        let scopes = scopes(of: console.app)
        return card("Step-up", in: "signedIn", steps) {
            if scopes.isEmpty { H.p(.class("hint")) { "The app has no step-up rule for a registered scope." } }
            form("scope", submit: "Request the scope") {
                H.div(.class("field")) {
                    H.label(.for("play-scope-name")) { "Scope" }
                    H.select(.id("play-scope-name")) { for scope in scopes { H.option(.value(scope)) { scope } } }
                }
            }
            H.div(.id("play-scope-steps"), .class("column"), .hidden) {
                H.p {
                    "The next step is "
                    H.strong(.class("mono"), .id("play-scope-step")) {}
                }
                form("scope-check", submit: "Submit the code") {
                    H.div(.class("actions")) {
                        button("scope-send", "Send the code")
                        take("scope-take", console, mailbox)
                    }
                    field("scope-code", "Code of the step", inputMode: "numeric")
                }
                form("scope-continue", submit: "Submit the token") {
                    field("scope-token", "Verification token", hint: "Your backend signs it for a step of your own.")
                }
            }
        }
    }

    /// Scopes that a rule decides on. Reserved ones that register an identifier are left out: they need its value.
    private static func scopes(of app: App) -> [String] {
        let rules = app.stepUp?.rules.filter { $0.mode != .managed } ?? []
        return Set(rules.map(\.scope)).intersection(app.grantableScopes).sorted()
    }

    private static var password: HTML {
        card("Password", in: "signedIn", [.changePassword]) {
            H.p(.class("hint"), .id("play-password-ready")) {}
            form("new-password", submit: "Change the password", style: "") {
                field("new", "New password", type: "password")
            }
        }
    }

    private static var log: HTML {
        H.section(.class("column"), .aria(labelledBy: "play-calls")) {
            H.div(.class("card-head")) {
                H.h2(.id("play-calls")) { "Calls" }
                H.div(.class("actions")) {
                    H.div(.class("field checkbox")) {
                        H.input(.type("checkbox"), .id("play-signatures"))
                        H.label(.for("play-signatures")) { "Show signatures of tokens" }
                    }
                    button("clear", "Clear", "small")
                }
            }
            H.div(.class("card empty"), .id("play-log-empty")) {
                H.strong { "No call yet" }
                H.p { "Each step appears here: Swift, request, proof and answer." }
            }
            H.ol(.id("play-log"), .class("log")) {}
        }
    }
}

/// The parts of the playground's panels. Its forms are sent nowhere: the script does what they say.
extension PlaygroundPanels {
    /// A panel with the Swift of its steps.
    ///
    /// - Parameter state: The state of the script in which it is shown.
    static func card(
        _ title: String, in state: String, _ steps: [PlaygroundStep], @HTMLBuilder content: () -> HTML
    ) -> HTML {
        H.section(.class("card"), .data("data-state", state), .hidden) {
            H.h2 { title }
            content()
            H.p(.class("error"), .data("data-error", ""), .role("alert")) {}
            H.details {
                H.summary { "In Swift" }
                for step in steps {
                    H.p(.class("hint")) { step.title }
                    H.pre(.data("data-swift", step.rawValue), .data("data-title", step.title)) {
                        H.code { step.swift }
                    }
                }
            }
        }
    }

    static func form(
        _ id: String, submit: String, style: String = "primary", @HTMLBuilder content: () -> HTML
    ) -> HTML {
        H.form(.methodDialog, .id("play-" + id), .noValidate) {
            content()
            H.div(.class("actions")) { H.button(.type("submit"), .class(style)) { submit } }
        }
    }

    static func field(
        _ id: String, _ label: String, hint: String? = nil, type: String = "text", inputMode: String? = nil
    ) -> HTML {
        let id = "play-" + id
        return H.div(.class("field")) {
            H.label(.for(id)) { label }
            if let hint { H.p(.class("hint"), .id(id + "-hint")) { hint } }
            H.input(
                .type(type), .id(id), .autocomplete(type == "password" ? "new-password" : "off"), .spellcheckOff,
                inputMode.map { .inputMode($0) }, hint == nil ? nil : .aria(describedBy: id + "-hint"))
        }
    }

    static func button(_ id: String, _ title: String, _ style: String = "") -> HTML {
        H.button(.type("button"), .id("play-" + id), .class(style)) { title }
    }

    /// Fills in the code of the development mailbox, or opens it, if the script cannot read it. Nothing in production.
    static func take(_ id: String, _ console: ConsoleAppContext, _ mailbox: String) -> HTML {
        if !mailbox.isEmpty { return button(id, "Take it from the mailbox") }
        guard console.context.mailbox != nil, console.context.isForAllApps else { return .empty }
        return H.a(.class("button"), .href(.mailbox), .targetBlank) { "Open the mailbox in a new tab" }
    }
}

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
