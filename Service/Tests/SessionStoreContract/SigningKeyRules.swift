internal import Foundation
internal import SessionDomain
internal import Testing

enum SigningKeyRules {
    private static let day = 86_400

    static let all: [ContractRule] = [
        ContractRule(
            "A new key is stored with its times, and the key before gets its end, in its app and purpose only"
        ) {
            world async throws in
            let others = [
                key("c", of: world.app, at: world.now, purpose: .challenge),
                key("d", of: world.otherApp, at: world.now),
            ]
            let old = key("a", of: world.app, at: world.now)
            try await world.addApps(keys: [old, others[0]], otherKeys: [others[1]])
            let decision = try await world.rotateKeys(.request, bringing: "b", after: day)
            let (stored, from) = (try await world.store.signingKeys(of: world.app), world.now + day + 395)
            var new = key("b", of: world.app, at: world.now + day)
            new.activeFrom = from
            var retired = old
            (retired.retiresAt, retired.removeAfter) = (from, from + 900 + 395)
            #expect(decision == KeyRotationDecision(added: new, changed: [retired]))
            #expect(Set(stored.map(\.keyID)) == ["a", "b", "c"])
            #expect(stored.filter { $0.purpose == .access } == [new, retired])
            #expect(stored.contains(others[0]))
            #expect(try await world.store.signingKeys(of: world.otherApp) == [others[1]])
            #expect(try await world.happened() == [.signingKeyRotated])
        },
        ContractRule("Nothing is written if a key is needed and none was supplied") { world async throws in
            let old = key("a", of: world.app, at: world.now)
            try await world.addApps(keys: [old])
            let decision = try await world.rotateKeys(.request, bringing: nil)
            #expect(decision == KeyRotationDecision(neededAlgorithm: .edDSA))
            let wrong = try await world.rotateKeys(.request, bringing: "b", algorithm: .es256)
            #expect(wrong == KeyRotationDecision(neededAlgorithm: .edDSA))
            #expect(try await world.store.signingKeys(of: world.app) == [old])
            #expect(try await world.happened() == [])
        },
        ContractRule("The keys of an unknown app are not rotated") { world async throws in
            #expect(try await world.rotateKeys(.request, bringing: "a") == nil)
        },
        // Proves: K4
        ContractRule("Of 16 nodes that rotate concurrently by schedule, one makes the new key (O3)") {
            world async throws in
            try await world.addApps(keys: [key("a", of: world.app, at: world.now)])
            let decisions = try await concurrently(16) { index in
                try await world.rotateKeys(.schedule, bringing: "new-\(index)", after: 90 * day)
            }
            #expect(decisions.compactMap { $0?.added }.count == 1)
            #expect(try await world.store.signingKeys(of: world.app).count == 2)
            #expect(try await world.happened() == [.signingKeyRotated])
        },
        // Proves: K4
        ContractRule("16 concurrent requests for a new key make one (O3)") {
            world async throws in
            try await world.addApps(keys: [key("a", of: world.app, at: world.now)])
            _ = try await concurrently(16) { index in try await world.rotateKeys(.request, bringing: "new-\(index)") }
            #expect(try await world.store.signingKeys(of: world.app).count == 2)
        },
        ContractRule("Of 16 concurrent first hook keys, all callers get one, and it counts as no rotation (O3)") {
            world async throws in
            try await world.addApps(keys: [])
            let seen = try await concurrently(16) { index in
                _ = try await world.rotateKeys(.first, bringing: "new-\(index)", purpose: .hook, algorithm: .ps256)
                return try await world.store.signingKeys(of: world.app).map(\.keyID)
            }
            #expect(Set(seen).count == 1 && seen[0].count == 1)
            #expect(try await world.happened() == [])
        },
        ContractRule("In an emergency the new key is the only one, with events for the new and the old keys") {
            world async throws in
            let (old, older) = (key("b", of: world.app, at: world.now), key("a", of: world.app, at: world.now - day))
            try await world.addApps(keys: [older, old])
            _ = try await world.rotateKeys(.emergency, bringing: "c", after: 5)
            #expect(
                try await world.store.signingKeys(of: world.app) == [key("c", of: world.app, at: world.now + 5)])
            #expect(try await world.happened() == [.signingKeyRemoved, .signingKeyRemoved, .signingKeyRotated])
        },
        ContractRule("A key is removed when nothing that it signed is valid any longer, and not before") {
            world async throws in
            try await world.addApps(keys: [key("a", of: world.app, at: world.now)])
            _ = try await world.rotateKeys(.request, bringing: "b")
            let (first, second) = (395 + 900 + 395, 395 + 2 * (900 + 395))
            for moment in [first - 1, first, second - 1] {
                _ = try await world.rotateKeys(.schedule, bringing: nil, after: moment)
                #expect(try await world.store.signingKeys(of: world.app).map(\.keyID) == ["b", "a"])
            }
            let decision = try await world.rotateKeys(.schedule, bringing: nil, after: second)
            #expect(decision?.removed.map(\.keyID) == ["a"])
            #expect(try await world.store.signingKeys(of: world.app).map(\.keyID) == ["b"])
        },
        // Proves: K3
        ContractRule("Times that were written by a clock years ahead are corrected in the store") {
            world async throws in
            try await world.addApps(keys: [key("a", of: world.app, at: world.now)])
            _ = try await world.rotateKeys(.schedule, bringing: "b", after: 3650 * day)
            let decision = try await world.rotateKeys(.schedule, bringing: nil, after: 60)
            var (old, new) = (key("a", of: world.app, at: world.now), key("b", of: world.app, at: world.now + 60))
            new.activeFrom = world.now + 60 + 395
            (old.retiresAt, old.removeAfter) = (new.activeFrom, new.activeFrom + 900 + 395)
            #expect(decision == KeyRotationDecision(changed: [new, old], rescheduled: ["b"]))
            #expect(try await world.store.signingKeys(of: world.app) == [new, old])
            #expect(try await world.rotateKeys(.request, bringing: "c", after: 61) == KeyRotationDecision())
            #expect(try await world.happened() == [.signingKeyRotated])
        },
        ContractRule(
            "A key that is sealed again keeps everything else, and one that changed in the meantime stays unchanged"
        ) {
            world async throws in
            let old = key("a", of: world.app, at: world.now)
            try await world.addApps(keys: [old])
            #expect(try await world.store.sealingKeyIDs() == ["12345678"])
            var new = old
            new.sealedPrivateKey = Data("abcdefgh sealed".utf8)
            #expect(try await world.store.perform(ResealSigningKey(old, as: new)))
            #expect(try await world.store.perform(ResealSigningKey(old, as: old)) == false)
            #expect(try await world.store.signingKeys(of: world.app) == [new])
            #expect(try await world.store.sealingKeyIDs() == ["abcdefgh"])
        },
    ]

    static func key(
        _ id: String, of app: AppID, at time: Timestamp, purpose: StoredSigningKey.Purpose = .access,
        algorithm: KeyAlgorithm = .edDSA
    ) -> StoredSigningKey {
        StoredSigningKey(
            appID: app, purpose: purpose, keyID: id, algorithm: algorithm,
            sealedPrivateKey: Data("12345678 sealed".utf8), createdAt: time)
    }
}

extension ContractWorld {
    fileprivate func addApps(keys: [StoredSigningKey], otherKeys: [StoredSigningKey] = []) async throws {
        for (id, keys) in [(app, keys), (otherApp, otherKeys)] {
            #expect(try await store.perform(CreateApp(App(id: id, name: "a", createdAt: now), keys: keys)))
        }
    }

    fileprivate func rotateKeys(
        _ reason: KeyRotation.Reason, bringing id: String?, after seconds: Int = 0,
        purpose: StoredSigningKey.Purpose = .access, algorithm: KeyAlgorithm = .edDSA
    ) async throws -> KeyRotationDecision? {
        let time = now + seconds
        return try await store.perform(
            RotateSigningKeys(
                KeyRotation(
                    appID: app, purpose: purpose, reason: reason, policy: KeyRotationPolicy(),
                    candidate: id.map {
                        SigningKeyRules.key($0, of: app, at: time, purpose: purpose, algorithm: algorithm)
                    }, now: time, events: events(at: time))))
    }
}
