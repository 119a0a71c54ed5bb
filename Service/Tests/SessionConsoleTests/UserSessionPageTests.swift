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

    /// Sessions on some devices, oldest first.
    private func start(_ devices: [Device], of user: User, in world: ConsoleWorld) async throws {
        for device in devices {
            world.clock.advance(by: .seconds(1))
            let now = world.clock.timestamp
            let session = Session(
                id: world.service.environment.newID("ses"), appID: user.appID, userID: user.id, keyThumbprint: nil,
                device: device, createdAt: now, idleExpiresAt: now + 3600, absoluteExpiresAt: now + 3600)
            _ = try await world.service.store.perform(
                StartSession(
                    session: session, challengeID: "challenge of \(session.id)", challengeEpoch: user.loginEpoch,
                    challengeExpiresAt: now + 60, proof: nil, previousSessionID: nil, maximumSessions: 100, now: now,
                    events: EventFactory(appID: user.appID, environment: world.service.environment)))
        }
    }

    @Test("Sessions are filtered by device, type and country, also on later parts, and all but the listed ones stay")
    func filters() async throws {
        let world = try await ConsoleWorld()
        let app = try #require(AppID("testapp"))
        let user = try await world.service.users.create(
            app: app, identifiers: [CanonicalIdentifier(type: "email_address", value: "ada@example.com")])
        let path = ConsoleWorld.app + "/users/" + user.id
        var (browser, _) = try await world.operatorBrowser()
        #expect(try await !browser.get(path).text.contains("filter-device_type"))
        let id = "2b1f0c1e-0000-4000-8000-000000000001"
        let phones = Array(repeating: Device(model: "Phone", type: "mobile", countryCode: "FR"), count: 26)
        try await start(
            [Device(id: id, model: "Tower", type: "desktop", countryCode: "DE")] + phones, of: user, in: world)
        for query in ["?device_type=desktop&country_code=&device_id=", "?country_code=DE", "?device_id=" + id] {
            let text = try await browser.get(path + query).text
            #expect(text.contains("Active sessions that fit the filter") && text.contains("<bdi>Tower"), "\(query)")
            #expect(text.matches(of: /Revoke the session/).count == 1 && text.contains("Revoke others"), "\(query)")
            #expect(!text.contains("revoke-all") && !text.contains("<bdi>Phone"), "\(query)")
        }
        let first = try await browser.get(path + "?device_type=mobile&country_code=FR").text
        #expect(first.contains("1 to 25 of 26 sessions"))
        #expect(first.contains("\(path)?device_type=mobile&amp;country_code=FR&amp;offset=25"))
        #expect(first.contains("<option value=\"mobile\" selected>") && first.contains("value=\"FR\""))
        let second = try await browser.get(path + "?device_type=mobile&country_code=FR&offset=25").text
        #expect(second.matches(of: /Revoke the session/).count == 1)
        // The sessions of this part have ended meanwhile.
        let gone = try await browser.get(path + "?device_type=desktop&offset=25").text
        #expect(gone.contains("There are no further sessions") && gone.contains(">Show the first ones</a>"))
        #expect(try await browser.get(path).text.contains("revoke-all"))
    }

    @Test("A filter that no session fits has a link that removes it, and an invalid one is named")
    func noMatch() async throws {
        let world = try await ConsoleWorld()
        let (path, _) = try await user("ada@example.com", sessions: 1, in: world)
        var (browser, _) = try await world.operatorBrowser()
        let none = try await browser.get(path + "?country_code=DE")
        #expect(none.status == 200 && none.text.contains("No session fits the filter"))
        #expect(none.text.contains("href=\"\(path)\">Show all sessions</a>"))
        for (query, message) in [
            ("country_code=de", "Country must be two upper-case letters, such as FR."),
            ("device_id=x", "Device id must be a UUID."),
            ("device_type=watch", "Device must be desktop, mobile, tablet or unknown."),
        ] {
            let answer = try await browser.get(path + "?" + query)
            #expect(answer.status == 400 && answer.text.contains(message), "\(query)")
            #expect(!answer.text.contains("Revoke the session") && answer.text.contains("filter-device_id"))
        }
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
