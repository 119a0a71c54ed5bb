package import Foundation
internal import GRDB
package import SessionDomain

extension SQLiteStore {
    package func signingKeys(of id: AppID) async throws -> [StoredSigningKey] {
        try await read { db in
            try db.all(Database.selectKeys + " WHERE app_id = ?" + Database.keyOrder, [id], as: Database.signingKey)
        }
    }

    package func rotateSigningKeys(_ rotation: KeyRotation) async throws -> KeyRotationDecision? {
        try await write { db in
            guard let app = try db.app(rotation.appID) else { return nil }
            let keys = try db.all(
                Database.selectKeys + " WHERE app_id = ? AND purpose = ?" + Database.keyOrder,
                [rotation.appID, rotation.purpose], as: Database.signingKey)
            let decision = rotation.decide(keys, app: app)
            for key in decision.changed {
                try db.run(
                    """
                    UPDATE signing_keys SET created_at = ?, active_from = ?, retires_at = ?, remove_after = ?
                    WHERE app_id = ? AND purpose = ? AND key_id = ?
                    """,
                    [
                        key.createdAt, key.activeFrom, key.retiresAt, key.removeAfter, key.appID, key.purpose,
                        key.keyID,
                    ])
            }
            for key in decision.removed {
                try db.run(
                    "DELETE FROM signing_keys WHERE app_id = ? AND purpose = ? AND key_id = ?",
                    [key.appID, key.purpose, key.keyID])
            }
            if let key = decision.added { try db.insert(key) }
            try db.append(rotation.events(of: decision))
            return decision
        }
    }

    package func resealSigningKey(_ key: StoredSigningKey, replacing sealed: Data) async throws -> Bool {
        try await write { db in
            try db.run(
                """
                UPDATE signing_keys SET sealed_private_key = ?
                WHERE app_id = ? AND purpose = ? AND key_id = ? AND sealed_private_key = ?
                """, [key.sealedPrivateKey, key.appID, key.purpose, key.keyID, sealed]) == 1
        }
    }

    package func sealingKeyIDs() async throws -> Set<String> {
        try await read { db in
            Set(
                try db.all(
                    "SELECT DISTINCT CAST(substr(sealed_private_key, 1, ?) AS TEXT) FROM signing_keys",
                    [MasterKey.idLength]
                ) { try $0.next() })
        }
    }
}

extension Database {
    fileprivate static let selectKeys = """
        SELECT app_id, purpose, key_id, algorithm, sealed_private_key, created_at, active_from, retires_at, remove_after
        FROM signing_keys
        """
    fileprivate static let keyOrder = " ORDER BY active_from DESC, sequence DESC"

    fileprivate static func signingKey(_ columns: inout ColumnReader) throws -> StoredSigningKey {
        StoredSigningKey(
            appID: try columns.next(), purpose: try columns.next(), keyID: try columns.next(),
            algorithm: try columns.next(), sealedPrivateKey: try columns.next(), createdAt: try columns.next(),
            activeFrom: try columns.next() as Timestamp, retiresAt: try columns.next() as Timestamp?,
            removeAfter: try columns.next() as Timestamp?)
    }

    func insert(_ key: StoredSigningKey) throws {
        try run(
            """
            INSERT INTO signing_keys (app_id, purpose, key_id, algorithm, sealed_private_key, created_at, active_from,
                retires_at, remove_after)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                key.appID, key.purpose, key.keyID, key.algorithm, key.sealedPrivateKey, key.createdAt, key.activeFrom,
                key.retiresAt, key.removeAfter,
            ])
    }
}
