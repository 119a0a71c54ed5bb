import SessionDomain
import SessionTokens
import Testing

@Suite("What changes of management keys write")
struct ManagementKeyDecisionTests {
    private func key(
        _ id: String = "mk_1", app: String? = "domain1", role: ManagementKey.Role = .write,
        by creator: ManagementKey.Creator? = .commandLine, expiresIn seconds: Int? = nil
    ) throws -> ManagementKey {
        ManagementKey(
            id: id, name: "k", appID: try app.map { try appID($0) }, hash: id, role: role, createdBy: creator,
            createdAt: now, expiresAt: seconds.map { now + $0 })
    }

    private func facts(_ keys: ManagementKey...) -> FoundRows { FoundRows { $0.managementKeys = keys } }

    @Test("A key of the command line is inserted, and a known secret is an error")
    func inserted() throws {
        let intent = InsertManagementKey(try key())
        #expect(try intent.decide(FoundRows()) == Decision(.created(try key()), [.insertManagementKey(try key())]))
        #expect(throws: StoreError.self) {
            try intent.decide(FoundRows { $0.failures.add(.taken(.managementKey(hash: "mk_1"))) })
        }
    }

    // Proves: G2
    @Test("A key creates no key with more rights, of another app, or with a later expiry")
    func excess() throws {
        let rows: [(creator: ManagementKey, new: ManagementKey, ManagementKey.Excess?)] = [
            (try key(), try key("mk_2"), nil),
            (try key(), try key("mk_2", role: .read, expiresIn: 9), nil),
            (try key(app: nil), try key("mk_2"), nil),
            (try key(app: nil), try key("mk_2", app: nil), nil),
            (try key(role: .read), try key("mk_2", role: .read), nil),
            (try key(role: .read), try key("mk_2"), .role),
            (try key(), try key("mk_2", app: nil), .app),
            (try key(), try key("mk_2", app: "domain2"), .app),
            (try key(expiresIn: 60), try key("mk_2", expiresIn: 60), nil),
            (try key(expiresIn: 60), try key("mk_2", expiresIn: 61), .expiry),
            (try key(expiresIn: 60), try key("mk_2"), .expiry),
        ]
        for (creator, new, excess) in rows {
            let decision = try InsertManagementKey(new, creatorID: creator.id).decide(facts(creator))
            #expect(
                decision == excess.map { Decision(.exceeds($0)) }
                    ?? Decision(.created(new), [.insertManagementKey(new)]))
        }
    }

    @Test("A key that is revoked or expired creates no key")
    func invalidCreator() throws {
        let intent = InsertManagementKey(try key("mk_2", expiresIn: 0), creatorID: "mk_1")
        #expect(try intent.decide(facts(try key("mk_3"))) == Decision(.creatorInvalid))
        #expect(try intent.decide(facts(try key(expiresIn: 0))) == Decision(.creatorInvalid))
    }

    // Proves: G3
    @Test("Revoking a key revokes the keys that it created, and the keys of these, in any order and in a circle")
    func revoked() throws {
        let keys = [
            try key("mk_4", by: .key("mk_3")), try key("mk_3", by: .key("mk_2")), try key("mk_2", by: .key("mk_1")),
            try key("mk_1"), try key("mk_5"), try key("mk_6", by: .key("mk_5")), try key("mk_7", by: .configuration),
            try key("mk_8", by: nil), try key("mk_9", by: .key("mk_configured_x")),
            try key("mk_a", by: .key("mk_b")), try key("mk_b", by: .key("mk_a")),
        ]
        let rows: [(String, revoked: [String])] = [
            ("mk_1", ["mk_4", "mk_3", "mk_2", "mk_1"]), ("mk_3", ["mk_4", "mk_3"]), ("mk_5", ["mk_5", "mk_6"]),
            ("mk_configured_x", ["mk_9"]), ("mk_a", ["mk_a", "mk_b"]), ("mk_unknown", []),
        ]
        for (id, revoked) in rows {
            let decision = RevokeManagementKey(id: id).decide(FoundRows { $0.managementKeys = keys })
            let changes = revoked.map { id in keys.first { $0.id == id }.map { Change.deleteManagementKey($0) } }
            #expect(decision == Decision(revoked, changes.compactMap(\.self)))
        }
    }

    @Test("A key of one app cannot revoke a key of another app or of all apps")
    func revokedElsewhere() throws {
        for key in [try key(app: nil), try key(app: "domain2")] {
            #expect(RevokeManagementKey(id: "mk_1", app: try appID()).decide(facts(key)) == Decision([]))
        }
        #expect(RevokeManagementKey(id: "mk_1", app: try appID()).decide(facts(try key())).outcome == ["mk_1"])
    }

    @Test("A rotated key keeps name, app, role and expiry, and belongs to the key that rotates it")
    func rotated() throws {
        let old = try key("mk_1", role: .read, by: .key("mk_0"), expiresIn: 60)
        let rows: [(ManagementKey, createdBy: ManagementKey.Creator)] = [
            (old, .key("mk_0")), (try key("mk_2"), .key("mk_2")), (try key("mk_2", app: nil), .key("mk_2")),
            (try key("mk_configured_x", app: nil, by: .configuration), .key("mk_configured_x")),
        ]
        for (creator, createdBy) in rows {
            let new = ManagementKey(
                id: "mk_new", name: "k", appID: try appID(), hash: "new", role: .read, createdBy: createdBy,
                createdAt: now, expiresAt: now + 60)
            let stored = creator.createdBy == .configuration || creator.id == old.id ? facts(old) : facts(old, creator)
            #expect(
                try rotation(by: creator).decide(stored)
                    == Decision(
                        .created(new),
                        [
                            .insertManagementKey(new), .deleteManagementKey(old),
                            .reassignManagementKeys(of: old, to: new),
                        ]))
        }
    }

    /// `mk_0` creates `mk_1`, which creates `mk_2`, which creates `mk_3`. `mk_4` is another key of `mk_0`.
    // Proves: G3
    @Test(
        "No rotation of a key, by itself or by another one, lets a secret survive the keys above it or the key that has seen it",
        arguments: ["mk_1", "mk_2", "mk_3", "mk_4"], ["mk_1", "mk_2", "mk_3"])
    func rotatedFromBelow(caller: String, rotated: String) throws {
        var keys = [
            try key("mk_0"), try key("mk_1", by: .key("mk_0")), try key("mk_2", by: .key("mk_1")),
            try key("mk_3", by: .key("mk_2")), try key("mk_4", by: .key("mk_0")),
        ]
        let creator = try #require(keys.first { $0.id == caller })
        let rotation = RotateManagementKey(
            id: rotated, app: try appID(), newID: "mk_new", newHash: "new", creator: creator, now: now)
        let decision = try rotation.decide(FoundRows { $0.managementKeys = keys })
        // The new secret of a key above would survive the revocation of the caller, which has seen it.
        guard caller == "mk_4" || rotated >= caller else {
            #expect(decision == Decision(.exceeds(.ancestor)))
            return
        }
        for change in decision.changes {
            switch change {
            case .insertManagementKey(let new): keys.append(new)
            case .deleteManagementKey(let old): keys.removeAll { $0.id == old.id }
            case .reassignManagementKeys(let old, let new):
                keys = try keys.map { $0.createdBy == .key(old.id) ? try key($0.id, by: .key(new.id)) : $0 }
            default: break
            }
        }
        #expect(keys.count == 5 && keys.contains { $0.id == "mk_new" })
        let revoked = RevokeManagementKey(id: "mk_0").decide(FoundRows { $0.managementKeys = keys }).outcome
        #expect(Set(revoked) == Set(keys.map(\.id)))
        let ofCaller = RevokeManagementKey(id: rotated == caller ? "mk_new" : caller).decide(
            FoundRows { $0.managementKeys = keys }
        ).outcome
        #expect(ofCaller.contains("mk_new"), "revoking the caller ends what it has seen")
    }

    // Proves: G3
    @Test("An app has at most 100 keys, as have all apps, and an expired key counts")
    func tooMany() throws {
        let others = try (0..<100).map { try key("mk_all\($0)", app: nil, expiresIn: -1) }
        let last = try (0..<99).map { try key("mk_last\($0)", expiresIn: -1) } + [try key()]
        let rows: [(stored: [ManagementKey], app: String?, isCreated: Bool)] = [
            (others, "domain1", true), (others, nil, false), (last, "domain1", false), (last, nil, true),
            (last, "domain2", true), (Array(last.dropFirst()), "domain1", true),
        ]
        for (stored, app, isCreated) in rows {
            let new = try key("mk_new", app: app)
            let decision = try InsertManagementKey(new).decide(FoundRows { $0.managementKeys = stored })
            #expect(decision == (isCreated ? Decision(.created(new), [.insertManagementKey(new)]) : Decision(.tooMany)))
        }
        let rotation = try rotation(by: try key()).decide(FoundRows { $0.managementKeys = last })
        #expect(rotation.changes.count == 3, "a full app can rotate its keys")
    }

    @Test("The event of a rotated key names the key that it replaces, so that its successor is found")
    func rotationEvents() throws {
        let old = try key()
        let rotation = RotateManagementKey(
            id: old.id, app: try appID(), newID: "mk_new", newHash: "new", creator: old, now: now,
            events: try TestApp.events())
        let events = try rotation.decide(facts(old)).changes.compactMap {
            if case .append(let event) = $0 { event } else { nil }
        }
        #expect(events.map(\.name) == [.managementKeyCreated, .managementKeyRevoked])
        #expect(events.map { $0.data["key_id"] } == ["mk_new", "mk_1"])
        #expect(events.map { $0.data["replaces"] } == ["mk_1", nil])
    }

    // Proves: G2
    @Test("A rotation is rejected like a creation, and of an unknown key")
    func notRotated() throws {
        func decide(_ old: ManagementKey, by creator: ManagementKey, stored: Bool = true) throws -> Decision<
            ManagementKeyCreation?
        > { try rotation(by: creator).decide(stored ? facts(old, creator) : facts(old)) }
        let actor = try key("mk_2", expiresIn: 60)
        #expect(try decide(try key(), by: actor) == Decision(.exceeds(.expiry)))
        #expect(try decide(try key(), by: try key("mk_2"), stored: false) == Decision(.creatorInvalid))
        #expect(try decide(try key(), by: try key("mk_2", expiresIn: 0)) == Decision(.creatorInvalid))
        #expect(try decide(try key(app: "domain2"), by: try key("mk_2")) == Decision(nil))
        #expect(try decide(try key(app: nil), by: try key("mk_2")) == Decision(nil))
    }

    private func rotation(by creator: ManagementKey) throws -> RotateManagementKey {
        RotateManagementKey(id: "mk_1", app: try appID(), newID: "mk_new", newHash: "new", creator: creator, now: now)
    }
}
