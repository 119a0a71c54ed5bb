import PreludeSession
import PreludeSessionTesting
import SessionArgon2
import SessionDomain
import SessionHTTP
import Testing

/// What a user reads when something about the account changes, with the SDK on the one side and the mailbox on the other.
@Suite("Notices to users", .eachStore)
struct NoticeStory {
    private static let email = "grace@example.com"
    private static let phone = "+14155550123"
    private static let password = "correct horse battery"

    private func world(_ configure: (inout App) -> Void = { _ in }) async throws -> ServiceWorld {
        let world = try await ServiceWorld(hasher: Argon2PasswordHasher.cheap(), configure: configure)
        _ = try await world.service.users.create(
            app: world.appID,
            identifiers: [
                try CanonicalIdentifier(type: "email_address", value: Self.email),
                try CanonicalIdentifier(type: "phone_number", value: Self.phone),
            ], password: Self.password)
        return world
    }

    /// Delivers what is due. Returns recipient and text of each notice, sorted by recipient.
    private func notices(_ world: ServiceWorld) async throws -> [(to: String, text: String)] {
        try await world.service.messages.deliverDue()
        return world.mailbox.messages.filter { $0.purpose == .notice }.map { ($0.to, $0.text) }.sorted { $0.0 < $1.0 }
    }

    private func signIn(_ world: ServiceWorld) async throws -> PreludeSessionClient {
        let client = try world.client()
        _ = try await client.loginWithPassword(
            LoginWithPasswordOptions(emailAddress: Self.email, password: Self.password))
        return client
    }

    @Test("After a change of the password, each identifier of the user gets a notice without a code")
    func password() async throws {
        let world = try await world()
        try await world.allow("prld:pwd:write")
        let client = try await signIn(world)
        try await client.stepUp("prld:pwd:write", in: world, email: Self.email)
        #expect(try await notices(world).isEmpty)
        try await client.changePassword(RedactedString("staple crystal lantern"))
        let sent = try await notices(world)
        #expect(sent.map(\.to) == [Self.phone, Self.email])
        #expect(sent.allSatisfy { $0.text.contains("password") && !$0.text.contains("://") })
        #expect(world.mailbox.messages.filter { $0.purpose == .notice }.allSatisfy { $0.code == nil })
    }

    @Test(
        "With the notice of new devices turned on, a login from a second device is reported, and no login from the first"
    )
    func newDevice() async throws {
        let world = try await world { $0.messages.notices.newDevice = true }
        let first = try await signIn(world)
        let before = try await notices(world).count
        _ = try await first.loginWithPassword(
            LoginWithPasswordOptions(emailAddress: Self.email, password: Self.password))
        #expect(try await notices(world).count == before)
        _ = try await signIn(world)
        #expect(try await notices(world).count > before)
    }
}
