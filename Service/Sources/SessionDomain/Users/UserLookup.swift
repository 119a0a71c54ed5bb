/// The users that one read looks for, by any of their names.
package struct UserLookup: Sendable, Equatable {
    /// The most names of one read.
    package static let maximumNames = 100

    package var ids: [String]
    package var externalIDs: [String]
    package var identifiers: [CanonicalIdentifier]

    package init(ids: [String] = [], externalIDs: [String] = [], identifiers: [CanonicalIdentifier] = []) {
        self.ids = ids
        self.externalIDs = externalIDs
        self.identifiers = identifiers
    }

    /// - Throws: `Refusal.invalidField` without a name, and with too many.
    func validate() throws(Refusal) {
        let count = ids.count + externalIDs.count + identifiers.count
        guard (1...Self.maximumNames).contains(count) else {
            throw .invalidField(
                "body", "must name 1 to \(Self.maximumNames) users in user_ids, external_ids and identifiers")
        }
    }

    /// The names that none of these users has.
    package func names(missingIn users: [User]) -> UserLookup {
        let (ids, externalIDs) = (Set(users.map(\.id)), Set(users.compactMap(\.externalID)))
        let keys = Set(users.flatMap(\.identifiers).map(\.key))
        return UserLookup(
            ids: self.ids.filter { !ids.contains($0) },
            externalIDs: self.externalIDs.filter { !externalIDs.contains($0) },
            identifiers: identifiers.filter { !keys.contains($0.key) })
    }
}
