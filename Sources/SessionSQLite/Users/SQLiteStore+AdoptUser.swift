internal import GRDB
package import SessionDomain

extension SQLiteStore {
    package func adoptUser(_ intent: AdoptUser) async throws -> AdoptUserOutcome {
        try await writeOrUndo { db in
            let outcome = try db.adopt(intent)
            if case .adopted = outcome { return .keep(outcome) }
            return .undo(outcome)
        }
    }
}

extension Database {
    fileprivate func adopt(_ intent: AdoptUser) throws -> AdoptUserOutcome {
        let new = intent.newUser
        let owners = Set(try new.identifiers.compactMap { try ownerID(of: $0, app: new.appID) })
        let named = try new.externalID.flatMap { try user(externalID: $0, app: new.appID)?.id }
        let found = owners.union(named.map { [$0] } ?? [])
        guard found.count <= 1 else { return .conflict }
        guard let id = found.first, let existing = try user(id, app: new.appID) else {
            guard try insert(new, passwordHash: nil) == .created else { return .conflict }
            try append([intent.events.userCreated(new)])
            return .adopted(new)
        }
        // Who may not sign in is changed by nobody's signing in.
        guard existing.status == .active else { return .adopted(existing) }
        guard Set(existing.identifiers + new.identifiers).count <= User.maximumIdentifiers else { return .conflict }
        var isChanged = false
        for identifier in new.identifiers where !existing.identifiers.contains(identifier) {
            guard try insert(identifier, of: id, app: new.appID) else { return .conflict }
            try append([intent.events.identifierCreated(identifier, of: id)])
            isChanged = true
        }
        if let externalID = new.externalID, existing.externalID != externalID {
            // Known here under another name: not the same person, as far as anybody can tell.
            guard existing.externalID == nil else { return .conflict }
            try run(
                "UPDATE users SET external_id = ? WHERE app_id = ? AND id = ?", [externalID, new.appID, id])
            isChanged = true
        }
        if isChanged {
            try run("UPDATE users SET updated_at = ? WHERE app_id = ? AND id = ?", [intent.now, new.appID, id])
        }
        guard let user = try user(id, app: new.appID) else { return .conflict }
        return .adopted(user)
    }
}
