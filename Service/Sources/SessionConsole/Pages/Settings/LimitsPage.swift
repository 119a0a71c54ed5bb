import SessionDomain

/// The limits of codes, failed checks and messages.
enum LimitsPage {
    static func add(to routes: ConsoleRoutes) {
        page.add(to: routes)
        routes.appForm("/limits/clear", for: .support, on: page.show, clear)
        routes.appForm("/limits/block", for: .support, on: page.show) { console, form in
            let hours = try form.number("hours")
            guard (1...8760).contains(hours) else { throw Refusal.invalidField("hours", "must be 1 to 8760") }
            _ = try await console.service.apps.block(
                try blocked(form), seconds: hours * 3600, note: form.filled("note"), of: console.app.id)
            return .redirect(console.path / "limits", .saved)
        }
        routes.appForm("/limits/unblock", for: .support, on: page.show) { console, form in
            try await console.service.apps.unblock(try blocked(form), of: console.app.id)
            return .redirect(console.path / "limits", .saved)
        }
    }

    static let page = SettingsGroupPage<LimitSettings>(
        title: "Limits", path: "limits", section: .logins, parent: ("Logins", "logins"),
        lead:
            "Limits stop a stranger who guesses codes, and one who has messages sent at your cost. A change applies to "
            + "the next call. A limit of 0 allows none.",
        confirm: "Save the limits", consequences: consequences,
        more: { console in HTML(joining: [clearing(console), blocks(console)]) })

    /// What a field of a form names: an address, a network or an identifier.
    private static func blocked(_ form: FormBody) throws(Refusal) -> Block.Subject {
        let subject = try form.required("subject")
        if IPNetwork(subject) != nil { return .network(subject.lowercased()) }
        return .identifier(try CanonicalIdentifier(typed: subject, ofField: "subject"))
    }

    private static func blocks(_ console: ConsoleAppContext) -> HTML {
        let now = console.service.environment.now()
        let active = console.app.blocks.filter { $0.until > now }
        return Format.card("Blocked for a time") {
            H.p(.class("hint")) {
                "Calls of apps from a blocked network, and logins with a blocked identifier, get 429 until the block ends. "
                "Users stay signed in."
            }
            if active.isEmpty { H.p { "Nothing is blocked." } }
            for (index, block) in active.enumerated() {
                Format.values([
                    "Blocked": Format.code(block.name), "Until": Format.time(block.until),
                    "Note": Format.text(block.note),
                ])
                if console.context.canSupport {
                    FormView.form(
                        console.context, console.path / "limits" / "unblock", for: .support, id: "unblock-\(index)",
                        submit: "Unblock", style: "small", label: "Unblock \(block.name)"
                    ) { form in form.hidden("subject", block.name) }
                }
            }
            if console.context.canSupport {
                FormView.form(
                    console.context, console.path / "limits" / "block", for: .support, id: "block", submit: "Block",
                    style: "danger"
                ) { form in
                    form.text(
                        "subject", "IP address, network, e-mail address or phone number", nil,
                        hint: "A network is written like 203.0.113.0/24.")
                    form.number("hours", "For how many hours", 24, hint: "1 to 8760.")
                    form.text("note", "Note for other operators", nil)
                }
            }
        }
    }

    private static func clearing(_ console: ConsoleAppContext) -> HTML {
        guard console.context.canSupport else { return HTML(joining: []) }
        return Format.card("Set limits back") {
            FormView.form(
                console.context, console.path / "limits" / "clear", for: .support, id: "clear", submit: "Set back",
                style: ""
            ) { form in
                form.text(
                    "subject", "E-mail address, phone number or IP address", nil,
                    hint: "Strangers have all their attempts again. A user's page does the same for all of a user.")
            }
        }
    }

    @Sendable private static func clear(_ console: ConsoleAppContext, _ form: FormBody) async throws -> FormOutcome {
        let subject = try form.required("subject")
        let users = console.service.users
        if IPNetwork.isAddress(subject) {
            try await users.clearLimits(ofAddress: subject, app: console.app.id)
        } else {
            try await users.clearLimits(
                of: CanonicalIdentifier(typed: subject, ofField: "subject"), app: console.app.id)
        }
        return .redirect(console.path / "limits", .cleared)
    }

    /// Which users get no code any more.
    @Sendable private static func consequences(
        of next: LimitSettings, replacing old: LimitSettings, _ console: ConsoleAppContext
    ) async throws -> [String] {
        var lost: [String] = []
        let ended = [
            !next.allowsCodeLogins && old.allowsCodeLogins ? "sign in" : nil,
            !next.allowsCodeSteps && old.allowsCodeSteps ? "make a step-up" : nil,
        ].compactMap(\.self)
        if !ended.isEmpty {
            lost.append("A limit is 0: no user can \(ended.joined(separator: " or ")) with a code.")
        }
        if !next.allowsPasswords, old.allowsPasswords, console.app.passwordLogin?.enabled == true {
            lost.append("No user can sign in with a password.")
        }
        if next.callingCodeSendsPerDay == 0, old.callingCodeSendsPerDay > 0 {
            lost.append("The app sends no codes by SMS.")
            var app = console.app
            app.otpLimits = next
            lost += try await AffectedUsers.losing(.sms, in: app, console)
        }
        if next.sendHook == nil, old.sendHook != nil {
            lost.append("Your backend is no longer asked before a code is sent.")
        }
        let closed = next.closedNumbers(of: old)
        if !closed.isEmpty {
            lost.append(
                try await AffectedUsers.with(
                    .phoneNumber, in: closed, "a phone number to which the app sends no codes any more", console))
        }
        return lost.isEmpty ? [] : lost + ["Users who are signed in stay signed in."]
    }
}
