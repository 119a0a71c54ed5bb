import Foundation
import SessionTokens
import Testing

@testable import SessionDomain

@Suite("Decisions of a key rotation")
struct KeyRotationTableTests {
    private static let day = 86_400
    private static let policy = KeyRotationPolicy()

    private func key(
        _ id: String, from: Timestamp, algorithm: KeyAlgorithm = .edDSA, purpose: StoredSigningKey.Purpose = .access,
        retires: Timestamp? = nil, removeAfter: Timestamp? = nil
    ) throws -> StoredSigningKey {
        StoredSigningKey(
            appID: try appID(), purpose: purpose, keyID: id, algorithm: algorithm, sealedPrivateKey: Data(),
            createdAt: min(from, now), activeFrom: from, retiresAt: retires, removeAfter: removeAfter)
    }

    private func decide(
        _ reason: KeyRotation.Reason, _ keys: [StoredSigningKey], policy: KeyRotationPolicy = policy,
        purpose: StoredSigningKey.Purpose = .access, candidate: KeyAlgorithm? = .edDSA,
        _ change: (inout App) -> Void = { _ in }
    ) throws -> KeyRotationDecision {
        var app = App(id: try appID(), name: "a", createdAt: now)
        change(&app)
        return KeyRotation(
            appID: app.id, purpose: purpose, reason: reason, policy: policy,
            candidate: try candidate.map { try key("new", from: now, algorithm: $0, purpose: purpose) }, now: now,
            events: EventFactory(appID: app.id, environment: stillEnvironment)
        ).decide(keys, app: app)
    }

    @Test("A key is published ahead for the sum of all delays of other nodes and verifiers")
    func formula() {
        #expect(KeyRotationPolicy.safePublishAhead == 5 + 300 + 30 + 60)
        #expect(Self.policy.keySetMaxAge == 300)
        #expect(Self.policy.retention(of: .access) == 900 + 395)
        #expect(Self.policy.retention(of: .challenge) == 86_400 + 395)
        #expect(Self.policy.retention(of: .hook) == 3600 + 395)
    }

    @Test("A shorter publishing time shortens caches, but never the retention of a retired key")
    func development() {
        let quick = KeyRotationPolicy(publishAhead: 8)
        #expect(quick.keySetMaxAge == 3)
        #expect(quick.retention(of: .access) == 900 + 395)
        #expect(KeyRotationPolicy(publishAhead: 1000).keySetMaxAge == 300)
        #expect(KeyRotationPolicy(publishAhead: 1000).retention(of: .access) == 1900)
    }

    @Test("By schedule a key gets a successor exactly when it has signed for the interval")
    func age() throws {
        let old = try key("old", from: now - 90 * Self.day)
        #expect(try decide(.schedule, [old]).added?.activeFrom == now + 395)
        #expect(try decide(.schedule, [try key("old", from: now - 90 * Self.day + 1)]).isEmpty)
        #expect(try decide(.schedule, [old], policy: KeyRotationPolicy(interval: nil)).isEmpty)
        #expect(try decide(.schedule, [old], candidate: nil) == KeyRotationDecision(neededAlgorithm: .edDSA))
    }

    @Test("A key retires when its successor signs, and stays published for its retention")
    func retirement() throws {
        let old = try key("old", from: now - 100)
        let decision = try decide(.request, [old])
        var retired = old
        (retired.retiresAt, retired.removeAfter) = (now + 395, now + 395 + 900 + 395)
        #expect(decision.changed == [retired])
        #expect(decision.removed.isEmpty)
    }

    @Test("Only one successor waits at a time, for every reason", arguments: [KeyRotation.Reason.request, .schedule])
    func waiting(_ reason: KeyRotation.Reason) throws {
        let keys = [try key("next", from: now + 1), try key("old", from: now - 900 * Self.day)]
        #expect(try decide(reason, keys).isEmpty)
    }

    @Test("A changed algorithm gets a key by the same rule, behind a successor that waits already")
    func algorithm() throws {
        let old = try key("old", from: now - 100)
        let decision = try decide(.schedule, [old], candidate: .es256) { $0.signingAlgorithm = .es256 }
        #expect(decision.added?.algorithm == .es256)
        #expect(decision.added?.activeFrom == now + 395)
        let waiting = try key("next", from: now + 394, algorithm: .es256)
        let back = try decide(.schedule, [waiting, old])
        #expect(back.added?.activeFrom == now + 395)
        #expect(back.changed.map(\.keyID) == ["next", "old"])
        let two = [waiting, try key("next2", from: now + 395, algorithm: .rs256), old]
        #expect(try decide(.schedule, two).isEmpty)
    }

    @Test("With 32 keys of one purpose only an emergency adds another")
    func full() throws {
        let keys = try (0..<KeyRotation.maximum).map { try key("\($0)", from: now - 1 - $0) }
        #expect(try decide(.request, keys).added == nil)
        #expect(try decide(.schedule, keys, candidate: .es256) { $0.signingAlgorithm = .es256 }.added == nil)
        #expect(try decide(.request, Array(keys.dropLast())).added != nil)
        #expect(try decide(.emergency, keys).added != nil)
    }

    @Test("A candidate with another algorithm than the app's is not used")
    func wrongCandidate() throws {
        let decision = try decide(.request, [try key("old", from: now - 1)], candidate: .es256)
        #expect(decision == KeyRotationDecision(neededAlgorithm: .edDSA))
    }

    @Test("A key is removed when both of its waiting times are over, even if the rotation adds another key")
    func removal() throws {
        let wait = Self.policy.retention(of: .access)
        let old = try key("old", from: now - 2 * wait)
        let past = try key("past", from: now - 3 * wait, retires: now - 2 * wait, removeAfter: now)
        #expect(try decide(.schedule, [old, past]).removed == [past])
        #expect(try decide(.request, [old, past]).removed == [past])
        let later = try key("past", from: now - 3 * wait, retires: now - 2 * wait + 1, removeAfter: now + 1)
        #expect(try decide(.schedule, [old, later]).isEmpty)
    }

    @Test("An emergency removes all keys, and the new key signs at once")
    func emergency() throws {
        let keys = [try key("next", from: now + 1), try key("old", from: now - 1)]
        let decision = try decide(.emergency, keys)
        #expect(decision.removed == keys)
        #expect(decision.added?.activeFrom == now)
        #expect(decision.changed.isEmpty)
    }

    @Test(
        "An app without a hook key gets its first one when a caller needs it, and never by a rotation",
        arguments: KeyRotation.Reason.allCases)
    func firstHookKey(_ reason: KeyRotation.Reason) throws {
        let decision = try decide(reason, [], purpose: .hook, candidate: .ps256)
        #expect(decision.added?.activeFrom == (reason == .first ? now : nil))
        #expect(try decide(.first, [try key("old", from: now - 1, purpose: .hook)], purpose: .hook).isEmpty)
    }
}
