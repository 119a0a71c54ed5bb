import Foundation
import SessionDomain
import SessionHTTP
import SessionTokens

/// The claims that an app adds to its access tokens, with a preview of the token.
enum ClaimsPage {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/claims", show)
        routes.appForm("/claims", on: show, submit)
    }

    @Sendable static func show(_ console: ConsoleAppContext) async throws -> Page {
        let stored = ClaimRow.rows(of: console.app.claims)
        let rows = console.context.problem.map { ClaimRow.rows(in: $0.entered) } ?? stored
        let choice = TokenChoice(console.context.problem?.entered ?? console.context.query)
        // A refused form has its message already, so the token below it is the one of the stored claims.
        let preview: TokenChoice.Shown
        do {
            preview = .token(try await choice.preview(try ClaimRow.mapping(stored), console), "The stored claims")
        } catch let refusal as Refusal {
            preview = .problem(Format.sentence(refusal.message))
        }
        return page(console, rows, choice, preview)
    }

    @Sendable private static func submit(_ console: ConsoleAppContext, _ form: FormBody) async throws -> FormOutcome {
        let rows = ClaimRow.rows(in: form)
        let mapping = try ClaimRow.mapping(rows)
        if form.isChecked("preview") {
            let choice = TokenChoice(form)
            let token = try await choice.preview(mapping, console)
            return .page(page(console, rows, choice, .token(token, "The claims as entered, which are not saved yet")))
        }
        if let page = try await SettingsConfirmation.page(
            "Save the claims", form, to: console.path / "claims", in: .claims,
            consequences: removals(mapping, console), console)
        {
            return page
        }
        if console.app.claims == nil {
            _ = try await console.service.claims.create(mapping, app: console.app.id)
        } else {
            _ = try await console.service.claims.replace(mapping, app: console.app.id)
        }
        return .redirect(console.path / "claims", .saved)
    }

    /// What tokens lose.
    private static func removals(_ next: [String: JSONValue], _ console: ConsoleAppContext) -> [String] {
        let removed = (console.app.claims?.mapping ?? [:]).filter { name, source in
            if case .literal(let value) = source, isEmpty(value) { return false }
            return next[name].map(isEmpty) ?? true
        }.keys.sorted()
        guard !removed.isEmpty else { return [] }
        return [
            "No later access token has a value for \(removed.joined(separator: ", ")). Backends that need the claim reject these "
                + "tokens, of all users.",
            "Tokens that were issued keep it, for at most "
                + "\(Format.duration(console.app.sessions.accessTokenLifetime)). No user is signed out.",
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
        _ console: ConsoleAppContext, _ rows: [ClaimRow], _ choice: TokenChoice, _ preview: TokenChoice.Shown
    ) -> Page {
        Page("Claims", app: console.app, section: .claims) {
            H.p(.class("lead")) {
                "Claims of your own in every access token, so that a backend knows more about the user without a call."
            }
            H.div(.class("beside")) {
                H.div {
                    if console.context.canWrite { form(console, rows, choice) } else { table(rows, choice, console) }
                }
                card(preview)
            }
        }
    }

    private static func form(_ console: ConsoleAppContext, _ rows: [ClaimRow], _ choice: TokenChoice) -> HTML {
        // Three rows more than there are claims, because the page has no script that adds one.
        let filled = rows.filter { $0 != ClaimRow() }
        let count = min(max(rows.count, filled.count + 3), ClaimsConfig.maximumCount)
        let shown = rows + Array(repeating: ClaimRow(), count: max(0, count - rows.count))
        return H.section(.class("card")) {
            FormView.form(
                console.context, console.path / "claims", id: "claims", submit: "Save",
                other: (name: "preview", text: "Preview the token"), replacing: console.app
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

    private static func table(_ rows: [ClaimRow], _ choice: TokenChoice, _ console: ConsoleAppContext) -> HTML {
        HTML(joining: [
            rows.isEmpty
                ? Format.empty("No claim is mapped", "Access tokens have the claims of the service only.")
                : TableView.html(
                    "Claims of this app", columns: ["Name", "Value"],
                    rows.map { row in TableView.Row(H.bdi { row.name }, H.bdi { row.meaning }) }),
            choice.search(console.path / "claims"),
        ])
    }

    private static func card(_ shown: TokenChoice.Shown) -> HTML {
        Format.card("Preview of an access token") {
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

/// Whose token a preview shows.
struct TokenChoice: Sendable {
    /// What the page shows.
    enum Shown {
        /// A token, and which claims it has.
        case token(TokenPreviews.Preview, String)
        case problem(String)
    }

    private static let (userField, clientField) = ("user", "client")

    private let user: String?
    private let client: String?

    init(_ form: FormBody) {
        user = form.filled(Self.userField)
        client = form.filled(Self.clientField)
    }

    func preview(_ mapping: [String: JSONValue], _ console: ConsoleAppContext) async throws -> TokenPreviews.Preview {
        guard let kind = TokenPreviews.Client(rawValue: client ?? TokenPreviews.Client.withKey.rawValue) else {
            throw Refusal.invalidField(Self.clientField, "must be one of the list")
        }
        var found: User?
        if let user {
            found = try await UserSearch.user(user, in: console)
            guard found != nil else { throw Refusal.invalidField(Self.userField, "is not a user of this app") }
        }
        return try await console.service.tokenPreviews.preview(mapping, user: found, client: kind, app: console.app.id)
    }

    func fields(_ form: FormView) -> HTML {
        HTML(joining: [
            form.text(
                Self.userField, "User", user,
                hint: "E-mail address, phone number with +, user id or external id. Empty: an example."),
            form.choice(Self.clientField, "Client", Self.clients, selected: client ?? Self.clients[0].value),
        ])
    }

    /// The same choice for operators who may only read: it changes nothing.
    func search(_ path: ConsolePath) -> HTML {
        H.form(.methodGet, .action(path), .role("search"), .aria(label: "Preview for")) {
            H.div(.class("row")) {
                H.div(.class("field")) {
                    H.label(.for("preview-user")) { "Preview for the user" }
                    H.input(
                        .type("search"), .id("preview-user"), .name(Self.userField), .value(user ?? ""),
                        .autocomplete("off"), .spellcheckOff)
                }
                H.div(.class("actions")) { H.button(.type("submit")) { "Preview the token" } }
            }
        }
    }

    private static let clients: [(value: String, label: String)] = [
        (TokenPreviews.Client.withKey.rawValue, "An app, or a browser with a key"),
        (TokenPreviews.Client.withoutKey.rawValue, "A browser without a key"),
    ]
}

/// One claim in the form of the claims: its name, where its value comes from, and the value or key.
struct ClaimRow: Equatable {
    var name = ""
    var source = ClaimRow.text
    var value = ""
    var type = ""

    /// Sources beside those of `ClaimInput`.
    static let (text, json, profile) = ("text", "json", "profile")

    static let sources: [(value: String, label: String)] = [
        (text, "A fixed text"), (json, "Fixed JSON"), (profile, "A profile key"),
        (ClaimInput.userID.rawValue, "The user's id"), (ClaimInput.emails.rawValue, "The user's e-mail addresses"),
        (ClaimInput.phoneNumbers.rawValue, "The user's phone numbers"),
        (ClaimInput.countryCode.rawValue, "The client's country"),
        (ClaimInput.locales.rawValue, "The client's languages"), (ClaimInput.ip.rawValue, "The client's IP address"),
    ]

    static let types: [(value: String, label: String)] = [
        ("", "As it is"), (ClaimType.string.rawValue, "The first one, as a text"),
        (ClaimType.array.rawValue, "As a list"),
    ]

    init() {}

    init(_ name: String, _ stored: ClaimSource) {
        self.name = name
        switch stored {
        case .literal(.string(let text)) where Self.fits(text): value = text
        case .literal(let other): (source, value) = (Self.json, Self.written(other))
        case .customClaim(let key) where Self.fits(key): (source, value) = (Self.profile, key)
        case .customClaim(let key): (source, value) = (Self.json, Self.written(Self.reference(to: key)))
        case .input(let input, let type): (source, self.type) = (input.rawValue, type?.rawValue ?? "")
        }
    }

    /// Whether a field of one line keeps a text. It would lose line breaks; as JSON they are written as escapes.
    private static func fits(_ text: String) -> Bool { !text.utf8.contains { $0 == 0x0A || $0 == 0x0D } }

    private static func written(_ value: JSONValue) -> String {
        (try? TokenJSON.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// The value of the management API that stands for a profile key.
    private static func reference(to key: String) -> JSONValue { .object(["$custom_claim": .string(key)]) }

    /// What the claim contains, in words.
    var meaning: String {
        let label = Self.sources.first { $0.value == source }?.label ?? source
        let written = Self.types.first { $0.value == type && !type.isEmpty }.map { ", " + $0.label.lowercased() }
        return value.isEmpty ? label + (written ?? "") : "\(label): \(value)"
    }
}

// MARK: Reading

extension ClaimRow {
    static func field(_ row: Int, _ part: String) -> String { "claims.\(row).\(part)" }

    /// The claims of the app, sorted by name.
    static func rows(of config: ClaimsConfig?) -> [ClaimRow] {
        (config?.mapping ?? [:]).sorted { $0.key < $1.key }.map { ClaimRow($0.key, $0.value) }
    }

    /// The rows as they were entered, also empty ones.
    static func rows(in form: FormBody) -> [ClaimRow] {
        (0..<ClaimsConfig.maximumCount).prefix { form.text(field($0, "name")) != nil }.map { index in
            var row = ClaimRow()
            row.name = form.filled(field(index, "name")) ?? ""
            row.source = form.text(field(index, "source")) ?? text
            row.value = form.text(field(index, "value")) ?? ""
            row.type = form.text(field(index, "type")) ?? ""
            return row
        }
    }

    /// The mapping as the management API reads it. `ClaimsManagement` validates it.
    ///
    /// - Throws: `Refusal.invalidField` with the field of the row. A row without a name must be empty.
    static func mapping(_ rows: [ClaimRow]) throws(Refusal) -> [String: JSONValue] {
        var mapping: [String: JSONValue] = [:]
        for (index, row) in rows.enumerated() {
            guard !row.name.isEmpty else {
                guard row.value.isEmpty else { throw .invalidField(field(index, "name"), "is required") }
                continue
            }
            guard mapping[row.name] == nil else { throw .invalidField(field(index, "name"), "is used twice") }
            let value = try row.json(index)
            do {
                _ = try ClaimsManagement.sources([row.name: value])
            } catch {
                throw row.named(error, index)
            }
            mapping[row.name] = value
        }
        return mapping
    }

    /// The refusal of one claim, with the field of its row.
    private func named(_ refusal: Refusal, _ index: Int) -> Refusal {
        guard case .invalidField(let field, let problem) = refusal else { return refusal }
        let isAboutName =
            ClaimsConfig.reserved.contains(name) || name.utf8.count > ClaimsConfig.maximumNameSize
            || !ClaimsConfig.isOneLine(name)
        let part = isAboutName ? "name" : field.hasSuffix(".$type") ? "type" : "value"
        return .invalidField(Self.field(index, part), problem)
    }

    private func json(_ index: Int) throws(Refusal) -> JSONValue {
        guard let input = ClaimInput(rawValue: source) else {
            guard type.isEmpty else {
                throw .invalidField(Self.field(index, "type"), "is for values of the user and the client only")
            }
            switch source {
            case Self.text: return .string(value)
            case Self.profile:
                guard !value.isEmpty else { throw .invalidField(Self.field(index, "value"), "is required") }
                return Self.reference(to: value)
            case Self.json:
                guard let json = try? TokenJSON.decode(JSONValue.self, from: Data(value.utf8)) else {
                    throw .invalidField(Self.field(index, "value"), "must be JSON, such as 3, true or [1, 2]")
                }
                return json
            default: throw .invalidField(Self.field(index, "source"), "must be one of the list")
            }
        }
        guard value.isEmpty else {
            throw .invalidField(Self.field(index, "value"), "must be empty: the value comes from the source")
        }
        var members: [String: JSONValue] = ["$input": .string(input.rawValue)]
        if !type.isEmpty { members["$type"] = .string(type) }
        return .object(members)
    }
}
