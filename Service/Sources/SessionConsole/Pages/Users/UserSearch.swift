import SessionDomain

/// Finds a user by a text that an operator enters.
enum UserSearch {
    /// A text is an identifier, a user id or an external id. Users are found by the whole text only: identifiers are
    /// compared in their canonical form.
    static func user(_ text: String, in visit: AppVisit) async throws -> User? {
        let (users, app) = (visit.service.users, visit.app.id)
        var tries: [() async throws -> User] = []
        if text.contains("@") || text.hasPrefix("+") {
            let type: IdentifierType = text.hasPrefix("+") ? .phoneNumber : .emailAddress
            tries.append {
                try await users.user(
                    with: CanonicalIdentifier(type: type.rawValue, value: text, isSearched: true), app: app)
            }
        }
        tries.append { try await users.user(text, app: app) }
        tries.append { try await users.user(externalID: text, app: app) }
        for attempt in tries {
            do {
                return try await attempt()
            } catch is Refusal {
                continue
            }
        }
        return nil
    }
}
