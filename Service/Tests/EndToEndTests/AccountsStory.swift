import PreludeSession
import PreludeSessionTesting
import Testing

/// One app with several accounts at one service: each in a credential space of its own.
@Suite("Several accounts on one device", .eachStore)
struct AccountsStory {
    // Proves: E11
    @Test("Accounts in different spaces of one store are signed in side by side, also after a relaunch")
    func sideBySide() async throws {
        let world = try await ServiceWorld()
        let store = PreludeInMemoryCredentialStore()
        let ada = try await world.signIn(try world.client(store: store, credentialSpace: "ada"), as: "ada@example.com")
        let grace = try await world.signIn(
            try world.client(store: store, credentialSpace: "grace"), as: "grace@example.com")
        #expect(ada.userID != grace.userID)
        for (space, user) in [("ada", ada), ("grace", grace)] {
            let relaunched = try world.client(store: store, credentialSpace: space)
            #expect(try await relaunched.refresh().userID == user.userID)
            try await relaunched.invalidateSession()
            #expect(try await relaunched.refresh().userID == user.userID)
            #expect(try await relaunched.listSessions().total == 1)
        }
        #expect(await (try world.client(store: store, credentialSpace: nil)).profile == nil)
    }

    // Proves: E11
    @Test("A logout in one space leaves the others signed in, and clients of one space share a session")
    func logout() async throws {
        let world = try await ServiceWorld()
        let store = PreludeInMemoryCredentialStore()
        let first = try world.client(store: store, credentialSpace: "ada")
        try await world.signIn(first, as: "ada@example.com")
        let other = try world.client(store: store, credentialSpace: nil)
        try await world.signIn(other, as: "grace@example.com")
        let same = try world.client(store: store, credentialSpace: "ada")
        #expect(await same.sessionID == (await first.sessionID))
        try await first.logout()
        #expect(await (try world.client(store: store, credentialSpace: "ada")).profile == nil)
        try await other.invalidateSession()
        #expect(try await other.refresh().userID == (await other.profile)?.userID)
    }
}
