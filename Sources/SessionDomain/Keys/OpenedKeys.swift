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
    private let tokenKeys: [String: OpenedSigningKey]
    private let hookKeys: [String: RSASigningKey]

    /// - Throws: When a key cannot be opened: signing without it, or not verifying with it, would fail later and less clearly.
    init(_ stored: [StoredSigningKey], keys: KeyRing) throws {
        access = KeySchedule(stored, purpose: .access)
        challenge = KeySchedule(stored, purpose: .challenge)
        hook = KeySchedule(stored, purpose: .hook)
        tokenKeys = Dictionary(try (access.keys + challenge.keys).map { ($0.keyID, try keys.open($0)) }) { first, _ in
            first
        }
        hookKeys = Dictionary(try hook.keys.map { ($0.keyID, try keys.openHookKey($0)) }) { first, _ in first }
    }

    /// `nil` without keys for tokens.
    func choice(at now: Timestamp) -> Choice? {
        guard let accessKey = signer(access, at: now), let challengeKey = signer(challenge, at: now) else { return nil }
        let spans = [access, challenge, hook].map { $0.span(around: now) }
        return Choice(
            accessKey: accessKey, accessKeys: verifiers(access, at: now), challengeKey: challengeKey,
            challengeKeys: verifiers(challenge, at: now),
            hookKey: hook.signing(at: now).flatMap { hookKeys[$0.keyID] },
            hookKeys: hook.published(at: now).compactMap { hookKeys[$0.keyID] },
            span: spans.dropFirst().reduce(spans[0]) { $0.clamped(to: $1) })
    }

    private func signer(_ schedule: KeySchedule, at now: Timestamp) -> (any TokenSigner)? {
        schedule.signing(at: now).flatMap { tokenKeys[$0.keyID]?.signer }
    }

    private func verifiers(_ schedule: KeySchedule, at now: Timestamp) -> VerificationKeys {
        VerificationKeys(schedule.published(at: now).compactMap { tokenKeys[$0.keyID]?.publicKey })
    }
}
