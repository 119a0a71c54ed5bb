internal import Crypto
internal import Foundation
internal import SessionTokens

/// The device as the server knows it: its id and its key. It also keeps the last nonce and the clock's error for proofs.
actor DeviceIdentity {
    private let records: RecordStore
    private let keys: any PreludeDeviceKeyStore
    private let environment: SDKEnvironment
    private let log: SessionLog
    private var record: DeviceRecord?
    /// Whether a newer version of the SDK wrote the stored record, so that it must not be replaced.
    private var isRecordReadOnly = false
    private var proofKey: ProofKey?
    private var proofIDs = ProofIDs()
    /// A lost key is not looked up again: the next login creates another one.
    private var isKeyLost = false

    init(records: RecordStore, keys: any PreludeDeviceKeyStore, environment: SDKEnvironment, log: SessionLog = .none) {
        self.records = records
        self.keys = GuardedDeviceKeyStore(keys: keys)
        self.environment = environment
        self.log = log
    }

    /// A lower-case UUID, the same in all logins.
    func id() async throws -> String { try await load().deviceID }

    // MARK: The key

    /// Loads the key for a login, and creates one if there is none or it is lost.
    func prepareKey() async throws {
        // Under a lock, or one of two concurrent logins would be bound to a key that the other has replaced. The key is
        // read again, because another process may have replaced it.
        let key = try await records.withLock(.deviceKey) {
            if let key = try await self.existingKey() { return key }
            self.log(.info, "creates a device key")
            return try await self.keys.makeKey(self.records.endpoint)
        }
        isKeyLost = false
        proofKey = try ProofKey(key)
    }

    /// Looks up the key again. Another process may have replaced it together with the session.
    ///
    /// - Returns: Whether it is another key than before.
    func reloadKey() async throws -> Bool {
        let before = proofKey?.publicKey
        do {
            guard let key = try await keys.key(records.endpoint).map(ProofKey.init), key.publicKey != before else {
                return false
            }
            proofKey = key
        } catch PreludeSessionError.deviceKeyLost {
            return false
        }
        isKeyLost = false
        return true
    }

    private func existingKey() async throws -> (any PreludeDeviceKey)? {
        if isKeyLost { return nil }
        do {
            return try await keys.key(records.endpoint)
        } catch PreludeSessionError.deviceKeyLost {
            return nil
        }
    }

    /// The key that the session is bound to.
    ///
    /// - Parameter thumbprint: The key in the access token, if it is bound to one. A loaded key that does not match is
    ///   looked up again first: another process may have replaced it.
    /// - Throws: `PreludeSessionError.deviceKeyLost` when the key is missing or another one.
    private func sessionKey(_ thumbprint: String?) async throws -> ProofKey {
        if let proofKey, proofKey.matches(thumbprint: thumbprint) { return proofKey }
        guard let key = try await keys.key(records.endpoint).map(ProofKey.init) else {
            throw PreludeSessionError.deviceKeyLost("the device key of this session is missing; sign in again")
        }
        proofKey = key
        guard key.matches(thumbprint: thumbprint) else {
            throw PreludeSessionError.deviceKeyLost("the access token is bound to another device key; sign in again")
        }
        return key
    }

    /// A proof for one request, with the server's time as far as it is known (RFC 9449 §4.2).
    ///
    /// - Parameters:
    ///   - token: The access token of the request. A bound token needs a proof by its own key.
    ///   - challengeID: `jti` of the challenge token that the proof is for. Such a proof has no nonce.
    ///   - attempt: The id of the login that starts a session, or of the rotation that a refresh begins or repeats.
    ///   - nonce: Which server's nonce the proof contains.
    func proof(
        method: String, target: TargetURI, token: AccessTokenBinding?, challengeID: String? = nil,
        attempt: String? = nil, nonce: ProofNonce = .ofService
    ) async throws -> String {
        let key = try await sessionKey(token?.keyThumbprint)
        let record = try await load()
        let time = environment.now().timeIntervalSince1970 + record.clockOffset
        let proof = DPoPProof(
            header: key.proofHeader, method: method, target: target, accessTokenHash: token?.hash,
            nonce: challengeID == nil ? nonce.value(service: record.nonce) : nil,
            attempt: attempt, id: challengeID ?? proofIDs.next(environment.randomBytes),
            issuedAt: Int64(time))
        do {
            return proof.compact(signature: try key.key.signature(for: proof.signingInput))
        } catch PreludeSessionError.deviceKeyLost(let text) {
            proofKey = nil
            isKeyLost = true
            throw PreludeSessionError.deviceKeyLost(text)
        }
    }

    // MARK: The record

    /// Now, by the server's clock as far as it is known.
    func serverTime() async throws -> Date {
        environment.now().addingTimeInterval(try await load().clockOffset)
    }

    /// Takes over nonce and time of a response.
    ///
    /// It never throws, because the response may contain tokens. An offset that cannot be stored is kept in memory.
    func learn(nonce: String?, date: Date?, sentAt: Date, receivedAt: Date) async {
        guard let old = record else { return }
        var new = old
        new.learn(nonce: nonce)
        new.learn(date: date, sentAt: sentAt, receivedAt: receivedAt)
        record = new
        guard new.clockOffset != old.clockOffset else { return }
        log(.info, "the device's clock is wrong", [.number("seconds", Int64(new.clockOffset))])
        try? await save(new)
    }

    /// The host of the last passkey, to name it when a passkey is deleted; `nil` if it is not known.
    func relyingPartyID() async -> String? { try? await load().relyingPartyID }

    /// Takes over the host of a passkey. It is kept in memory if it cannot be stored.
    func learn(relyingPartyID: String) async {
        guard var new = try? await load(), new.relyingPartyID != relyingPartyID else { return }
        new.relyingPartyID = relyingPartyID
        record = new
        try? await save(new)
    }

    private func load() async throws -> DeviceRecord {
        if let record { return record }
        switch try await records.read(DeviceRecord.self) {
        case .valid(let stored) where stored.isPlausible:
            // Another call may have loaded it meanwhile, and learned more.
            let loaded = record ?? stored
            record = loaded
            return loaded
        case .newerVersion: isRecordReadOnly = true
        // A damaged record is replaced: no session depends on it.
        case .valid, .invalid: isRecordReadOnly = false
        case nil: break
        }
        let new = DeviceRecord(deviceID: environment.newDeviceID())
        if let record { return record }
        record = new
        try await save(new)
        return new
    }

    private func save(_ record: DeviceRecord) async throws {
        if !isRecordReadOnly { try await records.write(record) }
    }
}

/// The nonce of a proof. A nonce is valid only at the server that sent it (RFC 9449 §8, §9).
enum ProofNonce: Sendable {
    /// The session service's last nonce, if there is one.
    case ofService
    /// The last nonce of one of the app's backends, if there is one.
    case ofBackend(String?)

    fileprivate func value(service: String?) -> String? {
        switch self {
        case .ofService: service
        case .ofBackend(let nonce): nonce
        }
    }
}

/// New `jti` values of proofs, each with 128 random bits (RFC 9449 §4.2).
///
/// It takes the random bytes of 16 proofs at once: a call of the system for each proof took 4 % of the time of its
/// signature. An id must be unique. It is no secret, so its bytes may wait in memory.
struct ProofIDs: Sendable {
    private static let length = 16
    private static let idsOfOneCall = 16

    private var unused: ArraySlice<UInt8> = []

    /// - Parameter randomBytes: Returns that many random bytes.
    mutating func next(_ randomBytes: (Int) -> [UInt8]) -> String {
        if unused.count < Self.length { unused = randomBytes(Self.length * Self.idsOfOneCall)[...] }
        defer { unused = unused.dropFirst(Self.length) }
        return Base64URL.encode(unused.prefix(Self.length))
    }
}

/// A device key with its public half as a JWK and as the header of proofs, so that it is checked, hashed and encoded once.
private struct ProofKey: Sendable {
    let key: any PreludeDeviceKey
    let publicKey: PublicJWK
    let proofHeader: DPoPProofHeader

    /// - Throws: `PreludeSessionError.deviceKeyLost` for a key of another type.
    init(_ key: any PreludeDeviceKey) throws {
        guard let publicKey = try? P256.Signing.PublicKey(rawRepresentation: key.publicKey) else {
            throw PreludeSessionError.deviceKeyLost("the device key is not a P-256 key; sign in again")
        }
        self.key = key
        self.publicKey = PublicJWK(publicKey)
        proofHeader = DPoPProofHeader(publicKey: self.publicKey)
    }

    /// Whether the key has this thumbprint (RFC 7638). `nil` matches any key.
    func matches(thumbprint: String?) -> Bool { thumbprint.map { $0 == publicKey.thumbprint } ?? true }
}

/// The record of what the server knows about this device, and of what the SDK has learned about the server.
struct DeviceRecord: VersionedRecord, Equatable {
    static let recordName = RecordName.device

    var version = DeviceRecord.currentVersion
    /// A lower-case UUID, the same in all logins.
    var deviceID: String
    /// The service's last DPoP nonce. It is valid for minutes, so a new nonce alone is not stored.
    var nonce: String?
    /// Seconds to add to the device's clock to get the server's time.
    var clockOffset: Double = 0
    /// The host that the last passkey was for.
    var relyingPartyID: String?

    /// Seconds; some centuries. A record with a larger offset is damaged.
    private static let maximumOffset = 1e10

    /// Seconds. A smaller difference is the duration of the request, not an error of the clock.
    private static let tolerance = 5.0

    /// Seconds. A slower response says little about the server's time.
    private static let maximumDelay = 10.0

    var isPlausible: Bool { clockOffset.magnitude < Self.maximumOffset }

    /// Takes over the nonce of a response, if it has a valid one.
    mutating func learn(nonce: String?) {
        if let nonce, nonce.utf8.count <= DPoPProofChecker.maximumIDLength { self.nonce = nonce }
    }

    /// Takes over the server's time from a response.
    ///
    /// - Parameters:
    ///   - date: The `Date` header.
    ///   - sentAt: When the request was sent, by the device's clock.
    ///   - receivedAt: When the response arrived, by the device's clock.
    mutating func learn(date: Date?, sentAt: Date, receivedAt: Date) {
        guard let date, receivedAt.timeIntervalSince(sentAt) < Self.maximumDelay else { return }
        let offset = date.timeIntervalSince(receivedAt)
        guard abs(offset) < Self.maximumOffset, abs(offset - clockOffset) > Self.tolerance else { return }
        clockOffset = abs(offset) > Self.tolerance ? offset : 0
    }
}
