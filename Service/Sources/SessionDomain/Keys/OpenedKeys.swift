internal import Foundation
internal import SessionRSA
internal import SessionTokens

/// All keys of an app, opened once. `selection` chooses those that sign at a given time.
struct OpenedKeys: Sendable {
    /// The keys to use during `span`, until the uptime `nextReady`.
    struct Selection: Sendable {
        let accessKey: any TokenSigner
        let accessKeys: VerificationKeys
        let challengeKey: any TokenSigner
        let challengeKeys: VerificationKeys
        let hookKey: RSASigningKey?
        let hookKeys: [RSASigningKey]
        let span: Range<Timestamp>
        /// The uptime in milliseconds from which another key may sign.
        let nextReady: Int64

        func isCurrent(at now: Timestamp, uptime: Int64) -> Bool { span.contains(now) && uptime < nextReady }
    }

    /// An opened key with the stored bytes that it was opened from.
    private struct Opened<Key: Sendable>: Sendable {
        let key: Key
        let sealed: Data
    }

    private let access: KeySchedule
    private let challenge: KeySchedule
    private let hook: KeySchedule
    private let tokenKeys: [StoredSigningKey.Identity: Opened<OpenedSigningKey>]
    private let hookKeys: [StoredSigningKey.Identity: Opened<RSASigningKey>]
    private let firstSeen: KeyFirstSeen
    /// The ids of missing master keys. Keys that they seal are used only if they were opened before.
    let missingMasterKeys: Set<String>

    /// - Parameters:
    ///   - previous: The keys that were opened before. A key whose stored bytes are unchanged is not opened again, because
    ///     that is slow for RSA.
    ///   - uptime: Uptime in milliseconds.
    /// - Throws: `KeyRingError` if a key cannot be opened: without it, signing or verifying would fail later with a less
    ///   clear error. A key that is sealed with a missing master key is no error as long as others remain: it was opened
    ///   before, or it is ignored until this process has that master key.
    init(
        _ stored: [StoredSigningKey], keys: KeyRing, previous: OpenedKeys?, policy: KeyRotationPolicy,
        now: Timestamp, uptime: Int64
    ) throws {
        firstSeen = KeyFirstSeen(stored, previous: previous?.firstSeen, policy: policy, now: now, uptime: uptime)
        let tokens = try Self.open(
            stored.filter { $0.purpose != .hook }, previous: previous?.tokenKeys
        ) { try keys.open($0).rememberingSignatures(includingOwn: $0.purpose == .challenge) }
        let hooks = try Self.open(
            stored.filter { $0.purpose == .hook }, previous: previous?.hookKeys, by: keys.openHookKey)
        (tokenKeys, hookKeys) = (tokens.keys, hooks.keys)
        missingMasterKeys = tokens.missing.union(hooks.missing)
        let usable = stored.filter { tokens.keys[$0.identity] != nil || hooks.keys[$0.identity] != nil }
        access = KeySchedule(usable, purpose: .access)
        challenge = KeySchedule(usable, purpose: .challenge)
        hook = KeySchedule(usable, purpose: .hook)
        if let missing = missingMasterKeys.min(), access.keys.isEmpty || challenge.keys.isEmpty {
            throw KeyRingError.unknownMasterKey(missing)
        }
    }

    private static func open<Key>(
        _ stored: [StoredSigningKey], previous: [StoredSigningKey.Identity: Opened<Key>]?,
        by open: (StoredSigningKey) throws -> Key
    ) throws -> (keys: [StoredSigningKey.Identity: Opened<Key>], missing: Set<String>) {
        var keys: [StoredSigningKey.Identity: Opened<Key>] = [:]
        var missing: Set<String> = []
        for key in stored {
            // The key id is the thumbprint, so an earlier key of this identity is the same key, even if it is sealed again.
            let earlier = previous?[key.identity]
            do {
                keys[key.identity] =
                    earlier?.sealed == key.sealedPrivateKey
                    ? earlier : Opened(key: try open(key), sealed: key.sealedPrivateKey)
            } catch KeyRingError.unknownMasterKey(let id) {
                missing.insert(id)
                keys[key.identity] = earlier
            }
        }
        return (keys, missing)
    }

    /// Returns the keys to use at a time, or `nil` without a key for access or challenge tokens.
    func selection(at now: Timestamp, uptime: Int64) -> Selection? {
        func signing(_ schedule: KeySchedule) -> StoredSigningKey.Identity? {
            schedule.signing(at: now) { firstSeen.isReady($0, at: uptime) }?.identity
        }
        guard let accessKey = signing(access).flatMap({ tokenKeys[$0]?.key.signer }),
            let challengeKey = signing(challenge).flatMap({ tokenKeys[$0]?.key.signer })
        else { return nil }
        let spans = [access, challenge, hook].map { $0.span(around: now) }
        return Selection(
            accessKey: accessKey, accessKeys: verifiers(access), challengeKey: challengeKey,
            challengeKeys: verifiers(challenge), hookKey: signing(hook).flatMap { hookKeys[$0]?.key },
            hookKeys: hook.keys.compactMap { hookKeys[$0.identity]?.key },
            span: spans.dropFirst().reduce(spans[0]) { $0.clamped(to: $1) },
            nextReady: firstSeen.nextReady(after: uptime))
    }

    private func verifiers(_ schedule: KeySchedule) -> VerificationKeys {
        VerificationKeys(schedule.keys.compactMap { tokenKeys[$0.identity]?.key.publicKey })
    }
}
