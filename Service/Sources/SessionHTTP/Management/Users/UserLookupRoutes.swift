import Hummingbird
import SessionDomain
import SessionWire

/// The users that a backend looks for, by any of their names.
struct UserLookupBody: Codable {
    var userIDs: [String]?
    var externalIDs: [String]?
    var identifiers: [Identifier]?

    private enum CodingKeys: String, CodingKey {
        case identifiers
        case userIDs = "user_ids"
        case externalIDs = "external_ids"
    }

    init(_ lookup: UserLookup) {
        userIDs = lookup.ids
        externalIDs = lookup.externalIDs
        identifiers = lookup.identifiers.map(Identifier.init)
    }

    func lookup() throws(Refusal) -> UserLookup {
        for (field, ids) in [("user_ids", userIDs ?? []), ("external_ids", externalIDs ?? [])] {
            for (index, id) in ids.enumerated() { try TextLimit.check(id, "\(field)[\(index)]") }
        }
        var lookup = UserLookup(ids: userIDs ?? [], externalIDs: externalIDs ?? [])
        for (index, identifier) in (identifiers ?? []).enumerated() {
            lookup.identifiers.append(
                try CanonicalIdentifier(identifier, field: "identifiers[\(index)]", isSearched: true))
        }
        return lookup
    }
}

/// The users that were found, and the names that none of them has.
struct UserLookupResultBody: Encodable {
    let users: [UserBody]
    let notFound: UserLookupBody

    private enum CodingKeys: String, CodingKey {
        case users
        case notFound = "not_found"
    }
}

/// Finds up to 100 users with one call.
struct UserLookupRoutes: Sendable {
    let users: UserManagement

    @Sendable func find(_ request: Request, context: OperatorContext) async throws -> Response {
        let lookup = try await request.decodeExactly(UserLookupBody.self).lookup()
        let found = try await users.users(lookup, app: context.appID)
        return try .json(
            UserLookupResultBody(
                users: found.map(UserBody.init), notFound: UserLookupBody(lookup.names(missingIn: found))))
    }
}
