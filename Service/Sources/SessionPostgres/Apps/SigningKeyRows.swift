internal import Foundation
internal import SessionDomain

extension StoredSigningKey {
    static let columns = """
        app_id, purpose, key_id, algorithm, sealed_private_key, created_at, active_from, retires_at, remove_after
        """
    static let lastToSignFirst = "ORDER BY active_from DESC, sequence DESC"

    init(reading columns: inout ColumnReader) throws {
        self.init(
            appID: try columns.next(), purpose: try columns.next(), keyID: try columns.next(),
            algorithm: try columns.next(), sealedPrivateKey: try columns.next(), createdAt: try columns.next(),
            activeFrom: try columns.next() as Timestamp, retiresAt: try columns.next() as Timestamp?,
            removeAfter: try columns.next() as Timestamp?)
    }

    func insertion(_ order: WriteOrder) -> Statement {
        Statement(
            """
            INSERT INTO signing_keys (\(Self.columns), sequence)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, \(WriteOrder.sequence("$10")))
            """,
            [
                appID, purpose, keyID, algorithm, sealedPrivateKey, createdAt, activeFrom, retiresAt, removeAfter,
                order.position,
            ])
    }

    /// Writes the times and the sealed private key.
    func replacement(with new: StoredSigningKey) -> Statement {
        .guarded(
            """
            UPDATE signing_keys SET created_at = $1, active_from = $2, retires_at = $3, remove_after = $4,
                sealed_private_key = $5
            WHERE app_id = $6 AND purpose = $7 AND key_id = $8 AND sealed_private_key = $9 AND created_at = $10
                AND active_from = $11 AND retires_at IS NOT DISTINCT FROM $12 AND remove_after IS NOT DISTINCT FROM $13
            """,
            [
                new.createdAt, new.activeFrom, new.retiresAt, new.removeAfter, new.sealedPrivateKey, appID, purpose,
                keyID, sealedPrivateKey, createdAt, activeFrom, retiresAt, removeAfter,
            ], orFail: .stale)
    }

    var deletion: Statement {
        .guarded(
            "DELETE FROM signing_keys WHERE app_id = $1 AND purpose = $2 AND key_id = $3", [appID, purpose, keyID],
            orFail: .stale)
    }
}
