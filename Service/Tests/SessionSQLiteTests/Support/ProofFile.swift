internal import GRDB
internal import SessionDomain
internal import Testing

@testable internal import SessionSQL
@testable internal import SessionSQLite
@testable internal import SessionStoreContract

/// A database file, and proofs by name.
struct ProofFile: Sendable {
    private let directory: TemporaryDirectory
    /// Seconds for which a proof is remembered.
    private let lifetime: Int
    let app: AppID
    var path: String { directory.path("store.sqlite") }

    init(lifetime: Int = 60) throws {
        self.lifetime = lifetime
        directory = try TemporaryDirectory()
        app = try #require(AppID("testapp"))
    }

    func open() throws -> SQLiteStore { try SQLiteStore.open(.file(path)) }

    func proof(_ name: String, at seconds: Int64) -> ProofUse {
        let now = Timestamp(seconds: seconds)
        return ProofUse(
            thumbprint: "key", replayKey: ContractWorld.replayKey(name), rememberUntil: now + lifetime, nonce: nil,
            windowStart: now, isFresh: true, issuedAt: now)
    }

    /// - Returns: Whether the proof is new.
    func use(_ name: String, in store: SQLiteStore, at seconds: Int64 = 0) async throws -> Bool {
        let now = Timestamp(seconds: seconds)
        return try await store.perform(ReserveProof(proof(name, at: seconds), app: app, now: now))
    }

    /// The number of rows.
    func rows(_ store: SQLiteStore) async throws -> Int {
        try await store.database.read { try $0.count("SELECT count(*) FROM proofs") }
    }

    /// Whether the file has a row of the proof that has not expired.
    func isUsed(_ name: String, in store: SQLiteStore, at seconds: Int64) async throws -> Bool {
        let key = proof(name, at: 0).shortKey
        return try await store.database.read { [app] db in
            let used = "SELECT count(*) FROM proofs WHERE key = ? AND app_id = ? AND expires_at > ?"
            return try db.count(used, [key, app, Timestamp(seconds: seconds)]) > 0
        }
    }
}
