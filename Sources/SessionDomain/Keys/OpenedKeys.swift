internal import Foundation
internal import SessionRSA
internal import SessionTokens

/// All keys of an app, opened once. `choice` selects those that sign at a given time.
struct OpenedKeys: Sendable {
    /// The keys that are used during `span`, until `readyAt`.
    struct Choice: Sendable {
        let accessKey: any TokenSigner
        let accessKeys: VerificationKeys
        let challengeKey: any TokenSigner
        let challengeKeys: VerificationKeys
        let hookKey: RSASigningKey?
        let hookKeys: [RSASigningKey]
        let span: Range<Timestamp>
        /// The uptime in milliseconds at which the next key may sign. The choice is outdated from then on.
        let readyAt: Int64

        func counts(at now: Timestamp, uptime: Int64) -> Bool { span.contains(now) && uptime < readyAt }
    }

    private let access: KeySchedule
    private let challenge: KeySchedule
    private let hook: KeySchedule
    private let tokenKeys: [Sealed: OpenedSigningKey]
    private let hookKeys: [Sealed: RSASigningKey]
    /// The uptime in milliseconds from which each key may sign.
    private let ready: [KeyFirstSeen.Name: Int64]
    /// The ids of missing master keys. Keys that they seal are used only if they were opened before.
    let missingMasterKeys: Set<String>

    /// A key exactly as it is stored, including its purpose.
    private struct Sealed: Hashable {
        let name: KeyFirstSeen.Name
        let bytes: Data

        init(_ stored: StoredSigningKey) {
            name = KeyFirstSeen.Name(stored)
            bytes = stored.sealedPrivateKey
        }
    }

    /// - Parameters:
    ///   - previous: The keys that were opened before. A key whose stored form is unchanged is not opened again, because
    ///     that is slow for RSA.
    ///   - ready: The uptime in milliseconds from which each key may sign. A key that is missing here may sign at any time.
    /// - Throws: `KeyRingError` if a key cannot be opened: without it, signing or verifying would fail later with a less
    ///   clear error. A key that is sealed with a missing master key is no error as long as others remain: it was opened
    ///   before, or it is ignored until this process has that master key.
    init(
        _ stored: [StoredSigningKey], keys: KeyRing, previous: OpenedKeys? = nil,
        ready: [KeyFirstSeen.Name: Int64] = [:]
    ) throws {
        self.ready = ready
        let tokens = try Self.open(
            stored.filter { $0.purpose != .hook }, previous: previous?.tokenKeys, by: keys.open)
        let hooks = try Self.open(
            stored.filter { $0.purpose == .hook }, previous: previous?.hookKeys, by: keys.openHookKey)
        (tokenKeys, hookKeys) = (tokens.keys, hooks.keys)
        missingMasterKeys = tokens.missing.union(hooks.missing)
        let usable = stored.filter { tokens.keys[Sealed($0)] != nil || hooks.keys[Sealed($0)] != nil }
        access = KeySchedule(usable, purpose: .access)
        challenge = KeySchedule(usable, purpose: .challenge)
        hook = KeySchedule(usable, purpose: .hook)
        if let missing = missingMasterKeys.min(), access.keys.isEmpty || challenge.keys.isEmpty {
            throw KeyRingError.unknownMasterKey(missing)
        }
    }

    private static func open<Key>(
        _ stored: [StoredSigningKey], previous: [Sealed: Key]?, by open: (StoredSigningKey) throws -> Key
    ) throws -> (keys: [Sealed: Key], missing: Set<String>) {
        let earlier = Dictionary((previous ?? [:]).map { ($0.key.name, $0.value) }) { first, _ in first }
        var (keys, missing): ([Sealed: Key], Set<String>) = ([:], [])
        for key in stored {
            do {
                keys[Sealed(key)] = try previous?[Sealed(key)] ?? open(key)
            } catch KeyRingError.unknownMasterKey(let id) {
                missing.insert(id)
                // The key id is the thumbprint, so this is the same key, sealed again.
                keys[Sealed(key)] = earlier[KeyFirstSeen.Name(key)]
            }
        }
        return (keys, missing)
    }

    /// Returns the keys to use at a time, or `nil` without a key for access or challenge tokens.
    func choice(at now: Timestamp, uptime: Int64) -> Choice? {
        func signing(_ schedule: KeySchedule) -> Sealed? {
            schedule.signing(at: now) { uptime >= ready[KeyFirstSeen.Name($0)] ?? .min }.map(Sealed.init)
        }
        guard let accessKey = signing(access).flatMap({ tokenKeys[$0]?.signer }),
            let challengeKey = signing(challenge).flatMap({ tokenKeys[$0]?.signer })
        else { return nil }
        let spans = [access, challenge, hook].map { $0.span(around: now) }
        return Choice(
            accessKey: accessKey, accessKeys: verifiers(access), challengeKey: challengeKey,
            challengeKeys: verifiers(challenge), hookKey: signing(hook).flatMap { hookKeys[$0] },
            hookKeys: hook.keys.compactMap { hookKeys[Sealed($0)] },
            span: spans.dropFirst().reduce(spans[0]) { $0.clamped(to: $1) },
            readyAt: ready.values.filter { $0 > uptime }.min() ?? .max)
    }

    private func verifiers(_ schedule: KeySchedule) -> VerificationKeys {
        VerificationKeys(schedule.keys.compactMap { tokenKeys[Sealed($0)]?.publicKey })
    }
}
