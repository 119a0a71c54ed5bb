@testable import PreludeSession

/// What the SDK does with the record of an attempt, learned by running its real code once for each content of the store.
struct PlayedAttempts {
    private struct Content: Hashable {
        let hasAttempt: Bool
        let isReplacing: Bool
    }

    private static let existing = "existing", new = "new", none = "none"

    private var outcomes: [Content: (used: String, stored: String)] = [:]

    init() async throws {
        for hasAttempt in [false, true] {
            for isReplacing in [false, true] {
                let records = RecordStore(store: PreludeInMemoryCredentialStore(), endpoint: "localhost:8080")
                if hasAttempt { _ = try await records.attempt(for: "token", newID: Self.existing) }
                let used = try await records.attempt(for: "token", newID: Self.new, replacing: isReplacing)
                // The next process stores its own id only if there is none.
                let stored = try await records.attempt(for: "token", newID: Self.none)
                outcomes[Content(hasAttempt: hasAttempt, isReplacing: isReplacing)] = (used, stored)
            }
        }
    }

    /// The attempt id that a request has, and the one in the store.
    func prepare(_ existing: Attempt, new: Attempt, replacing: Bool) -> (used: Attempt, stored: Attempt) {
        let content = Content(hasAttempt: existing != .none, isReplacing: replacing)
        guard let outcome = outcomes[content] else { preconditionFailure("every content has an outcome") }
        let ids = [Self.existing: existing, Self.new: new]
        return (ids[outcome.used] ?? .none, ids[outcome.stored] ?? .none)
    }
}
