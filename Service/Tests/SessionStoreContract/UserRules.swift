internal import SessionDomain
internal import SessionTokens
internal import Testing

enum UserRules {
    static let all: [ContractRule] = [
        ContractRule("A user comes back as created, by id, identifier and external id, in this app only") {
            world async throws in
            let user = User(
                id: "usr_1", appID: world.app, externalID: "ext-1",
                profile: [
                    "name": "Ada", "tags": .array([.int(1), .null, .bool(true)]), "n": .object(["x": .double(0.5)]),
                ],
                identifiers: [try world.phone("+14155550100"), try world.mail("Ada@Example.com")], hasPassword: true,
                createdAt: world.now)
            #expect(try await world.store.perform(CreateUser(user, passwordHash: "hash", events: [])) == .created)
            for (app, expected) in [(world.app, user), (world.otherApp, nil)] {
                #expect(try await world.store.user("usr_1", app: app) == expected)
                #expect(try await world.store.user(with: try world.mail("ada@example.COM"), app: app) == expected)
                #expect(try await world.store.user(externalID: "ext-1", app: app) == expected)
            }
            let stored = try await world.store.user("usr_1", app: world.app)
            #expect(stored?.identifiers.map(\.value) == ["+14155550100", "Ada@Example.com"])
        },
        ContractRule("Unknown ids and identifiers find no user") { world async throws in
            _ = try await world.addUser()
            #expect(try await world.store.user("usr_unknown", app: world.app) == nil)
            #expect(try await world.store.user(with: try world.mail("bob@example.com"), app: world.app) == nil)
            #expect(try await world.store.user(externalID: "", app: world.app) == nil)
        },
        ContractRule("A taken external id undoes the whole creation, events included") { world async throws in
            _ = try await world.addUser(externalID: "ext")
            let second = User(
                id: "usr_2", appID: world.app, externalID: "ext", identifiers: [try world.mail("bob@example.com")],
                createdAt: world.now)
            let outcome = try await world.store.perform(
                CreateUser(
                    second, passwordHash: nil, events: [world.events().userCreated(second)]))
            #expect(outcome == .externalIDTaken)
            #expect(try await world.store.user("usr_2", app: world.app) == nil)
            #expect(try await world.happened() == [])
        },
        ContractRule("Users are listed newest first, page by page, with their total, for their app only") {
            world async throws in
            var users: [User] = []
            for index in 0..<5 {
                users.insert(
                    try await world.addUser("u\(index)@example.com", createdAt: world.now + index / 2), at: 0)
            }
            _ = try await world.addUser("u0@example.com", app: world.otherApp)
            let page = try await world.store.users(app: world.app, status: nil, limit: 2, offset: 1)
            #expect(page.users == Array(users[1...2]))
            #expect(page.total == 5)
            #expect(try await world.store.users(app: world.app, status: nil, limit: 10, offset: 5).users.isEmpty)
        },
        ContractRule("Users with a status are listed, and counted, alone") { world async throws in
            let users = try await [
                world.addUser("u0@example.com"), world.addUser("u1@example.com"), world.addUser("u2@example.com"),
            ]
            for user in users[..<2] {
                _ = try await world.store.perform(SetUserStatus(.suspended, in: world.change(of: user.id)))
            }
            let page = try await world.store.users(app: world.app, status: .suspended, limit: 1, offset: 0)
            #expect(page.users.map(\.status) == [.suspended] && page.total == 2)
            let active = try await world.store.users(app: world.app, status: .active, limit: 10, offset: 0)
            #expect(active.users.map(\.id) == [users[2].id] && active.total == 1)
            #expect(try await world.store.users(app: world.app, status: .inactive, limit: 10, offset: 0).total == 0)
        },
        ContractRule("Users are counted once by the range of an identifier, in their app only") { world async throws in
            for (index, numbers) in [["+33612345678", "+33612345679"], ["+14155550100", "+12125550100"], []]
                .enumerated()
            {
                let identifiers =
                    try numbers.map { try world.phone($0) } + [try world.mail("u\(index)@example.com")]
                let user = User(id: "usr_\(index)", appID: world.app, identifiers: identifiers, createdAt: world.now)
                #expect(try await world.store.perform(CreateUser(user, passwordHash: nil, events: [])) == .created)
            }
            let cases: [(IdentifierType, [Range<String>], Int)] = [
                (.phoneNumber, ["+"..<"+:"], 2), (.emailAddress, [""..<"\u{10FFFF}"], 3), (.phoneNumber, [], 0),
                (.phoneNumber, ["+33"..<"+33:"], 1), (.phoneNumber, ["+1212:"..<"+1415"], 0),
                (.phoneNumber, ["+1"..<"+14155550100"], 1), (.phoneNumber, ["+1415"..<"+1:", "+33"..<"+34"], 2),
                (.emailAddress, ["+"..<"+:"], 0),
            ]
            for (type, ranges, count) in cases {
                let found = try await world.store.users(with: type, in: ranges, app: world.app, among: 100)
                #expect(found.count == count && found.isComplete, "\(ranges)")
                let others = try await world.store.users(with: type, in: ranges, app: world.otherApp, among: 100)
                #expect(others.count == 0)
            }
            let first = try await world.store.users(with: .phoneNumber, in: ["+"..<"+:"], app: world.app, among: 1)
            #expect(first.count == 1 && !first.isComplete, "one number is read, of several")
        },
        ContractRule("Users are counted by what they sign in with, among the newest ones of their app") {
            world async throws in
            let (mail, phone) = (IdentifierType.emailAddress, IdentifierType.phoneNumber)
            let stored: [(Set<IdentifierType>, String?)] = [
                ([mail], nil), ([mail], "hash"), ([phone], nil), ([phone], "hash"), ([mail, phone], nil),
                ([mail, phone], "hash"), ([], "hash"),
            ]
            for (index, (types, hash)) in stored.enumerated() {
                var identifiers: [CanonicalIdentifier] = []
                if types.contains(mail) { identifiers.append(try world.mail("u\(index)@example.com")) }
                if types.contains(phone) { identifiers.append(try world.phone("+1415555010\(index)")) }
                let user = User(
                    id: "usr_\(index)", appID: world.app, identifiers: identifiers, createdAt: world.now + index)
                #expect(try await world.store.perform(CreateUser(user, passwordHash: hash, events: [])) == .created)
            }
            let cases: [(SignInMeans, Int)] = [
                (SignInMeans(), 7), (SignInMeans(password: true), 4), (SignInMeans(password: false), 5),
                (SignInMeans(identifier: mail), 4), (SignInMeans(identifier: phone), 4),
                (SignInMeans(identifier: mail, missing: phone), 2), (SignInMeans(missing: mail), 3),
                (SignInMeans(identifier: mail, missing: phone, password: false), 1),
                (SignInMeans(identifier: mail, password: false), 2),
                (SignInMeans(identifier: phone, password: false), 3),
                (SignInMeans(identifier: phone, password: true), 2),
            ]
            for (means, count) in cases {
                let found = try await world.store.users(with: means, app: world.app, amongNewest: 8)
                #expect(found.count == count && found.isComplete, "\(means)")
                #expect(try await world.store.users(with: means, app: world.otherApp, amongNewest: 8).count == 0)
            }
            let newest = try await world.store.users(
                with: SignInMeans(password: true), app: world.app, amongNewest: 3)
            #expect(newest.count == 2 && !newest.isComplete)
        },
        ContractRule("Users are counted by status among the newest ones of their app") { world async throws in
            #expect(try await world.store.statuses(ofNewest: 3, app: world.app).isEmpty)
            var users: [User] = []
            for index in 0..<4 {
                users.append(try await world.addUser("u\(index)@example.com", createdAt: world.now + index))
            }
            _ = try await world.addUser("u0@example.com", app: world.otherApp)
            for (user, status) in [(users[0], User.Status.suspended), (users[3], .suspended), (users[2], .inactive)] {
                _ = try await world.store.perform(SetUserStatus(status, in: world.change(of: user.id)))
            }
            for (limit, expected) in [
                (1, [User.Status.suspended: 1]), (3, [.suspended: 1, .inactive: 1, .active: 1]),
                (4, [.suspended: 2, .inactive: 1, .active: 1]), (9, [.suspended: 2, .inactive: 1, .active: 1]),
            ] {
                #expect(try await world.store.statuses(ofNewest: limit, app: world.app) == expected)
            }
        },
        ContractRule("Users are listed after a place, newest first, also if no user is at the place") {
            world async throws in
            var users: [User] = []
            for index in 0..<5 {
                users.insert(
                    try await world.addUser("u\(index)@example.com", createdAt: world.now + index / 2), at: 0)
            }
            _ = try await world.addUser("u0@example.com", app: world.otherApp)
            for (index, user) in users.enumerated() {
                let place = ListPlace(time: user.createdAt, id: user.id)
                let page = try await world.store.users(app: world.app, status: nil, after: place, limit: 2)
                #expect(page == Array(users.dropFirst(index + 1).prefix(2)))
            }
            _ = try await world.store.perform(SetUserStatus(.suspended, in: world.change(of: users[4].id)))
            _ = try await world.store.perform(DeleteUser(users[1].id, app: world.app, events: []))
            let place = ListPlace(time: users[1].createdAt, id: users[1].id)
            for (status, expected) in [(nil, [2, 3, 4]), (User.Status.active, [2, 3]), (.suspended, [4])] {
                let page = try await world.store.users(app: world.app, status: status, after: place, limit: 10)
                #expect(page.map(\.id) == expected.map { users[$0].id })
            }
        },
        ContractRule("A lookup finds each user once by id, external id or identifier, in its app only") {
            world async throws in
            let ada = try await world.addUser("ada@example.com", externalID: "a", createdAt: world.now)
            let bob = try await world.addUser("bob@example.com", externalID: "b", createdAt: world.now + 1)
            let eve = try await world.addUser("eve@example.com", createdAt: world.now + 2)
            let lookup = UserLookup(
                ids: [ada.id, "usr_unknown", ada.id], externalIDs: ["a", "b", "c", ""],
                identifiers: [
                    try world.mail("EVE@example.com"), try world.mail("bob@example.com"),
                    try world.phone("+14155550100"),
                ])
            #expect(try await world.store.users(lookup, app: world.app) == [eve, bob, ada])
            #expect(try await world.store.users(lookup, app: world.otherApp).isEmpty)
            #expect(try await world.store.users(UserLookup(), app: world.app).isEmpty)
            #expect(try await world.store.users(UserLookup(ids: [bob.id]), app: world.app) == [bob])
        },
        ContractRule("The ids of an app's users are listed in ascending order, after an id") { world async throws in
            var ids: [String] = []
            for index in 0..<3 { ids.append(try await world.addUser("u\(index)@example.com").id) }
            _ = try await world.addUser("u0@example.com", app: world.otherApp)
            ids.sort()
            #expect(try await world.store.userIDs(app: world.app, after: nil, limit: 10) == ids)
            #expect(try await world.store.userIDs(app: world.app, after: nil, limit: 2) == Array(ids[..<2]))
            #expect(try await world.store.userIDs(app: world.app, after: ids[1], limit: 2) == [ids[2]])
            #expect(try await world.store.userIDs(app: world.app, after: ids[2], limit: 2).isEmpty)
        },
        ContractRule(
            "A deleted user is deleted with identifiers and sessions, no code signs in, and no other user is changed"
        ) {
            world async throws in
            let (ada, bob) = (try await world.addUser(), try await world.addUser("bob@example.com"))
            let (session, bobs) = (try await world.signIn(ada), try await world.signIn(bob))
            try await world.begin(ada.identifiers[0], token: "token")
            try await world.begin(bob.identifiers[0], token: "bob's")
            for (user, name) in [(ada, "ada"), (bob, "bob")] {
                try await world.queue("pending \(name)", to: user.identifiers[0])
                try await world.queue("sent \(name)", to: user.identifiers[0]) { $0.status = .sent }
            }
            let event = world.events().make(.userDeleted, ["user_id": .string(ada.id)])
            #expect(try await world.store.perform(DeleteUser(ada.id, app: world.app, events: [event])))

            #expect(try await world.store.user(ada.id, app: world.app) == nil)
            #expect(try await world.store.user(with: ada.identifiers[0], app: world.app) == nil)
            #expect(try await world.store.session(session.id, app: world.app) == nil)
            let verification = try await world.store.verification(tokenHash: "token", app: world.app)
            #expect(verification?.isSuppressed == true)
            #expect(try await world.happened().last == .userDeleted)
            #expect(try await world.rotate(session, proof: world.proof("a")) == .refused(.unauthorized))
            for id in ["pending", "sent"] {
                #expect(try await world.message("\(id) ada") == nil)
                #expect(try await world.message("\(id) bob") != nil)
            }
            #expect(try await world.isLive(bobs))
            #expect(try await world.store.verification(tokenHash: "bob's", app: world.app) != nil)
            _ = try await world.addUser()
        },
        ContractRule("The language of a user is stored, and is no change that the user's time reports") {
            world async throws in
            let (ada, bob) = (try await world.addUser(), try await world.addUser("bob@example.com"))
            #expect(ada.locale == nil)
            for locale in ["fr-CA", "de"] {
                try await world.write(.setLocale(locale, of: ada))
                var expected = ada
                expected.locale = locale
                #expect(try await world.store.user(ada.id, app: world.app) == expected)
            }
            #expect(try await world.store.user(bob.id, app: world.app) == bob)
        },
        // Proves: O19
        ContractRule("A user is found by both forms of an international domain, and no second one can have the other") {
            world async throws in
            let user = try await world.addUser("ada@m\u{FC}nchen.example")
            let other = try CanonicalIdentifier(type: "email_address", value: "ADA@xn--mnchen-3ya.example")
            #expect(try await world.store.user(with: other, app: world.app) == user)
            let second = User(id: "usr_2", appID: world.app, identifiers: [other], createdAt: world.now)
            #expect(
                try await world.store.perform(CreateUser(second, passwordHash: nil, events: [])) == .identifierTaken(0))
        },
        ContractRule("Deleting an unknown user, or one of another app, changes nothing and writes no event") {
            world async throws in
            let user = try await world.addUser()
            let event = world.events().make(.userDeleted, [:])
            #expect(try await world.store.perform(DeleteUser("usr_unknown", app: world.app, events: [event])) == false)
            #expect(try await world.store.perform(DeleteUser(user.id, app: world.otherApp, events: [event])) == false)
            #expect(try await world.store.user(user.id, app: world.app) == user)
            #expect(try await world.happened() == [])
        },
        ContractRule("An external id can be set, is taken for other users, and can be removed") { world async throws in
            let (ada, bob) = (try await world.addUser(), try await world.addUser("bob@example.com"))
            func set(_ id: String?, _ user: User) async throws -> UpdateUserOutcome {
                try await world.store.perform(SetExternalID(id, in: world.change(of: user.id, after: 5)))
            }
            var expected = ada
            expected.externalID = "ext"
            expected.updatedAt = world.now + 5
            #expect(try await set("ext", ada) == .updated(expected))
            #expect(try await set("ext", ada) == .updated(expected))
            #expect(try await set("ext", bob) == .taken)
            expected.externalID = nil
            #expect(try await set(nil, ada) == .updated(expected))
            #expect(try await set(nil, bob) != .taken)
            #expect(try await set("ext", bob) != .taken)
            let unknown = try await world.store.perform(
                SetExternalID("x", in: world.change(of: ada.id, app: world.otherApp)))
            #expect(unknown == .notFound)
        },
        ContractRule("A profile is merged, and a null removes its key") { world async throws in
            let user = try await world.addUser()
            _ = try await world.store.perform(MergeProfile(["a": .int(1), "b": "two"], in: world.change(of: user.id)))
            let outcome = try await world.store.perform(
                MergeProfile(
                    ["a": .null, "c": .bool(false), "missing": .null], in: world.change(of: user.id, after: 3)))
            var expected = user
            expected.profile = ["b": "two", "c": .bool(false)]
            expected.updatedAt = world.now + 3
            #expect(outcome == .updated(expected))
            #expect(try await world.store.user(user.id, app: world.app) == expected)
            let unknown = try await world.store.perform(MergeProfile([:], in: world.change(of: "usr_x")))
            #expect(unknown == .notFound)
        },
    ]
}
