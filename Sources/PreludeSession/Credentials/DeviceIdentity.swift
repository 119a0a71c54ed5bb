internal import Foundation
internal import SessionTokens

/// What the server knows this device by: its key, its id, and what proofs need: the last nonce and the clock's error.
actor DeviceIdentity {
    /// Kept between launches, so that a wrong clock is learned once (promise: it never breaks DPoP).
    private struct Record: Codable, Equatable {
        var version = 1
        var deviceID: String
        /// Lives minutes, so it is not worth a write.
        var nonce: String?
        /// Seconds to add to the device's clock.
        var clockOffset: Double = 0
    }

    /// Seconds; some centuries. A record that says more is damaged, and such a time is none.
    private static let maximumOffset = 1e10

    private let name: String
    private let store: any CredentialStore
    private let keys: any DeviceKeyStore
    private let environment: SDKEnvironment
    private let log: SessionLog
    private var record: Record?
    /// Whether the stored record is of a newer version, which is not ours to replace.
    private var leavesRecordAlone = false
    private var loadedKey: LoadedKey?
    /// A key that was lost once is not looked for again: the next login makes another.
    private var isKeyLost = false

    init(
        name: String, store: any CredentialStore, keys: any DeviceKeyStore, environment: SDKEnvironment,
        log: SessionLog = .none
    ) {
        self.name = name
        self.store = store
        self.keys = GuardedDeviceKeyStore(keys: keys)
        self.environment = environment
        self.log = log
    }

    /// A lower-case UUID that stays the same over logins.
    func id() async throws -> String { try await load().deviceID }

    /// Makes sure that there is a key, for a login; a lost one is replaced.
    func prepareKey() async throws {
        // Alone, or of two logins at once one would be bound to a key that the other has replaced; and read anew, for
        // another process may have replaced it long ago.
        let key = try await store.withLock(name + ".device-key") {
            if let key = try await self.existingKey() { return key }
            self.log(.info, "makes a key of the device")
            return try await self.keys.makeKey(self.name)
        }
        isKeyLost = false
        loadedKey = try LoadedKey(key)
    }

    /// Looks the key up again, for another process may have replaced it together with the session.
    ///
    /// - Returns: Whether it is another one than before.
    func reloadKey() async throws -> Bool {
        let before = loadedKey?.publicKey
        do {
            guard let key = try await keys.key(name).map(LoadedKey.init), key.publicKey != before else { return false }
            loadedKey = key
        } catch PreludeSessionError.deviceKeyLost {
            return false
        }
        isKeyLost = false
        return true
    }

    private func existingKey() async throws -> (any DeviceKey)? {
        if isKeyLost { return nil }
        do {
            return try await keys.key(name)
        } catch PreludeSessionError.deviceKeyLost {
            return nil
        }
    }

    /// The key that a session is bound to.
    ///
    /// - Parameter thumbprint: The key that it has to be, if that is known. Another process may have replaced the one
    ///   that was loaded, so that is looked up again before it counts as lost.
    /// - Throws: `PreludeSessionError.deviceKeyLost` when it is gone, or is another.
    private func sessionKey(_ thumbprint: String?) async throws -> LoadedKey {
        if let loadedKey, loadedKey.has(thumbprint: thumbprint) { return loadedKey }
        guard let key = try await keys.key(name).map(LoadedKey.init) else {
            throw PreludeSessionError.deviceKeyLost("the device key of this session is gone; sign in again")
        }
        loadedKey = key
        guard key.has(thumbprint: thumbprint) else {
            throw PreludeSessionError.deviceKeyLost("the access token is bound to another key; sign in again")
        }
        return key
    }

    /// A proof for one request, in the server's time as far as it is known.
    ///
    /// - Parameters:
    ///   - accessToken: What goes along; one that is bound is good with its own key only.
    ///   - challengeID: The `jti` of the challenge token the proof is for; such a proof bears no nonce.
    ///   - nonce: Whose nonce goes along.
    func proof(
        method: String, target: TargetURI, accessToken: String?, challengeID: String? = nil,
        nonce: ProofNonce = .ofService
    ) async throws -> String {
        let key = try await sessionKey(accessToken.flatMap(AccessTokenBinding.keyThumbprint))
        let record = try await load()
        let time = environment.now().timeIntervalSince1970 + record.clockOffset
        let proof = try DPoPProof(
            publicKey: key.publicKey, method: method, target: target, accessToken: accessToken,
            nonce: challengeID == nil ? nonce.value(service: record.nonce) : nil,
            id: challengeID ?? environment.newProofID(),
            issuedAt: Int64(time))
        do {
            return proof.compact(signature: try key.key.signature(for: Data(proof.signingInput.utf8)))
        } catch PreludeSessionError.deviceKeyLost(let text) {
            loadedKey = nil
            isKeyLost = true
            throw PreludeSessionError.deviceKeyLost(text)
        }
    }

    /// The server's time now, as far as it is known.
    func serverTime() async throws -> Date {
        environment.now().addingTimeInterval(try await load().clockOffset)
    }

    /// Takes over what an answer says of nonce and time.
    ///
    /// An answer may hold tokens, so nothing here may lose it: what cannot be stored is learned for this launch only.
    func learn(nonce: String?, date: Date?, sentAt: Date, receivedAt: Date) async {
        guard var next = record else { return }
        if let nonce, nonce.utf8.count <= DPoPProofChecker.maximumIDLength { next.nonce = nonce }
        // An answer that took long says little about the time; a small difference is only the way it took.
        if let date, receivedAt.timeIntervalSince(sentAt) < 10 {
            let offset = date.timeIntervalSince(receivedAt)
            if abs(offset) < Self.maximumOffset, abs(offset - next.clockOffset) > 5 {
                next.clockOffset = abs(offset) > 5 ? offset : 0
            }
        }
        let isWorthKeeping = next.clockOffset != record?.clockOffset
        record = next
        guard isWorthKeeping else { return }
        log(.info, "learns that the device's clock is wrong", [.number("seconds", Int(next.clockOffset))])
        try? await save(next)
    }

    private func load() async throws -> Record {
        if let record { return record }
        if let data = try await store.read(name + ".device") {
            if let stored = try? JSONDecoder().decode(Record.self, from: data), stored.version == 1,
                stored.clockOffset.magnitude < Self.maximumOffset
            {
                record = record ?? stored
                return record ?? stored
            }
            // One that nobody understands is made anew: it holds nothing that a session depends on.
            leavesRecordAlone = RecordVersion.isNewer(than: 1, data)
        }
        let made = Record(deviceID: environment.newDeviceID())
        if let record { return record }
        record = made
        try await save(made)
        return made
    }

    private func save(_ record: Record) async throws {
        guard !leavesRecordAlone else { return }
        try await store.write(try JSONEncoder().encode(record), to: name + ".device")
    }
}

/// Nonces belong to the server that gave them (RFC 9449 §8, §9).
enum ProofNonce: Sendable {
    /// The session service's last one, if there was one.
    case ofService
    /// That of another server, if there was one.
    case from(String?)

    func value(service: String?) -> String? {
        switch self {
        case .ofService: service
        case .from(let nonce): nonce
        }
    }
}
