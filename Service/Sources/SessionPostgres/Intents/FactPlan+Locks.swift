internal import SessionDomain

extension FactPlan {
    /// Locks the rows that the decision depends on: always the app first, then the webhook, the user, the sessions, the challenge
    /// and the verification. All intents have this order, so they wait for each other and never in a circle. What belongs to a
    /// user is locked with the user, and deliveries with their webhook.
    mutating func addLocks(_ rows: RowReferences) {
        let (query, app) = (rows.query, rows.app)
        let changesApp =
            query.signingKeys != nil || query.webhookCount || (query.settings && !query.shared.contains(.settings))
        if changesApp || query.settings {
            lock("apps", "id = $1", [app], isShared: !changesApp)
        }
        if let webhook = query.webhook {
            lock("webhooks", "app_id = $1 AND id = $2", [app, webhook], isShared: false)
        }
        // A user that is shared is not locked: those who share a lock would keep a suspension waiting as long as they come
        // one after the other. What ends sessions locks the sessions, so each refresh is before it or after it.
        if let user = rows.user, !query.shared.contains(.user) {
            lock("users", "app_id = $1 AND id = \(user.sql)", user.values(app), isShared: false, Self.noteUsers)
        }
        if let owners = query.owners {
            let (condition, values) = Self.condition(of: owners, app: app)
            lock("users", condition + " ORDER BY id", values, isShared: false, Self.noteUsers)
        }
        if let user = rows.user { lockSessions(of: user, app: app) }
        if let session = rows.session {
            lock("sessions", "app_id = $1 AND id = \(session.sql)", session.values(app), isShared: false)
        }
        if let id = query.unredeemedChallenges {
            lock("sessions", "app_id = $1 AND id = $2", [app, id], isShared: false)
        }
        if let challenge = query.challenge {
            lock("challenges", "app_id = $1 AND id = $2", [app, challenge], isShared: false)
        }
        if let verification = rows.verification {
            lock(
                "verifications", "app_id = $1 AND token_hash = \(verification.sql)", verification.values(app),
                isShared: false)
        }
    }

    /// Locks the sessions that the decision may end, in the order in which transactions of several refreshes lock them.
    private mutating func lockSessions(of user: RowReferences.Reference, app: AppID) {
        let live = "app_id = $1 AND user_id = \(user.sql) AND \(Session.isLive(at: user.next))"
        if let now = query.liveSessions {
            lock("sessions", "\(live) ORDER BY id", user.values(app, now), isShared: false)
        }
        if let surplus = query.surplusSessions {
            let offset = "OFFSET $\(4 + user.more.count)"
            lock(
                "sessions",
                """
                app_id = $1 AND id = ANY (ARRAY(
                    SELECT id FROM sessions WHERE \(live) ORDER BY last_seen_at DESC, id DESC \(offset)))
                ORDER BY id
                """, user.values(app, surplus.now, surplus.keeping), isShared: false)
        }
    }

    private mutating func lock(
        _ table: String, _ condition: String, _ values: [(any PostgresValue)?], isShared: Bool,
        _ reading: Reading? = nil
    ) {
        add(
            "SELECT \(reading == nil ? "1" : "id") FROM \(table) WHERE \(condition) FOR \(isShared ? "SHARE" : "NO KEY UPDATE")",
            values, reading)
    }

    private static func noteUsers(_ rows: Rows, _ found: inout Findings) throws {
        found.lockedUsers.formUnion(try rows.all { try $0.next() as String })
    }

    /// The users that have any of the identifiers, or the external id.
    static func condition(
        of owners: FactQuery.OwnerSelector, app: AppID
    ) -> (sql: String, values: [(any PostgresValue)?]) {
        let sql = """
            app_id = $1 AND id IN (
                SELECT user_id FROM identifiers
                JOIN unnest($2::text[], $3::text[]) AS wanted (type, canonical) USING (type, canonical)
                WHERE app_id = $1
                UNION ALL SELECT user_id FROM external_ids WHERE app_id = $1 AND external_id = $4)
            """
        return (
            sql,
            [
                app, TextArray(owners.identifiers.map(\.type.rawValue)),
                TextArray(owners.identifiers.map(\.canonical)), owners.externalID,
            ]
        )
    }
}
