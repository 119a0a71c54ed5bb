import PreludeSessionTesting
import SessionDomain
import Testing

@testable import SessionConsole

@Suite("A user's sessions in the console")
struct UserSessionPageTests {
    /// A user's page, and the ids of the live sessions, last seen first.
    private func user(
        _ email: String, sessions: Int, in world: ConsoleWorld
    ) async throws -> (path: String, ids: [String]) {
        let app = try #require(AppID("testapp"))
        for _ in 0..<sessions { try await world.world.signIn(try world.world.client(), as: email) }
        let user = try await world.service.users.user(
            with: CanonicalIdentifier(type: "email_address", value: email), app: app)
        return (ConsoleWorld.app + "/users/" + user.id, try await ids(user.id, in: world))
    }

    private func ids(_ user: String, in world: ConsoleWorld) async throws -> [String] {
        let app = try #require(AppID("testapp"))
        return try await world.service.users.sessions(of: user, app: app, limit: 100).elements.map(\.id)
    }

    @Test("The page of all but one session says how many end and which one stays, and ends them")
    func others() async throws {
        let world = try await ConsoleWorld()
        let (path, ids) = try await user("ada@example.com", sessions: 3, in: world)
        var (browser, _) = try await world.signedIn(.support)
        #expect(try await browser.get(path).text.contains("/sessions/\(ids[1])/revoke-others\""))
        let page = try await browser.get(path + "/sessions/\(ids[1])/revoke-others")
        #expect(page.status == 200 && page.text.contains("2 other active sessions end at once."))
        #expect(page.text.contains("1 user is signed out on all other devices: ada@example.com."))
        #expect(page.text.contains(" stays, on this device: "))
        #expect(try await browser.post(path + "/sessions/\(ids[1])/revoke-others").status == 303)
        #expect(try await self.ids(String(path.split(separator: "/").last ?? ""), in: world) == [ids[1]])
        let alone = try await browser.get(path).text
        #expect(alone.contains("/sessions/\(ids[1])/revoke\"") && !alone.contains("revoke-others"))
    }

    @Test("The id of an ended session, or of another user's, ends nothing")
    func unknown() async throws {
        let world = try await ConsoleWorld()
        let (path, ids) = try await user("ada@example.com", sessions: 2, in: world)
        let (_, others) = try await user("bob@example.com", sessions: 1, in: world)
        var (browser, _) = try await world.signedIn(.support)
        for id in [others[0], "ses_none", "%2e%2e", "revoke-all"] {
            #expect(try await browser.get(path + "/sessions/\(id)/revoke-others").status == 404, "\(id)")
            #expect(try await browser.post(path + "/sessions/\(id)/revoke-others").status == 404, "\(id)")
        }
        #expect(try await self.ids(String(path.split(separator: "/").last ?? ""), in: world) == ids)
    }
}
