internal import GRDB
package import SessionDomain

extension SQLiteStore: LoginStore {
    package func verification(tokenHash: String, app: AppID) async throws -> Verification? {
        try await read { db in try db.verification(tokenHash: tokenHash, app: app) }
    }
}
