import SessionDomain

/// The limits of codes, failed checks and messages.
enum LimitsPage {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/limits", show)
        routes.appForm("/limits", on: show, save)
        routes.appForm("/limits/clear", for: .support, on: show, clear)
        routes.appForm("/limits/block", for: .support, on: show) { visit, form in
            let hours = try form.number("hours")
            guard (1...8760).contains(hours) else { throw Refusal.invalidField("hours", "must be 1 to 8760") }
            _ = try await visit.service.apps.block(
                try blocked(form), seconds: hours * 3600, note: form.filled("note"), of: visit.app.id)
            return .redirect(visit.path / "limits", .saved)
        }
        routes.appForm("/limits/unblock", for: .support, on: show) { visit, form in
            try await visit.service.apps.unblock(try blocked(form), of: visit.app.id)
            return .redirect(visit.path / "limits", .saved)
        }
    }

    @Sendable static func show(_ visit: AppVisit) async throws -> Page {
        let limits = visit.app.otpLimits
        return Page("Limits", app: visit.app, section: .logins, parent: ("Logins", visit.path / "logins")) {
            H.p(.class("lead")) {
                "Limits stop a stranger who guesses codes, and one who has messages sent at your cost. A change applies to "
                "the next call. A limit of 0 allows none."
            }
            H.section(.class("card")) {
                FormView.form(visit.visit, visit.path / "limits", id: "limits", submit: "Save", replacing: visit.app) {
                    form in
                    codes(form, limits)
                    checks(form, limits)
                    messages(form, limits)
                    addresses(form, limits)
                }
            }
            clearing(visit)
            blocks(visit)
        }
    }

    /// What a field of a form names: an address, a network or an identifier.
    private static func blocked(_ form: FormBody) throws(Refusal) -> Block.Subject {
        let subject = try form.required("subject")
        if IPNetwork(subject) != nil { return .network(subject.lowercased()) }
        return .identifier(
            try CanonicalIdentifier(subject.contains("@") ? .emailAddress : .phoneNumber, subject, ofField: "subject"))
    }

    private static func blocks(_ visit: AppVisit) -> HTML {
        let now = visit.service.environment.now()
        let active = visit.app.blocks.filter { $0.until > now }
        return Show.card("Blocked for a time") {
            H.p(.class("hint")) {
                "Calls of apps from a blocked network, and logins with a blocked identifier, get 429 until the block ends. "
                "Users stay signed in."
            }
            if active.isEmpty { H.p { "Nothing is blocked." } }
            for (index, block) in active.enumerated() {
                Show.values([
                    "Blocked": Show.code(block.name), "Until": Show.time(block.until), "Note": Show.text(block.note),
                ])
                if visit.visit.canSupport {
                    FormView.form(
                        visit.visit, visit.path / "limits" / "unblock", for: .support, id: "unblock-\(index)",
                        submit: "Unblock", style: "small", label: "Unblock \(block.name)"
                    ) { form in form.hidden("subject", block.name) }
                }
            }
            if visit.visit.canSupport {
                FormView.form(
                    visit.visit, visit.path / "limits" / "block", for: .support, id: "block", submit: "Block",
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

    private static func clearing(_ visit: AppVisit) -> HTML {
        guard visit.visit.canSupport else { return HTML(joining: []) }
        return Show.card("Set limits back") {
            FormView.form(
                visit.visit, visit.path / "limits" / "clear", for: .support, id: "clear", submit: "Set back", style: ""
            ) { form in
                form.text(
                    "subject", "E-mail address, phone number or IP address", nil,
                    hint: "Strangers have all their attempts again. A user's page does the same for all of a user.")
            }
        }
    }

    @Sendable private static func clear(_ visit: AppVisit, _ form: FormBody) async throws -> FormOutcome {
        let subject = try form.required("subject")
        let users = visit.service.users
        if IPNetwork.isAddress(subject) {
            try await users.clearLimits(ofAddress: subject, app: visit.app.id)
        } else {
            try await users.clearLimits(
                of: CanonicalIdentifier(
                    subject.contains("@") ? .emailAddress : .phoneNumber, subject, ofField: "subject"),
                app: visit.app.id)
        }
        return .redirect(visit.path / "limits", .cleared)
    }

    private static func codes(_ form: FormView, _ limits: OTPLimits) -> HTML {
        form.group("A code") {
            form.number(
                "code_lifetime", "Lifetime, in seconds", limits.codeLifetime,
                hint: "60 to 600. Now \(Show.duration(limits.codeLifetime)).")
            form.number("checks_per_code", "Attempts", limits.checksPerCode, hint: "1 to 10.")
            form.number(
                "resend_delay", "Time between two messages, in seconds", limits.resendDelay,
                hint: "0 to the lifetime of a code.")
            form.number(
                "sends_per_verification", "Messages", limits.sendsPerVerification,
                hint: "1 to 20, with the first one.")
        }
    }

    private static func checks(_ form: FormView, _ limits: OTPLimits) -> HTML {
        form.group("Attempts of strangers at one account, or of one device") {
            rate(form, "starts", "Logins with a code", limits.starts)
            rate(form, "failed_checks", "Wrong codes and passwords", limits.failedChecks)
            form.number(
                "failed_checks_per_day", "Wrong codes and passwords in a day", limits.failedChecksPerDay)
            form.number(
                "consecutive_failed_checks", "Wrong ones without a right one between them",
                limits.consecutiveFailures,
                hint: "1 to 99. Then the account is closed until you set its limits back, or for 30 days.")
        }
    }

    private static func messages(_ form: FormView, _ limits: OTPLimits) -> HTML {
        form.group("Messages") {
            form.number("sends_per_hour", "To one destination in an hour", limits.sendsPerHour)
            form.number("sends_per_day", "To one destination in a day", limits.sendsPerDay)
            form.number("notices_per_day", "Notices of one kind to one user in a day", limits.noticesPerDay)
            rate(form, "step_ups", "Requests for a scope by one user", limits.stepUps)
            rate(form, "delivery_tests", "Test messages of operators", limits.deliveryTests)
            form.number(
                "app_sends_per_day", "Of the whole app in a day", limits.appSendsPerDay,
                hint: "It bounds what an attack can cost. Strangers can spend four fifths, three for new users.")
            form.number(
                "calling_code_sends_per_day", "To one country in a day", limits.callingCodeSendsPerDay,
                hint: "SMS to the numbers of one calling code, such as +33.")
            form.number(
                "number_range_sends_per_day", "To one range of numbers in a day", limits.numberRangeSendsPerDay,
                hint: "A range is a calling code and three digits, such as +33612.")
            form.lines(
                "allowed_prefixes", "Countries for SMS", limits.allowedPrefixes,
                hint: "Beginnings of phone numbers, such as +33 or +1415, one per line. Empty: all countries.")
            form.text(
                "send_hook.url", "Send hook", limits.sendHook?.url,
                hint: "A URL of your backend that decides before each code is sent. Empty: none.")
            form.choice(
                "send_hook.if_unavailable", "If the hook gives no answer in 2 seconds",
                [("allow", "Send the code"), ("deny", "Send no code")],
                selected: limits.sendHook?.ifUnavailable.rawValue ?? "allow")
        }
    }

    private static func addresses(_ form: FormView, _ limits: OTPLimits) -> HTML {
        form.group("Strangers at one IP address") {
            rate(form, "starts_per_address", "Messages that wait for their right code", limits.startsPerAddress)
            rate(form, "failures_per_address", "Accounts with wrong passwords", limits.failuresPerAddress)
            rate(form, "invalid_calls_per_address", "Calls without a running login", limits.invalidCallsPerAddress)
            rate(form, "migrations_per_address", "Rejected credentials of the old system", limits.migrationsPerAddress)
        }
    }

    private static func rate(_ form: FormView, _ name: String, _ label: String, _ limit: RateLimit) -> HTML {
        let fields = HTML(joining: [
            form.number(name + ".limit", label, limit.limit),
            form.number(name + ".window", label + ": in how many seconds", limit.window),
        ])
        return form.canWrite ? H.div(.class("row")) { fields } : fields
    }

    /// Which users get no code any more.
    private static func consequences(of next: OTPLimits, _ visit: AppVisit) async throws -> [String] {
        let old = visit.app.otpLimits
        var lost: [String] = []
        let ended = [
            !next.allowsCodeLogins && old.allowsCodeLogins ? "sign in" : nil,
            !next.allowsCodeSteps && old.allowsCodeSteps ? "make a step-up" : nil,
        ].compactMap(\.self)
        if !ended.isEmpty {
            lost.append("A limit is 0: no user can \(ended.joined(separator: " or ")) with a code.")
        }
        if !next.allowsPasswords, old.allowsPasswords, visit.app.passwordLogin?.enabled == true {
            lost.append("No user can sign in with a password.")
        }
        if next.callingCodeSendsPerDay == 0, old.callingCodeSendsPerDay > 0 {
            lost.append("The app sends no codes by SMS.")
            var app = visit.app
            app.otpLimits = next
            lost += try await AffectedUsers.losing(.sms, in: app, visit)
        }
        let closed = next.closedNumbers(of: old)
        if !closed.isEmpty {
            lost.append(
                try await AffectedUsers.with(
                    .phoneNumber, in: closed, "a phone number to which the app sends no codes any more", visit))
        }
        return lost.isEmpty ? [] : lost + ["Users who are signed in stay signed in."]
    }

    @Sendable private static func save(_ visit: AppVisit, _ form: FormBody) async throws -> FormOutcome {
        var limits = OTPLimits()
        limits.codeLifetime = try form.number("code_lifetime")
        limits.checksPerCode = try form.number("checks_per_code")
        limits.resendDelay = try form.number("resend_delay")
        limits.sendsPerVerification = try form.number("sends_per_verification")
        limits.starts = try form.rateLimit("starts", seconds: "window")
        limits.failedChecks = try form.rateLimit("failed_checks", seconds: "window")
        limits.failedChecksPerDay = try form.number("failed_checks_per_day")
        limits.consecutiveFailures = try form.number("consecutive_failed_checks")
        limits.sendsPerHour = try form.number("sends_per_hour")
        limits.sendsPerDay = try form.number("sends_per_day")
        limits.appSendsPerDay = try form.number("app_sends_per_day")
        limits.callingCodeSendsPerDay = try form.number("calling_code_sends_per_day")
        limits.numberRangeSendsPerDay = try form.number("number_range_sends_per_day")
        limits.allowedPrefixes = form.lines("allowed_prefixes")
        limits.sendHook = try sendHook(form)
        limits.startsPerAddress = try form.rateLimit("starts_per_address", seconds: "window")
        limits.failuresPerAddress = try form.rateLimit("failures_per_address", seconds: "window")
        limits.invalidCallsPerAddress = try form.rateLimit("invalid_calls_per_address", seconds: "window")
        limits.migrationsPerAddress = try form.rateLimit("migrations_per_address", seconds: "window")
        limits.stepUps = try form.rateLimit("step_ups", seconds: "window")
        limits.noticesPerDay = try form.number("notices_per_day")
        limits.deliveryTests = try form.rateLimit("delivery_tests", seconds: "window")
        try limits.validate()
        if let hook = limits.sendHook { try visit.service.delivery.checkHook(hook) }
        let next = limits
        if let page = try await SettingsConfirmation.page(
            "Save the limits", form, to: visit.path / "limits", in: .logins, from: ("Limits", visit.path / "limits"),
            consequences: try await consequences(of: next, visit), visit)
        {
            return page
        }
        _ = try await visit.service.delivery.setLimits(next, app: visit.app.id)
        return .redirect(visit.path / "limits", .saved)
    }

    private static func sendHook(_ form: FormBody) throws(Refusal) -> SendHookConfig? {
        guard let url = form.filled("send_hook.url") else { return nil }
        return SendHookConfig(url: url, ifUnavailable: try form.choice("send_hook.if_unavailable", [.allow, .deny]))
    }
}
