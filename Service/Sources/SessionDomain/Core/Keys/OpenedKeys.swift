internal import Crypto
internal import Foundation
internal import SessionRSA
internal import SessionTokens
internal import Synchronization

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

/// When this process first saw each key of an app, measured by uptime.
///
/// A key signs when its `activeFrom` has passed *and* it has been published for long enough. The system clock decides the
/// first. Uptime decides the second, so that a system clock that is set forward cannot shorten it.
private struct KeyFirstSeen: Sendable {
    /// The uptime in milliseconds from which each key may sign.
    private let readyAt: [StoredSigningKey.Identity: Int64]

    /// - Parameters:
    ///   - keys: All stored keys of the app.
    ///   - previous: The times of the keys that this process has loaded before. `nil` on the first load.
    ///   - uptime: Uptime in milliseconds.
    init(
        _ keys: [StoredSigningKey], previous: KeyFirstSeen?, policy: KeyRotationPolicy, now: Timestamp, uptime: Int64
    ) {
        var readyAt: [StoredSigningKey.Identity: Int64] = [:]
        for key in keys {
            // Only the system clock knows the age of keys that are older than this process.
            let age = previous == nil ? max(0, now.milliseconds - key.createdAt.milliseconds) : 0
            readyAt[key.identity] =
                previous?.readyAt[key.identity] ?? uptime + max(0, Int64(policy.propagationTime) * 1000 - age)
        }
        self.readyAt = readyAt
    }

    /// Whether every node and verifier must have the key at this uptime.
    func isReady(_ key: StoredSigningKey, at uptime: Int64) -> Bool {
        uptime >= readyAt[key.identity] ?? .min
    }

    /// The next uptime at which a key becomes ready; `Int64.max` if all are.
    func nextReady(after uptime: Int64) -> Int64 {
        readyAt.values.filter { $0 > uptime }.min() ?? .max
    }
}

/// The last signatures that one key has verified or made. A client shows the same token again and again, and a challenge
/// token returns to the process that issued it. To find it here costs a hash; to verify Ed25519 costs a million instructions.
///
/// An entry is the SHA-256 of a signature and its message. So only the same signature of the same message is known. Each key
/// has its own entries, and they end with it. Whether the app still has the key, and the audience and times of the token, are
/// checked with each use.
final class KnownSignatures: Sendable {
    /// The most entries of a key, with 32 bytes each.
    static let capacity = 256

    private let entries = RecentValues<SHA256Digest, Void>(capacity: capacity)

    fileprivate static func entry(_ signature: Data, _ message: Data) -> SHA256Digest {
        var hash = SHA256()
        // Without the length, a byte could move from the message to the signature, and the pair would still be known.
        withUnsafeBytes(of: signature.count) { hash.update(bufferPointer: $0) }
        hash.update(data: signature)
        hash.update(data: message)
        return hash.finalize()
    }

    fileprivate func contains(_ entry: SHA256Digest) -> Bool { entries.value(for: entry) != nil }

    fileprivate func insert(_ entry: SHA256Digest) { entries.keep((), for: entry) }
}

extension OpenedSigningKey {
    /// The same key, which verifies a signature once.
    ///
    /// - Parameter includingOwn: Whether the signatures that this process makes are known, too.
    func rememberingSignatures(includingOwn: Bool) -> OpenedSigningKey {
        let known = KnownSignatures()
        return OpenedSigningKey(
            signer: includingOwn ? RememberingSigner(signer: signer, known: known) : signer,
            publicKey: RememberingVerifier(key: publicKey, known: known))
    }
}

private struct RememberingVerifier: VerificationKey {
    let key: any VerificationKey
    let known: KnownSignatures

    var algorithm: SignatureAlgorithm { key.algorithm }
    var thumbprint: String { key.thumbprint }
    var requiredMembers: [String: String] { key.requiredMembers }

    func isValidSignature(_ signature: Data, for message: Data) -> Bool {
        let entry = KnownSignatures.entry(signature, message)
        if known.contains(entry) { return true }
        guard key.isValidSignature(signature, for: message) else { return false }
        known.insert(entry)
        return true
    }
}

private struct RememberingSigner: TokenSigner {
    let signer: any TokenSigner
    let known: KnownSignatures

    var keyID: String { signer.keyID }
    var algorithm: SignatureAlgorithm { signer.algorithm }

    func signature(for message: Data) throws -> Data {
        let signature = try signer.signature(for: message)
        known.insert(KnownSignatures.entry(signature, message))
        return signature
    }
}

/// A bounded memory of values that are found again and again, such as the parsed form of a text that clients repeat.
///
/// It has two generations. When the recent one is full, the earlier one is dropped and the recent one takes its place. So a
/// value that was used since the last change stays.
package final class RecentValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Generations {
        var recent: [Key: Value] = [:]
        var earlier: [Key: Value] = [:]
    }

    private let capacityOfGeneration: Int
    private let generations = Mutex(Generations())

    /// - Parameter capacity: The most values, at least 2.
    package init(capacity: Int) { capacityOfGeneration = capacity / 2 }

    package func value(for key: Key) -> Value? {
        generations.withLock { generations in
            if let value = generations.recent[key] { return value }
            guard let value = generations.earlier[key] else { return nil }
            insert(value, for: key, &generations)
            return value
        }
    }

    package func keep(_ value: Value, for key: Key) {
        generations.withLock { insert(value, for: key, &$0) }
    }

    private func insert(_ value: Value, for key: Key, _ generations: inout Generations) {
        if generations.recent.count >= capacityOfGeneration, generations.recent[key] == nil {
            generations.earlier = generations.recent
            generations.recent = [:]
        }
        generations.recent[key] = value
    }
}
