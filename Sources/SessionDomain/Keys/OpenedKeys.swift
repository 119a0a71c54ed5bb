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
    }

    private let access: KeySchedule
    private let challenge: KeySchedule
    private let hook: KeySchedule
    private let tokenKeys: [Sealed: OpenedSigningKey]
    private let hookKeys: [Sealed: RSASigningKey]

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

    /// - Parameter previous: What was opened before; a key that is stored as it was is not opened again, for with RSA
    ///   that is work.
    /// - Throws: When a key cannot be opened: signing without it, or not verifying with it, would fail later and less clearly.
    init(_ stored: [StoredSigningKey], keys: KeyRing, previous: OpenedKeys? = nil) throws {
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
    func choice(at now: Timestamp) -> Choice? {
        guard let accessKey = signer(access, at: now), let challengeKey = signer(challenge, at: now) else { return nil }
        let spans = [access, challenge, hook].map { $0.span(around: now) }
        return Choice(
            accessKey: accessKey, accessKeys: verifiers(access, at: now), challengeKey: challengeKey,
            challengeKeys: verifiers(challenge, at: now),
            hookKey: hook.signing(at: now).flatMap { hookKeys[Sealed($0)] },
            hookKeys: hook.published(at: now).compactMap { hookKeys[Sealed($0)] },
            span: spans.dropFirst().reduce(spans[0]) { $0.clamped(to: $1) })
    }

    private func signer(_ schedule: KeySchedule, at now: Timestamp) -> (any TokenSigner)? {
        schedule.signing(at: now).flatMap { tokenKeys[Sealed($0)]?.signer }
    }

    private func verifiers(_ schedule: KeySchedule, at now: Timestamp) -> VerificationKeys {
        VerificationKeys(schedule.published(at: now).compactMap { tokenKeys[Sealed($0)]?.publicKey })
    }
}
