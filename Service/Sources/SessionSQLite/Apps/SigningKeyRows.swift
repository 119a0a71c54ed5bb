internal import Foundation
internal import GRDB
internal import SessionDomain

extension StoredSigningKey {
    static let columns = """
        app_id, purpose, key_id, algorithm, sealed_private_key, created_at, active_from, retires_at, remove_after
        """

    init(reading columns: inout ColumnReader) throws {
        self.init(
            appID: try columns.next(), purpose: try columns.next(), keyID: try columns.next(),
            algorithm: try columns.next(), sealedPrivateKey: try columns.next(), createdAt: try columns.next(),
            activeFrom: try columns.next() as Timestamp, retiresAt: try columns.next() as Timestamp?,
            removeAfter: try columns.next() as Timestamp?)
    }
}

extension Database {
    private static let lastToSignFirst = " ORDER BY active_from DESC, sequence DESC"

    func signingKeys(of app: AppID) throws -> [StoredSigningKey] {
        try all(
            "SELECT \(StoredSigningKey.columns) FROM signing_keys WHERE app_id = ?" + Self.lastToSignFirst, [app],
            as: StoredSigningKey.init(reading:))
    }

    func signingKeys(of app: AppID, purpose: StoredSigningKey.Purpose) throws -> [StoredSigningKey] {
        try all(
            "SELECT \(StoredSigningKey.columns) FROM signing_keys WHERE app_id = ? AND purpose = ?"
                + Self.lastToSignFirst, [app, purpose], as: StoredSigningKey.init(reading:))
    }

    func insert(_ key: StoredSigningKey) throws {
        try run(
            "INSERT INTO signing_keys (\(StoredSigningKey.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                key.appID, key.purpose, key.keyID, key.algorithm, key.sealedPrivateKey, key.createdAt, key.activeFrom,
                key.retiresAt, key.removeAfter,
            ])
    }

    /// Writes the times and the sealed private key.
    func replace(_ old: StoredSigningKey, with new: StoredSigningKey) throws {
        try run(
            """
            UPDATE signing_keys SET created_at = ?, active_from = ?, retires_at = ?, remove_after = ?,
                sealed_private_key = ?
            WHERE app_id = ? AND purpose = ? AND key_id = ? AND sealed_private_key = ? AND created_at = ?
                AND active_from = ? AND retires_at IS ? AND remove_after IS ?
            """,
            [
                new.createdAt, new.activeFrom, new.retiresAt, new.removeAfter, new.sealedPrivateKey, old.appID,
                old.purpose, old.keyID, old.sealedPrivateKey, old.createdAt, old.activeFrom, old.retiresAt,
                old.removeAfter,
            ], orFail: .stale)
    }

    func delete(_ key: StoredSigningKey) throws {
        try run(
            "DELETE FROM signing_keys WHERE app_id = ? AND purpose = ? AND key_id = ?",
            [key.appID, key.purpose, key.keyID], orFail: .stale)
    }
}
