internal import SessionDomain
internal import SessionSQL

/// Expressions for the ids of the rows that a query selects. `$1` is the app, and `$2` the one value they need.
///
/// The same statement runs for a row that exists and for one that does not.
struct RowReferences {
    /// An expression, and the value of `$2`.
    struct Reference {
        let sql: String
        let value: String
        /// Further values, from `$3`.
        var more: [any ColumnValue] = []

        func values(_ app: AppID, _ others: (any ColumnValue)?...) -> [(any ColumnValue)?] {
            [app, value] + more + others
        }

        /// The parameter after all others.
        var next: String { "$\(3 + more.count)" }
    }

    let app: AppID
    let session: Reference?
    let user: Reference?
    let verification: Reference?
    let query: FactQuery

    init(_ query: FactQuery, app: AppID) {
        self.app = app
        self.query = query
        session = Self.session(query)
        verification = Self.verification(query)
        user = Self.user(query, session: session, verification: verification)
    }

    private static func session(_ query: FactQuery) -> Reference? {
        switch query.session {
        case .id(let id): Reference(sql: "$2", value: id)
        case .ofChallenge:
            query.challenge.map {
                Reference(sql: "(SELECT session_id FROM challenges WHERE app_id = $1 AND id = $2)", value: $0)
            }
        case nil: nil
        }
    }

    private static func verification(_ query: FactQuery) -> Reference? {
        switch query.verification {
        case .tokenHash(let hash): Reference(sql: "$2", value: hash)
        case .ofChallenge:
            query.challenge.map { id in
                Reference(
                    sql: """
                        (SELECT $3::text || steps_done FROM challenges WHERE app_id = $1 AND id = $2)
                        """, value: id, more: [StepUpChallenge.verificationKeyPrefix(id)])
            }
        case nil: nil
        }
    }

    private static func user(_ query: FactQuery, session: Reference?, verification: Reference?) -> Reference? {
        switch query.user {
        case .id(let id): return Reference(sql: "$2", value: id)
        case .identifier(let identifier):
            return Reference(
                sql: "(SELECT user_id FROM identifiers WHERE app_id = $1 AND canonical = $2 AND type = $3)",
                value: identifier.canonical, more: [identifier.type])
        case .ofSession:
            return session.map {
                Reference(
                    sql: "(SELECT user_id FROM sessions WHERE app_id = $1 AND id = \($0.sql))", value: $0.value,
                    more: $0.more)
            }
        case .ofVerification(let now, let maximumChecks):
            return verification.map { key in
                Reference(
                    sql: """
                        (SELECT identifiers.user_id FROM verifications
                        JOIN identifiers USING (app_id, type, canonical)
                        WHERE app_id = $1 AND token_hash = \(key.sql)
                            AND code_expires_at > $\(3 + key.more.count) AND checks < $\(4 + key.more.count))
                        """, value: key.value, more: key.more + [now, maximumChecks])
            }
        case nil: return nil
        }
    }
}
