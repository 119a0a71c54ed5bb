import SessionDomain
import SessionTokens

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

    func preview(_ mapping: [String: JSONValue], _ visit: AppVisit) async throws -> TokenPreviews.Preview {
        guard let kind = TokenPreviews.Client(rawValue: client ?? TokenPreviews.Client.withKey.rawValue) else {
            throw Refusal.invalidField(Self.clientField, "must be one of the list")
        }
        var found: User?
        if let user {
            found = try await UserSearch.user(user, in: visit)
            guard found != nil else { throw Refusal.invalidField(Self.userField, "is not a user of this app") }
        }
        return try await visit.service.tokenPreviews.preview(mapping, user: found, client: kind, app: visit.app.id)
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
