internal import GRDB
package import SessionDomain

extension SQLiteStore: StepUpStore {
    package func grants(of userID: String, app: AppID) async throws -> [Grant] {
        try await read { db in try db.grants(of: userID, app: app) }
    }
}
