import SessionDomain
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

    private func facts(_ keys: ManagementKey...) -> Facts { Facts { $0.managementKeys = keys } }

    @Test("A key of the command line is inserted, and a known secret is an error")
    func inserted() throws {
        let intent = InsertManagementKey(try key())
        #expect(try intent.decide(Facts()) == Decision(.created(try key()), [.insertManagementKey(try key())]))
        #expect(throws: StoreError.self) {
            try intent.decide(Facts { $0.failures.add(.taken(.managementKey(hash: "mk_1"))) })
        }
    }

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
            let decision = RevokeManagementKey(id: id).decide(Facts { $0.managementKeys = keys })
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
