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
    private let ready: [KeySightings.Name: Int64]

    /// A key exactly as it is stored, its purpose included.
    private struct Sealed: Hashable {
        let keyID: String
        let purpose: StoredSigningKey.Purpose
        let bytes: Data

        init(_ stored: StoredSigningKey) {
            keyID = stored.keyID
            purpose = stored.purpose
            bytes = stored.sealedPrivateKey
        }
    }

    /// - Parameters:
    ///   - previous: What was opened before; a key that is stored as it was is not opened again, for with RSA that is
    ///     work.
    ///   - ready: The uptime from which each key may sign; one that is not named may do so at any time.
    /// - Throws: When a key cannot be opened: signing without it, or not verifying with it, would fail later and less clearly.
    init(
        _ stored: [StoredSigningKey], keys: KeyRing, previous: OpenedKeys? = nil,
        ready: [KeySightings.Name: Int64] = [:]
    ) throws {
        self.ready = ready
        access = KeySchedule(stored, purpose: .access)
        challenge = KeySchedule(stored, purpose: .challenge)
        hook = KeySchedule(stored, purpose: .hook)
        tokenKeys = try Self.open(access.keys + challenge.keys, previous: previous?.tokenKeys, by: keys.open)
        hookKeys = try Self.open(hook.keys, previous: previous?.hookKeys, by: keys.openHookKey)
    }

    private static func open<Key>(
        _ stored: [StoredSigningKey], previous: [Sealed: Key]?, by open: (StoredSigningKey) throws -> Key
    ) rethrows -> [Sealed: Key] {
        let opened = try stored.map { (Sealed($0), try previous?[Sealed($0)] ?? open($0)) }
        return Dictionary(opened) { first, _ in first }
    }

    /// `nil` without keys for tokens.
    func choice(at now: Timestamp, uptime: Int64) -> Choice? {
        func signing(_ schedule: KeySchedule) -> Sealed? {
            schedule.signing(at: now) { uptime >= ready[KeySightings.Name($0)] ?? .min }.map(Sealed.init)
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
