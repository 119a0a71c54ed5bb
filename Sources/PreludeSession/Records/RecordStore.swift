internal import Crypto
internal import Foundation

/// The records and locks of one endpoint in a credential store.
struct RecordStore: Sendable {
    let store: any PreludeCredentialStore
    /// Begins the names of all records: host and port, then `_` and the overridden host if there is one.
    let endpoint: String

    /// The content of a record; `nil` only when the store has none.
    func read<Record: VersionedRecord>(_ type: Record.Type) async throws -> RecordContent<Record>? {
        try await store.read(Record.recordName.storageName(endpoint: endpoint)).map(RecordContent.init)
    }

    func write<Record: VersionedRecord>(_ record: Record) async throws {
        try await store.write(try record.encoded(), to: Record.recordName.storageName(endpoint: endpoint))
    }

    func delete<Record: VersionedRecord>(_ type: Record.Type) async throws {
        try await store.delete(Record.recordName.storageName(endpoint: endpoint))
    }

    /// Runs the work while no other client in any process holds the same lock.
    func withLock<Answer: Sendable>(
        _ lock: RecordLock, _ work: @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try await FileLock.$isReleasedAtExpiry.withValue(lock.isHeldAcrossNetwork) {
            try await store.withLock(lock.storageName(endpoint: endpoint), work)
        }
    }

    /// The stored session; `nil` only when the store has none.
    ///
    /// - Throws: `.storageUnavailable` for a record that this version of the SDK cannot read.
    func session() async throws -> StoredSession? {
        try await store.read(RecordName.session.storageName(endpoint: endpoint)).map(StoredSession.decode)
    }
}

/// The attempts of rotations. Each has a record of its own, named after the refresh token that it spends.
///
/// A record for all tokens would have to be replaced, and two processes could replace it at once.
extension RecordStore {
    /// How often other processes may create and delete the record meanwhile.
    private static let maximumRounds = 4

    /// The id of the attempt that spends a refresh token: the stored one, or this new one, which is stored then.
    ///
    /// - Parameter replacing: Whether to delete the stored attempt first.
    /// - Throws: `.storageUnavailable` if it cannot be stored or read. Then no request may be sent.
    func attempt(for refreshToken: String, newID: String, replacing: Bool = false) async throws -> String {
        let name = attemptName(Self.suffix(of: refreshToken))
        if replacing { try await store.delete(name) }
        let new = try RotationAttempt(id: newID).encoded()
        for _ in 0..<Self.maximumRounds {
            if try await store.create(new, at: name) { return newID }
            // `nil`: another process has finished the rotation, or has deleted a damaged record.
            guard let data = try await store.read(name) else { continue }
            let content = RecordContent<RotationAttempt>(data)
            if case .invalid = content {
                try await store.delete(name)
            } else {
                return try content.record(orThrow: Self.unsettled).id
            }
        }
        throw Self.unsettled
    }

    /// The attempts that a renewed session must still delete: of the token that it spends, and earlier ones that could not
    /// be deleted. The store cannot list its records, so the session's record names them.
    func attemptsToForget(of session: StoredSession) async -> [String] {
        await delete(attempts: session.spentAttempts ?? []) + [Self.suffix(of: session.refreshToken)]
    }

    /// Deletes the attempts of a refresh token that is not used any more, and of those before it.
    func deleteAttempts(of session: StoredSession?) async {
        guard let session else { return }
        _ = await delete(attempts: (session.spentAttempts ?? []) + [Self.suffix(of: session.refreshToken)])
    }

    /// - Returns: Those that the store did not delete.
    private func delete(attempts: [String]) async -> [String] {
        var remaining: [String] = []
        for attempt in attempts {
            do { try await store.delete(attemptName(attempt)) } catch { remaining.append(attempt) }
        }
        return remaining
    }

    private static let unsettled = PreludeSessionError.storageUnavailable(
        "the record of a refresh changes again and again; try again")

    private func attemptName(_ suffix: String) -> String {
        RecordName.attempt.storageName(endpoint: endpoint) + "." + suffix
    }

    /// The end of the name of a token's attempt.
    private static func suffix(of refreshToken: String) -> String {
        let hash = SHA256.hash(data: Data(refreshToken.utf8)).prefix(8)
        return hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

/// The record of a rotation that was begun: the id that all its requests carry.
///
/// It is stored before anything is sent. So a request that is repeated later, by this or another process, is recognized by
/// the server as the same rotation, and a request of another holder of key and token is not.
private struct RotationAttempt: VersionedRecord, Equatable {
    static let recordName = RecordName.attempt

    var version = RotationAttempt.currentVersion
    /// base64url of 16 random bytes.
    var id: String
}

/// The records that the SDK keeps for one endpoint in a credential store.
///
/// Raw values are part of stored names, so they never change.
enum RecordName: String, CaseIterable, Sendable {
    /// The session's tokens.
    case session
    /// The attempt id of a rotation. The stored name continues with a hash of the refresh token.
    case attempt
    /// The device's id, the clock's error and the last nonce.
    case device
    /// Open step-up challenges.
    case stepUps = "stepup"
    /// Ended sessions that the server must still revoke.
    case revocations
    /// The token of a device on which a user has signed in before.
    case trustedDevice = "trusted-device"
    /// The login that waits for its code.
    case login
    /// Why the last session ended.
    case signOut = "sign-out"
    /// A software device key.
    case softwareKey = "key"
    /// The Secure Enclave's blob of a device key.
    case enclaveKey = "enclave-key"

    /// The name in the store, such as `localhost:8080.session`.
    func storageName(endpoint: String) -> String { endpoint + "." + rawValue }
}

/// The locks that the SDK takes for one endpoint in a credential store. Clients in all processes must agree on them.
enum RecordLock: String, CaseIterable, Sendable {
    /// Held while the session record is compared and replaced.
    case sessionWrite = "write"
    /// Held during a whole refresh, network included.
    case refresh
    /// Held while a login looks up or creates the device key.
    case deviceKey = "device-key"
    /// Held while the record of step-ups is merged and written.
    case stepUps = "stepup"
    /// Held while the record of revocations is changed.
    case revocations

    /// Whether the work under the lock waits for the network. Then the lock may be released before the work ends, when the
    /// system suspends the process. The work under all other locks is short and must not be interrupted.
    var isHeldAcrossNetwork: Bool { self == .refresh }

    /// The name in the store, such as `localhost:8080.write`.
    func storageName(endpoint: String) -> String { endpoint + "." + rawValue }
}

/// A stored value with a version, encoded as JSON.
///
/// Add a member only as an optional. For any other change raise `currentVersion` and decode the older versions too.
protocol VersionedRecord: Codable, Sendable {
    /// Where the record is stored.
    static var recordName: RecordName { get }
    /// The version that this SDK writes.
    static var currentVersion: Int { get }
    /// How the record's dates are encoded.
    static var dateFormat: RecordDateFormat { get }
    /// The version of the SDK's record format that wrote this record.
    var version: Int { get }
}

/// How a record encodes dates. Each record keeps the format of its first version.
enum RecordDateFormat: Sendable {
    /// Seconds since 2001-01-01, the default of `Codable`.
    case referenceDate
    /// Seconds since 1970-01-01.
    case unixTime
}

extension VersionedRecord {
    static var currentVersion: Int { 1 }
    static var dateFormat: RecordDateFormat { .referenceDate }

    /// The bytes to store.
    func encoded() throws -> Data {
        let encoder = JSONEncoder()
        if Self.dateFormat == .unixTime { encoder.dateEncodingStrategy = .secondsSince1970 }
        return try encoder.encode(self)
    }
}

/// What the bytes of a record mean to this version of the SDK. All version checks happen here.
enum RecordContent<Record: VersionedRecord>: Sendable {
    case valid(Record)
    /// Written by a newer version of the SDK. Never replace or delete it on your own.
    case newerVersion
    /// Damaged, or not a record of this kind.
    case invalid

    private struct Version: Decodable { let version: Int }

    init(_ data: Data) {
        let decoder = JSONDecoder()
        if Record.dateFormat == .unixTime { decoder.dateDecodingStrategy = .secondsSince1970 }
        // The version first: a newer record may have another shape.
        guard let version = (try? decoder.decode(Version.self, from: data))?.version, version > 0 else {
            self = .invalid
            return
        }
        guard version <= Record.currentVersion else {
            self = .newerVersion
            return
        }
        self = (try? decoder.decode(Record.self, from: data)).map(Self.valid) ?? .invalid
    }

    var isNewerVersion: Bool { if case .newerVersion = self { true } else { false } }

    /// The record.
    ///
    /// - Throws: `.storageUnavailable` for a newer version, because the record may still be valid; `error` for a damaged
    ///   record.
    func record(orThrow error: PreludeSessionError) throws -> Record {
        switch self {
        case .valid(let record): return record
        case .newerVersion: throw Self.newerVersionError
        case .invalid: throw error
        }
    }

    /// The record, or a new one in place of a damaged record.
    ///
    /// - Throws: `.storageUnavailable` for a newer version.
    func record(replacingInvalid new: Record) throws -> Record {
        switch self {
        case .valid(let record): return record
        case .newerVersion: throw Self.newerVersionError
        case .invalid: return new
        }
    }

    private static var newerVersionError: PreludeSessionError {
        .storageUnavailable(
            "the record \(Record.recordName.rawValue) was written by a newer version of the SDK; update the app")
    }
}
