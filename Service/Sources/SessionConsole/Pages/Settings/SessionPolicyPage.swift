import SessionDomain

/// The lifetimes and bindings of sessions and tokens.
enum SessionPolicyPage {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/sessions", show)
        routes.appForm("/sessions", on: show, save)
    }

    @Sendable static func show(_ visit: AppVisit) async throws -> Page {
        let policy = visit.app.sessions
        func seconds(_ form: FormView, _ name: String, _ label: String, _ value: Int, _ hint: String) -> HTML {
            form.number(name, label + ", in seconds", value, hint: "\(hint) Now \(Show.duration(value)).")
        }
        return Page("Sessions", app: visit.app, section: .sessions) {
            H.section(.class("card")) {
                FormView.form(
                    visit.visit, visit.path / "sessions", id: "sessions", submit: "Save", replacing: visit.app
                ) { form in
                    form.group("Lifetimes") {
                        seconds(
                            form, "idle_lifetime", "Unused session", policy.idleLifetime, "It ends after this time.")
                        seconds(
                            form, "absolute_lifetime", "Every session", policy.absoluteLifetime,
                            "It ends after this time, used or not.")
                        seconds(
                            form, "access_token_lifetime", "Access token", policy.accessTokenLifetime, "60 to 900.")
                        form.number(
                            "maximum_sessions", "Sessions of one user", policy.maximumSessions,
                            hint: "One more login ends the session that was unused longest.")
                    }
                    form.group("Binding to the device") {
                        form.choice(
                            "device_key", "Key of the device",
                            [("optional", "Optional: browsers may sign in without one"), ("required", "Required")],
                            selected: policy.deviceKey.rawValue)
                        form.choice(
                            "access_token_binding", "Access tokens",
                            [("none", "Not bound"), ("dpop", "Bound: each use needs a proof (DPoP)")],
                            selected: policy.accessTokenBinding.rawValue)
                        form.choice(
                            "nonce_policy", "Nonce of proofs",
                            [("when_needed", "When the clock of the device is wrong"), ("always", "Always")],
                            selected: policy.noncePolicy.rawValue)
                        seconds(
                            form, "proof_window", "Age of a proof", policy.proofWindow,
                            "A proof may differ so much from the time.")
                    }
                    form.group("Lost answers") {
                        form.number(
                            "bound_grace", "Repetition with a key, in seconds", policy.boundGrace, isRequired: false,
                            hint:
                                "A client with a key and without attempt ids gets a lost answer again. Empty: until it "
                                + "has used the next token.")
                        seconds(
                            form, "unbound_grace", "Repetition without a key", policy.unboundGrace,
                            "A browser without a key gets a lost answer again.")
                    }
                }
            }
        }
    }

    @Sendable private static func save(_ visit: AppVisit, _ form: FormBody) async throws -> FormOutcome {
        var policy = SessionPolicy()
        policy.idleLifetime = try form.number("idle_lifetime")
        policy.absoluteLifetime = try form.number("absolute_lifetime")
        policy.accessTokenLifetime = try form.number("access_token_lifetime")
        policy.maximumSessions = try form.number("maximum_sessions")
        policy.deviceKey = try form.choice("device_key", [.optional, .required])
        policy.accessTokenBinding = try form.choice("access_token_binding", [.bearer, .dpop])
        policy.noncePolicy = try form.choice("nonce_policy", [.whenNeeded, .always])
        policy.proofWindow = try form.number("proof_window")
        policy.boundGrace = try form.numberIfFilled("bound_grace")
        policy.unboundGrace = try form.number("unbound_grace")
        let next = policy
        try next.validate()
        if let page = try await SettingsConfirmation.page(
            "Save these settings", form, to: visit.path / "sessions", in: .sessions,
            consequences: SessionConsequences.of(next, replacing: visit.app.sessions), visit)
        {
            return page
        }
        try await visit.service.apps.update(visit.app.id) { app in
            app.sessions = next
        }
        return .redirect(visit.path / "sessions", .saved)
    }
}
