import SessionDomain
import SessionHTTP
import SessionTokens

/// The claims that an app adds to its access tokens, with a preview of the token.
enum ClaimsPage {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/claims", show)
        routes.appForm("/claims", on: show, submit)
    }

    @Sendable static func show(_ visit: AppVisit) async throws -> Page {
        let stored = ClaimRow.rows(of: visit.app.claims)
        let rows = visit.visit.problem.map { ClaimRow.rows(in: $0.entered) } ?? stored
        let choice = TokenChoice(visit.visit.problem?.entered ?? visit.visit.query)
        // A refused form has its message already, so the token below it is the one of the stored claims.
        let preview: TokenChoice.Shown
        do {
            preview = .token(try await choice.preview(try ClaimRow.mapping(stored), visit), "The stored claims")
        } catch let refusal as Refusal {
            preview = .problem(Show.sentence(refusal.message))
        }
        return page(visit, rows, choice, preview)
    }

    @Sendable private static func submit(_ visit: AppVisit, _ form: FormBody) async throws -> FormOutcome {
        let rows = ClaimRow.rows(in: form)
        let mapping = try ClaimRow.mapping(rows)
        if form.isChecked("preview") {
            let choice = TokenChoice(form)
            let token = try await choice.preview(mapping, visit)
            return .page(page(visit, rows, choice, .token(token, "The claims as entered, which are not saved yet")))
        }
        if let page = try await SettingsConfirmation.page(
            "Save the claims", form, to: visit.path / "claims", in: .claims,
            consequences: removals(mapping, visit), visit)
        {
            return page
        }
        if visit.app.claims == nil {
            _ = try await visit.service.claims.create(mapping, app: visit.app.id)
        } else {
            _ = try await visit.service.claims.replace(mapping, app: visit.app.id)
        }
        return .redirect(visit.path / "claims", .saved)
    }

    /// What tokens lose.
    private static func removals(_ next: [String: JSONValue], _ visit: AppVisit) -> [String] {
        let removed = (visit.app.claims?.mapping ?? [:]).filter { name, source in
            if case .literal(let value) = source, isEmpty(value) { return false }
            return next[name].map(isEmpty) ?? true
        }.keys.sorted()
        guard !removed.isEmpty else { return [] }
        return [
            "No later access token has a value for \(removed.joined(separator: ", ")). Backends that need the claim reject these "
                + "tokens, of all users.",
            "Tokens that were issued keep it, for at most "
                + "\(Show.duration(visit.app.sessions.accessTokenLifetime)). No user is signed out.",
        ]
    }

    private static func isEmpty(_ value: JSONValue) -> Bool {
        switch value {
        case .null: true
        case .string(let text): text.allSatisfy(\.isWhitespace)
        case .array(let elements): elements.isEmpty
        case .object(let members): members.isEmpty
        default: false
        }
    }

    private static func page(
        _ visit: AppVisit, _ rows: [ClaimRow], _ choice: TokenChoice, _ preview: TokenChoice.Shown
    ) -> Page {
        Page("Claims", app: visit.app, section: .claims) {
            H.p(.class("lead")) {
                "Claims of your own in every access token, so that a backend knows more about the user without a call."
            }
            H.div(.class("beside")) {
                H.div { if visit.visit.canWrite { form(visit, rows, choice) } else { table(rows, choice, visit) } }
                card(preview)
            }
        }
    }

    private static func form(_ visit: AppVisit, _ rows: [ClaimRow], _ choice: TokenChoice) -> HTML {
        // Three rows more than there are claims, because the page has no script that adds one.
        let filled = rows.filter { $0 != ClaimRow() }
        let count = min(max(rows.count, filled.count + 3), ClaimsConfig.maximumCount)
        let shown = rows + Array(repeating: ClaimRow(), count: max(0, count - rows.count))
        return H.section(.class("card")) {
            FormView.form(
                visit.visit, visit.path / "claims", id: "claims", submit: "Save",
                other: (name: "preview", text: "Preview the token"), replacing: visit.app
            ) { form in
                H.p(.class("hint")) {
                    "A claim without a name is left out. A value that a user or client does not have is null. The page has "
                    "more rows when these are saved."
                }
                for (index, row) in shown.enumerated() {
                    form.group("Claim \(index + 1)") {
                        H.div(.class("row")) {
                            form.text(ClaimRow.field(index, "name"), "Name", row.name)
                            form.choice(
                                ClaimRow.field(index, "source"), "Value", ClaimRow.sources, selected: row.source)
                            form.text(ClaimRow.field(index, "value"), "Text, JSON or key", row.value)
                            form.choice(ClaimRow.field(index, "type"), "Written", ClaimRow.types, selected: row.type)
                        }
                    }
                }
                form.group("Preview for") { choice.fields(form) }
            }
        }
    }

    private static func table(_ rows: [ClaimRow], _ choice: TokenChoice, _ visit: AppVisit) -> HTML {
        HTML(joining: [
            rows.isEmpty
                ? Show.empty("No claim is mapped", "Access tokens have the claims of the service only.")
                : TableView.html(
                    "Claims of this app", columns: ["Name", "Value"],
                    rows.map { row in TableView.Row(H.bdi { row.name }, H.bdi { row.meaning }) }),
            choice.search(visit.path / "claims"),
        ])
    }

    private static func card(_ shown: TokenChoice.Shown) -> HTML {
        Show.card("Preview of an access token") {
            switch shown {
            case .problem(let message): H.p(.class("message warn")) { message }
            case .token(let token, let claims):
                H.p(.class("hint")) {
                    claims
                        + ", for a new session without scopes of a client in France. The preview is not signed, so no "
                        + "backend accepts it."
                }
                H.h3 { "Header" }
                H.pre { H.code { JSONText.pretty(.object(token.header)) } }
                H.h3 { "Payload" }
                H.pre { H.code { JSONText.pretty(.object(token.payload)) } }
                let missing = token.payload.filter { $0.value == .null }.keys.sorted()
                if !missing.isEmpty {
                    H.p(.class("message warn")) {
                        missing.joined(separator: ", ") + (missing.count == 1 ? " is null" : " are null")
                            + ": this user or client has no such value, or the claims are too long together."
                    }
                }
            }
        }
    }
}
