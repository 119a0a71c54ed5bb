internal import SessionDomain
internal import Testing

enum AccessRules {
    static let all: [ContractRule] =
        [User.Status.inactive, .suspended].map { status in
            ContractRule("The status \(status) ends all sessions and codes of that user at once (R8)") {
                world async throws in
                let (ada, bob) = (try await world.addUser(), try await world.addUser("bob@example.com"))
                let sessions = [try await world.signIn(ada), try await world.signIn(ada, key: nil)]
                let bobs = try await world.signIn(bob)
                try await world.begin(ada.identifiers[0], token: "token")
                let before = try await world.happened().count
                let updated = try await setStatus(status, of: ada, world)
                #expect(updated?.status == status)
                var expected = try #require(updated)
                expected.loginEpoch = 1
                #expect(try await world.store.user(ada.id, app: world.app) == expected)
                for session in sessions { #expect(try await !world.isLive(session)) }
                #expect(try await world.isLive(bobs))
                #expect(try await world.check("right", token: "token") == .wrong)
                let appended = try await world.happened().dropFirst(before)
                #expect(Array(appended) == [.userStatusChanged, .sessionRevoked, .sessionRevoked])
            }
        } + [
            ContractRule("A user that becomes active again gets no session back") { world async throws in
                let ada = try await world.addUser()
                let session = try await world.signIn(ada)
                _ = try await setStatus(.suspended, of: ada, world)
                let updated = try await setStatus(.active, of: ada, world)
                #expect(updated?.status == .active)
                #expect(try await !world.isLive(session))
            },
            ContractRule("A status that does not change writes no event") { world async throws in
                let ada = try await world.addUser()
                #expect(try await setStatus(.active, of: ada, world) == ada)
                #expect(try await world.happened() == [])
            },
            ContractRule("Status and password of an unknown user cannot be set") { world async throws in
                let ghost = User(id: "usr_ghost", appID: world.app, identifiers: [], createdAt: world.now)
                #expect(try await setStatus(.suspended, of: ghost, world) == nil)
                #expect(try await setPassword("hash", of: ghost, ending: .all, world) == nil)
                #expect(try await world.happened() == [])
            },
            ContractRule("A new password ends running codes of all identifiers and keeps sessions (O12)") {
                world async throws in
                let ada = try await world.addUser()
                let phone = try world.phone("+14155550100")
                _ = try await world.store.perform(AddIdentifier(phone, in: world.change(of: ada.id)))
                let session = try await world.signIn(
                    try #require(try await world.store.user(ada.id, app: world.app)))
                try await world.begin(ada.identifiers[0], token: "by mail")
                try await world.begin(phone, token: "by phone")
                let updated = try await setPassword("hash", of: ada, ending: nil, world)
                #expect(updated?.hasPassword == true)
                #expect(updated?.updatedAt == world.now + 2)
                #expect(try await world.check("right", token: "by mail") == .wrong)
                #expect(try await world.check("right", token: "by phone") == .wrong)
                #expect(try await world.isLive(session))
                #expect(try await world.happened().last == .passwordChanged)
            },
            ContractRule("A new password ends the user's sessions if the caller asks for it") { world async throws in
                let (ada, bob) = (try await world.addUser(), try await world.addUser("bob@example.com"))
                let (session, bobs) = (try await world.signIn(ada), try await world.signIn(bob))
                _ = try await setPassword("hash", of: ada, ending: .all, world)
                #expect(try await !world.isLive(session))
                #expect(try await world.isLive(bobs))
                #expect(try await world.happened().suffix(2) == [.passwordChanged, .sessionRevoked])
            },
            ContractRule("A password hash is upgraded only if it is still the one that was checked") {
                world async throws in
                let ada = try await world.addUser(passwordHash: "cheap")
                func upgrade(from old: String, to new: String) async throws -> String? {
                    try await world.store.perform(UpgradePasswordHash(from: old, to: new, user: ada.id, app: world.app))
                    return try await PasswordTryRules.storedHash(of: ada.identifiers[0], world)
                }
                #expect(try await upgrade(from: "cheap", to: "costly") == "costly")
                #expect(try await upgrade(from: "cheap", to: "late") == "costly")
            },
        ]

    private static func setStatus(
        _ status: User.Status, of user: User, _ world: ContractWorld
    ) async throws -> User? {
        try await world.store.perform(SetUserStatus(status, in: world.change(of: user.id, after: 1)))
    }

    private static func setPassword(
        _ hash: String, of user: User, ending sessions: SessionSelection?, _ world: ContractWorld
    ) async throws -> User? {
        try await world.store.perform(
            SetPassword(hash: hash, ending: sessions, in: world.change(of: user.id, after: 2)))
    }
}
