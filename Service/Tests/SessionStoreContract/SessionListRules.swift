internal import SessionDomain
internal import Testing

enum SessionListRules {
    static let all: [ContractRule] = [
        ContractRule("Sessions are listed last seen first, page by page, with their total") { world async throws in
            let user = try await world.addUser()
            var sessions: [Session] = []
            for index in 0..<5 { sessions.insert(try await world.signIn(user, at: world.now + index), at: 0) }
            let page = try await list(user, world, limit: 2, offset: 1)
            #expect(page.sessions == Array(sessions[1...2]))
            #expect(page.total == 5)
            // The oldest session is now the last one seen.
            _ = try await world.rotate(sessions[4], proof: world.proof("a"), after: 60)
            #expect(try await list(user, world).sessions.first?.id == sessions[4].id)
        },
        ContractRule("Sessions are listed after a place, last seen first, without those that have ended") {
            world async throws in
            let user = try await world.addUser()
            var sessions: [Session] = []
            for index in 0..<4 { sessions.insert(try await world.signIn(user, at: world.now + index / 2), at: 0) }
            sessions.sort { ($0.lastSeenAt, $0.id) > ($1.lastSeenAt, $1.id) }
            _ = try await world.signIn(try await world.addUser("bob@example.com"))
            let place = ListPlace(time: sessions[0].lastSeenAt, id: sessions[0].id)
            func page(_ limit: Int) async throws -> [Session] {
                try await world.store.sessions(of: user.id, app: world.app, now: world.now, after: place, limit: limit)
            }
            #expect(try await page(2) == Array(sessions[1...2]))
            #expect(try await revoke(.one(sessions[1].id), of: user, world) == 1)
            #expect(try await page(10) == Array(sessions[2...3]))
            let elsewhere = try await world.store.sessions(
                of: user.id, app: world.otherApp, now: world.now, after: place, limit: 10)
            #expect(elsewhere.isEmpty)
        },
        ContractRule("Sessions are listed by device, kind of device and country, with their total and after a place") {
            world async throws in
            let (user, other) = (try await world.addUser(), try await world.addUser("bob@example.com"))
            let (phone, laptop) = ("2b1f0c1e-0000-4000-8000-000000000001", "2b1f0c1e-0000-4000-8000-000000000002")
            let devices = [
                Device(id: phone, type: "mobile", countryCode: "FR"),
                Device(id: laptop, type: "desktop", countryCode: "FR"),
                Device(id: phone, type: "mobile", countryCode: "DE"), Device(),
            ]
            var sessions: [Session] = []
            for (index, device) in devices.enumerated() {
                sessions.append(try await world.signIn(user, device: device, at: world.now + index))
                _ = try await world.signIn(other, device: device, at: world.now + index)
            }
            for (filter, expected) in [
                (SessionFilter(), [3, 2, 1, 0]), (SessionFilter(deviceID: phone), [2, 0]),
                (SessionFilter(deviceType: "desktop"), [1]), (SessionFilter(deviceType: "unknown"), [3]),
                (SessionFilter(countryCode: "FR"), [1, 0]),
                (SessionFilter(deviceID: phone, deviceType: "mobile", countryCode: "DE"), [2]),
                (SessionFilter(deviceID: laptop, countryCode: "DE"), []),
            ] {
                let now = world.now + 4
                let page = try await world.store.sessions(
                    of: user.id, app: world.app, filter: filter, now: now, limit: 1, offset: 0)
                #expect(page.total == expected.count && page.sessions == expected.prefix(1).map { sessions[$0] })
                let last = ListPlace(time: sessions[3].lastSeenAt, id: sessions[3].id)
                let rest = try await world.store.sessions(
                    of: user.id, app: world.app, filter: filter, now: now, after: last, limit: 10)
                #expect(rest == expected.filter { $0 != 3 }.map { sessions[$0] }, "\(filter)")
            }
        },
        ContractRule("A list never shows another user's or another app's sessions (R10)") { world async throws in
            let (ada, bob) = (try await world.addUser(), try await world.addUser("bob@example.com"))
            let elsewhere = try await world.addUser(app: world.otherApp)
            let mine = try await world.signIn(ada)
            for user in [bob, elsewhere] { _ = try await world.signIn(user) }
            #expect(try await list(ada, world).sessions == [mine])
            let posing = User(id: ada.id, appID: world.otherApp, identifiers: [], createdAt: world.now)
            #expect(try await list(posing, world).total == 0)
            let nobody = User(id: "", appID: world.app, identifiers: [], createdAt: world.now)
            #expect(try await list(nobody, world).total == 0)
        },
        ContractRule("A list shows no ended session") { world async throws in
            let user = try await world.addUser()
            let (live, revoked) = (try await world.signIn(user), try await world.signIn(user))
            _ = try await world.signIn(user, idle: 1)
            #expect(try await revoke(.one(revoked.id), of: user, world) == 1)
            let page = try await list(user, world)
            #expect(page.sessions == [live])
            #expect(page.total == 1)
        },
        ContractRule("One session, all but one, and all are ended with one event each") { world async throws in
            let user = try await world.addUser()
            var sessions: [Session] = []
            for _ in 0..<4 { sessions.append(try await world.signIn(user)) }
            let before = try await world.happened().count
            #expect(try await revoke(.one(sessions[0].id), of: user, world) == 1)
            #expect(try await revoke(.one(sessions[0].id), of: user, world) == 0)
            #expect(try await revoke(.allBut(sessions[1].id), of: user, world) == 2)
            #expect(try await list(user, world).sessions == [sessions[1]])
            #expect(try await revoke(.all, of: user, world) == 1)
            #expect(try await revoke(.all, of: user, world) == 0)
            // The last call found no session, and has ended begun logins.
            let ended = [Event.Name](repeating: .sessionRevoked, count: 4) + [.loginsVoided]
            #expect(try await world.happened().dropFirst(before) == ended[...])
        },
        ContractRule("A session of another user cannot be ended, and an unknown id matches no session (R10)") {
            world async throws in
            let (ada, bob) = (try await world.addUser(), try await world.addUser("bob@example.com"))
            let session = try await world.signIn(ada)
            #expect(try await revoke(.one(session.id), of: bob, world) == 0)
            #expect(try await revoke(.one(""), of: ada, world) == 0)
            let posing = User(id: ada.id, appID: world.otherApp, identifiers: [], createdAt: world.now)
            #expect(try await revoke(.all, of: posing, world) == 0)
            #expect(try await world.isLive(session))
        },
        // Proves: X14
        ContractRule("Of sessions that end all others concurrently, exactly one stays") { world async throws in
            let user = try await world.addUser()
            var sessions: [Session] = []
            for _ in 0..<8 { sessions.append(try await world.signIn(user)) }
            let outcomes = try await concurrently(8) { [sessions] index in
                try await world.store.perform(
                    RevokeSessions(
                        .allBut(sessions[index].id), reason: .revokedByUser, by: sessions[index].id,
                        in: world.change(of: user.id)))
            }
            #expect(outcomes.compactMap { $0 } == [7])
            #expect(try await list(user, world).total == 1)
        },
    ]

    private static func list(
        _ user: User, _ world: ContractWorld, limit: Int = 100, offset: Int = 0
    ) async throws -> (sessions: [Session], total: Int) {
        try await world.store.sessions(
            of: user.id, app: user.appID, now: world.now + 2, limit: limit, offset: offset)
    }

    private static func revoke(
        _ selection: SessionSelection, of user: User, _ world: ContractWorld
    ) async throws -> Int? {
        try await world.store.perform(
            RevokeSessions(selection, reason: .revokedByUser, in: world.change(of: user.id, app: user.appID, after: 2)))
    }
}
