internal import Foundation
internal import GRDB
package import SessionDomain

extension SQLiteStore: AppStore {
    package func apps() async throws -> [App] {
        try await read { db in
            try db.all("SELECT settings FROM apps ORDER BY created_at, id") { try StoredJSON.value(try $0.next()) }
        }
    }

    package func app(_ id: AppID) async throws -> App? {
        try await read { db in try db.app(id) }
    }

    package func createApp(_ app: App, keys: [StoredSigningKey]) async throws -> Bool {
        try await write { db in
            let inserted = try db.run(
                "INSERT INTO apps (id, created_at, settings) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING",
                [app.id, app.createdAt, try StoredJSON.text(app)])
            guard inserted == 1 else { return false }
            for key in keys { try db.insert(key) }
            return true
        }
    }

    package func updateApp<Answer: Sendable>(
        _ id: AppID, _ change: @escaping @Sendable (inout App) throws -> Answer
    ) async throws -> Answer? {
        try await write { db in
            guard var app = try db.app(id) else { return nil }
            let old = app
            let answer = try change(&app)
            let kept = app.scopesKept(from: old)
            if !old.grantableScopes.isSubset(of: kept) { try db.keepStepUps(ofScopes: kept, app: id) }
            try db.run("UPDATE apps SET settings = ? WHERE id = ?", [try StoredJSON.text(app), id])
            return answer
        }
    }
}

extension Database {
    func app(_ id: AppID) throws -> App? {
        try first("SELECT settings FROM apps WHERE id = ?", [id]) { try StoredJSON.value(try $0.next()) }
    }
}
