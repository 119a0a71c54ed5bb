import SessionDomain
import SessionTokens
import Testing

@Suite("Changes of a user")
struct UserChangeTests {
    private func facts(_ user: User?, failed: FailedGuard..., sessions: [Session] = []) -> FoundRows {
        FoundRows { facts in
            facts.user = user
            facts.liveSessions = sessions
            for failure in failed { facts.failures.add(failure) }
        }
    }

    private func updated(_ user: User, _ change: (inout User) -> Void) -> User {
        var next = user
        next.updatedAt = now
        change(&next)
        return next
    }

    @Test("A profile has at most 16 KiB as JSON, and a larger one of an earlier version can become smaller")
    func profileSize() throws {
        var user = try TestApp.user()
        func merge(_ values: [String: JSONValue]) throws -> UpdateUserOutcome {
            let facts = FoundRows { $0.user = user }
            return MergeProfile(values, in: try TestApp.change(of: user.id)).decide(facts).outcome
        }
        func text(_ count: Int) -> JSONValue { .string(String(repeating: "x", count: count)) }
        #expect(try merge(["a": text(16_000)]) != .full)
        #expect(try merge(["a": text(16_384)]) == .full)
        user.profile = ["a": text(30_000), "b": text(30_000)]
        #expect(try merge(["b": .null]) != .full)
        #expect(try merge(["b": text(30_001)]) == .full)
    }

    @Test("A new user is inserted with every identifier, and the event follows")
    func creation() throws {
        let user = try TestApp.user([try TestApp.mail(), try TestApp.phone()])
        let event = try TestApp.events().userCreated(user)
        let intent = CreateUser(user, passwordHash: "hash", events: [event])
        #expect(
            intent.decide(FoundRows())
                == Decision(
                    .created,
                    [
                        .insertUser(user, passwordHash: "hash"), .insertIdentifier(try TestApp.mail(), of: user),
                        .insertIdentifier(try TestApp.phone(), of: user), .append(event),
                    ]))
    }

    @Test("A new user with a taken external id or identifier is rejected, the external id first")
    func creationConflicts() throws {
        var user = try TestApp.user([try TestApp.mail()])
        user.externalID = "ext"
        let intent = CreateUser(user, passwordHash: nil, events: [])
        let (external, identifier) = (
            FailedGuard.taken(.externalID("ext")), FailedGuard.taken(.identifier(user.identifiers[0]))
        )
        #expect(intent.decide(facts(nil, failed: identifier)) == Decision(.identifierTaken(0)))
        #expect(intent.decide(facts(nil, failed: identifier, external)) == Decision(.externalIDTaken))
    }

    @Test("Every change of an unknown user writes nothing")
    func unknown() throws {
        let (app, user, mail) = (try appID(), "usr_1", try TestApp.mail())
        let change = try TestApp.change(of: user)
        #expect(DeleteUser(user, app: app, events: []).decide(FoundRows()) == Decision(false))
        #expect(SetUserStatus(.suspended, in: change).decide(FoundRows()) == Decision(nil))
        #expect(SetPassword(hash: "h", ending: .all, in: change).decide(FoundRows()) == Decision(nil))
        #expect(SetExternalID("x", in: change).decide(FoundRows()) == Decision(.notFound))
        #expect(MergeProfile([:], in: change).decide(FoundRows()) == Decision(.notFound))
        #expect(AddIdentifier(mail, in: change).decide(FoundRows()) == Decision(.notFound))
        #expect(RemoveIdentifier(mail, in: change).decide(FoundRows()) == Decision(.notFound))
        let upgrade = UpgradePasswordHash(from: "a", to: "b", user: user, app: app).decide(FoundRows())
        #expect(upgrade.changes == [])
    }

    @Test("A deleted user takes verifications, messages, counters and what events say along")
    func deletion() throws {
        let user = try TestApp.user([try TestApp.mail(), try TestApp.phone()])
        let app = user.appID
        let event = try TestApp.events().make(.userDeleted, ["user_id": .string(user.id)])
        let changes = DeleteUser(user.id, app: app, events: [event], pseudonym: "del_1").decide(facts(user)).changes
        let counters = changes.compactMap { change -> CounterKey? in
            if case .clearCounter(let key, app) = change { key } else { nil }
        }
        #expect(
            changes.filter { if case .clearCounter = $0 { false } else { true } }
                == [
                    .endVerifications(of: try TestApp.mail(), app: app),
                    .forgetIdentifier(try TestApp.mail(), app: app),
                    .clearCounters(prefixes: [CounterKey.prefixOfMarks(at: try TestApp.mail())], app: app),
                    .endVerifications(of: try TestApp.phone(), app: app),
                    .forgetIdentifier(try TestApp.phone(), app: app),
                    .clearCounters(prefixes: [CounterKey.prefixOfMarks(at: try TestApp.phone())], app: app),
                    .deleteUser(user), .clearCounters(prefixes: CounterKey.prefixes(ofUser: user.id), app: app),
                    .deleteMessages(ofUser: user.id, app: app),
                    .forgetEvents(ofUser: user.id, as: "del_1", app: app), .append(event),
                ])
        let expected =
            CounterKey.all(of: .anonymous(try TestApp.mail())) + CounterKey.all(of: .anonymous(try TestApp.phone()))
            + [.stepUps(userID: user.id)] + Notice.Kind.allCases.map { .notices(userID: user.id, $0) }
        #expect(Set(counters).isSuperset(of: expected))
    }

    @Test("The events of an operator stay as they are when the account is removed")
    func operatorDeletion() throws {
        let user = try TestApp.user([try TestApp.mail()])
        let changes = DeleteUser(user.id, app: user.appID, events: []).decide(facts(user)).changes
        #expect(!changes.contains { if case .forgetEvents = $0 { true } else { false } })
    }

    @Test(
        "A status other than active ends sessions, codes, step-ups and begun logins (R8)",
        arguments: [User.Status.inactive, .suspended])
    func closing(status: User.Status) throws {
        let user = try TestApp.user([try TestApp.mail()])
        let session = try TestApp.session()
        let next = updated(user) { $0.status = status }
        let event = try TestApp.events().make(
            .userStatusChanged, ["user_id": "usr_1", "status": .string(status.rawValue)])
        let decision = SetUserStatus(status, in: try TestApp.change(of: user.id))
            .decide(facts(user, sessions: [session]))
        let ended: [Change] = [
            .deleteStepUps(of: user), .endVerifications(of: try TestApp.mail(), app: user.appID),
            .voidLogins(of: user),
        ]
        #expect(
            decision
                == Decision(
                    next,
                    [.replaceUser(user, with: next), .append(event)]
                        + (try TestApp.revocation(session, .userInactive)) + ended))
    }

    @Test("Setting the status that the user has changes no row of the user, but still ends what must not run")
    func sameStatus() throws {
        let active = try TestApp.user([try TestApp.mail()])
        let activation = SetUserStatus(.active, in: try TestApp.change(of: active.id))
        #expect(activation.decide(facts(active)) == Decision(active))
        let suspended = try TestApp.user(status: .suspended)
        #expect(
            SetUserStatus(.suspended, in: try TestApp.change(of: suspended.id)).decide(facts(suspended)).changes
                == [.deleteStepUps(of: suspended), .voidLogins(of: suspended)])
    }

    @Test(
        "A new password ends codes, step-ups and begun logins (O12), and sessions if asked", arguments: [false, true])
    func password(endingSessions: Bool) throws {
        let user = try TestApp.user([try TestApp.mail()])
        let session = try TestApp.session()
        let next = updated(user) { $0.hasPassword = true }
        let event = try TestApp.events().make(.passwordChanged, ["user_id": "usr_1"])
        let decision = SetPassword(
            hash: "hash", ending: endingSessions ? .all : nil, in: try TestApp.change(of: user.id)
        )
        .decide(facts(user, sessions: [session]))
        let ended = try TestApp.revocation(session, .passwordChanged)
        #expect(
            decision
                == Decision(
                    next,
                    [
                        .setPasswordHash("hash", replacing: nil, of: user), .replaceUser(user, with: next),
                        .deleteStepUps(of: user), .endVerifications(of: try TestApp.mail(), app: user.appID),
                        .voidLogins(of: user), .append(event),
                    ] + (endingSessions ? ended : [])))
    }

    @Test("A password hash is upgraded only if it is still the one that was checked")
    func upgrade() throws {
        let user = try TestApp.user()
        func changes(stored: String?) -> [Change] {
            UpgradePasswordHash(from: "old", to: "new", user: user.id, app: user.appID).decide(
                FoundRows { facts in
                    facts.user = user
                    facts.passwordHash = stored
                }
            ).changes
        }
        #expect(changes(stored: "old") == [.setPasswordHash("new", replacing: "old", of: user)])
        #expect(changes(stored: "changed").isEmpty)
        #expect(changes(stored: nil).isEmpty)
    }

    @Test("An external id is replaced, unless another user has it")
    func externalID() throws {
        let user = try TestApp.user()
        let next = updated(user) { $0.externalID = "ext" }
        let intent = SetExternalID("ext", in: try TestApp.change(of: user.id))
        let event = try TestApp.events().make(.externalIDUpdated, ["user_id": "usr_1"])
        #expect(
            intent.decide(facts(user)) == Decision(.updated(next), [.append(event), .replaceUser(user, with: next)]))
        #expect(intent.decide(facts(user, failed: .taken(.externalID("ext")))) == Decision(.taken))
        #expect(intent.decide(facts(user, failed: .taken(.externalID("other")))).outcome == .updated(next))
    }

    @Test("A profile is merged, a null removes its key, and the merged profile has at most 50 keys")
    func profile() throws {
        var user = try TestApp.user()
        user.profile = ["a": .int(1), "b": "two"]
        let next = updated(user) { $0.profile = ["b": "three", "c": .bool(true)] }
        func merge(_ values: [String: JSONValue]) throws -> Decision<UpdateUserOutcome> {
            MergeProfile(values, in: try TestApp.change(of: user.id)).decide(facts(user))
        }
        let event = try TestApp.events().make(.profileUpdated, ["user_id": "usr_1"])
        #expect(
            try merge(["a": .null, "b": "three", "c": .bool(true), "missing": .null])
                == Decision(.updated(next), [.append(event), .replaceUser(user, with: next)]))
        func keys(_ count: Int) -> [String: JSONValue] {
            Dictionary(uniqueKeysWithValues: (0..<count).map { ("key \($0)", .int(1)) })
        }
        #expect(try merge(keys(49)) == Decision(.full))
        guard case .updated(let full) = try merge(keys(48)).outcome else {
            Issue.record("50 keys are rejected")
            return
        }
        #expect(full.profile.count == 50)
    }
}
