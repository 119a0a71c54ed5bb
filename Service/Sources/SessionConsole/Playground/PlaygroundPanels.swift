import SessionDomain

/// The panels of the playground: the steps on one side, the log of calls on the other. The script shows those that fit.
enum PlaygroundPanels {
    static func html(_ visit: AppVisit, _ target: PlaygroundTarget) -> HTML {
        // The mailbox answers pages of its own origin only.
        let mailbox = visit.visit.mailbox != nil && target.isOwn ? target.origin + "/dev/mailbox" : ""
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
                    signIn(visit)
                    enterCode(visit, mailbox)
                    session
                    sessions
                    stepUp(visit, mailbox)
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

    private static func signIn(_ visit: AppVisit) -> HTML {
        let channels = Set(visit.app.otpLogins.map(\.channel))
        return card("Sign in", in: "signedOut", [.sendCode, .sendCodeBySMS, .passwordLogin]) {
            form("start", submit: "Send a code") {
                field("address", "E-mail address or phone number", hint: "A number begins with + and its country code.")
            }
            for channel in OTPLoginConfig.Channel.allCases where !channels.contains(channel) {
                isOff(visit, "a code by " + Show.channel(channel))
            }
            form("password-login", submit: "Sign in with a password", style: "") {
                field("email", "E-mail address")
                field("password", "Password", type: "password")
            }
            if visit.app.passwordLogin?.enabled != true { isOff(visit, "a password") }
        }
    }

    private static func isOff(_ visit: AppVisit, _ kind: String) -> HTML {
        H.p(.class("hint")) {
            "The app has no login with \(kind). "
            H.a(.href(visit.path / "logins")) { "Logins" }
        }
    }

    private static func enterCode(_ visit: AppVisit, _ mailbox: String) -> HTML {
        card("Enter the code", in: "codeSent", [.checkCode, .resendCode]) {
            H.p {
                "Sent to "
                H.strong { H.bdi(.id("play-sent-to")) {} }
            }
            form("check", submit: "Sign in with the code") { field("code", "Code", inputMode: "numeric") }
            H.div(.class("actions")) {
                take("take", visit, mailbox)
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

    private static func stepUp(_ visit: AppVisit, _ mailbox: String) -> HTML {
        let steps: [PlaygroundStep] = [.requestScope, .sendScopeCode, .checkScopeCode, .continueScope]
        let scopes = scopes(of: visit.app)
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
                        take("scope-take", visit, mailbox)
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
