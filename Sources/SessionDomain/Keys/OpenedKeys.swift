internal import Foundation
internal import SessionRSA
internal import SessionTokens

/// All keys of an app, opened once; the clock says which of them count.
struct OpenedKeys: Sendable {
    /// What counts between two moments.
    struct Choice: Sendable {
        let accessKey: any TokenSigner
        let accessKeys: VerificationKeys
        let challengeKey: any TokenSigner
        let challengeKeys: VerificationKeys
        let hookKey: RSASigningKey?
        let hookKeys: [RSASigningKey]
        let span: Range<Timestamp>
        /// The uptime until which it counts: then a key is known everywhere whose time came before.
        let readyAt: Int64

        func counts(at now: Timestamp, uptime: Int64) -> Bool { span.contains(now) && uptime < readyAt }
    }

    private let access: KeySchedule
    private let challenge: KeySchedule
    private let hook: KeySchedule
    private let tokenKeys: [Sealed: OpenedSigningKey]
    private let hookKeys: [Sealed: RSASigningKey]
    /// The uptime from which each key may sign.
    private let ready: [KeyFirstSeen.Name: Int64]
    /// The names of master keys that are missing: what they seal was opened before, or does not count yet.
    let missingMasterKeys: Set<String>

    /// A key exactly as it is stored, its purpose included.
    private struct Sealed: Hashable {
        let name: KeyFirstSeen.Name
        let bytes: Data

        init(_ stored: StoredSigningKey) {
            name = KeyFirstSeen.Name(stored)
            bytes = stored.sealedPrivateKey
        }
    }

    /// - Parameters:
    ///   - previous: What was opened before; a key that is stored as it was is not opened again, for with RSA that is
    ///     work.
    ///   - ready: The uptime from which each key may sign; one that is not named may do so at any time.
    /// - Throws: When a key cannot be opened: signing without it, or not verifying with it, would fail later and less
    ///   clearly. One that is sealed under another master key while this process runs is no reason to stop, as long as
    ///   there are others: it is the same key as before, or one that does not count here until that master key is known.
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
                // The name of a key is its thumbprint, so this is the same one under another seal.
                keys[Sealed(key)] = earlier[KeyFirstSeen.Name(key)]
            }
        }
        return (keys, missing)
    }

    /// `nil` without keys for tokens.
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
