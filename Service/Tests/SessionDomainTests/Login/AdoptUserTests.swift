import SessionDomain
import SessionTokens
import Testing

@Suite("Adopting a user of an earlier system")
struct AdoptUserTests {
    private func newcomer(
        _ identifiers: [CanonicalIdentifier], externalID: String? = nil, profile: [String: JSONValue] = [:]
    ) throws -> User {
        User(
            id: "usr_new", appID: try appID(), externalID: externalID, profile: profile, identifiers: identifiers,
            createdAt: now)
    }

    private func adopt(_ user: User, owners: [User]) throws -> Decision<AdoptUserOutcome> {
        AdoptUser(newUser: user, now: now, events: try TestApp.events()).decide(FoundRows { $0.owners = owners })
    }

    @Test("A user without an owner is created, with the event")
    func created() throws {
        let user = try newcomer([try TestApp.mail()], externalID: "ext", profile: ["a": "b"])
        #expect(
            try adopt(user, owners: [])
                == Decision(
                    .adopted(user),
                    [
                        .insertUser(user, passwordHash: nil), .insertIdentifier(try TestApp.mail(), of: user),
                        .append(try TestApp.events().userCreated(user)),
                    ]))
    }

    @Test("An existing user gets the other identifiers and the external id, and keeps the profile")
    func extended() throws {
        var existing = try TestApp.user([try TestApp.mail()])
        existing.profile = ["kept": "yes"]
        var next = existing
        next.identifiers.append(try TestApp.phone())
        next.externalID = "ext"
        next.updatedAt = now
        let user = try newcomer(
            [try TestApp.phone(), try TestApp.mail()], externalID: "ext", profile: ["kept": "no", "new": "yes"])
        #expect(
            try adopt(user, owners: [existing])
                == Decision(
                    .adopted(next),
                    [
                        .insertIdentifier(try TestApp.phone(), of: existing),
                        .append(try TestApp.events().identifierCreated(try TestApp.phone(), of: existing.id)),
                        .replaceUser(existing, with: next),
                    ]))
    }

    @Test("An existing user that has everything stays unchanged")
    func unchanged() throws {
        var existing = try TestApp.user([try TestApp.mail(), try TestApp.phone()])
        existing.externalID = "ext"
        for externalID in [nil, "ext"] {
            let user = try newcomer([try TestApp.mail()], externalID: externalID)
            #expect(try adopt(user, owners: [existing]) == Decision(.adopted(existing)))
        }
    }

    @Test("An inactive user stays unchanged", arguments: [User.Status.inactive, .suspended])
    func inactive(status: User.Status) throws {
        let existing = try TestApp.user([try TestApp.mail()], status: status)
        let user = try newcomer([try TestApp.mail(), try TestApp.phone()], externalID: "ext")
        #expect(try adopt(user, owners: [existing]) == Decision(.adopted(existing)))
    }

    @Test("Two owners, another external id, or an eleventh identifier are a conflict")
    func conflicts() throws {
        var existing = try TestApp.user([try TestApp.mail()])
        let other = User(id: "usr_2", appID: try appID(), identifiers: [try TestApp.phone()], createdAt: now)
        let both = try newcomer([try TestApp.mail(), try TestApp.phone()])
        #expect(try adopt(both, owners: [existing, other]) == Decision(.conflict))
        existing.externalID = "other"
        let named = try newcomer([try TestApp.phone(), try TestApp.mail()], externalID: "ext")
        #expect(try adopt(named, owners: [existing]) == Decision(.conflict))
        let numbers = try (0..<10).map { try TestApp.phone("+1415555010\($0)") }
        #expect(
            try adopt(try newcomer(numbers), owners: [try TestApp.user([try TestApp.mail()])]) == Decision(.conflict))
        guard
            case .adopted(let full) = try adopt(
                try newcomer(Array(numbers.dropLast())), owners: [try TestApp.user([try TestApp.mail()])]
            ).outcome
        else {
            Issue.record("ten identifiers are rejected")
            return
        }
        #expect(full.identifiers.count == 10)
    }
}
