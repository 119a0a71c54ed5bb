internal import SessionDomain

extension FactPlan {
    mutating func addApp(_ app: AppID) {
        if query.settings {
            add("SELECT settings FROM apps WHERE id = $1", [app]) { rows, found in
                found.facts.settings = try rows.first(App.init(reading:))
            }
        }
        if let purpose = query.signingKeys {
            add(
                """
                SELECT \(StoredSigningKey.columns) FROM signing_keys WHERE app_id = $1 AND purpose = $2
                \(StoredSigningKey.lastToSignFirst)
                """, [app, purpose]
            ) { rows, found in
                found.facts.signingKeys = try rows.all(StoredSigningKey.init(reading:))
            }
        }
    }

    mutating func addRows(_ references: RowReferences) {
        let app = references.app
        if let id = query.challenge {
            add("SELECT \(StepUpChallenge.columns) FROM challenges WHERE app_id = $1 AND id = $2", [app, id]) {
                $1.facts.challenge = try $0.first(StepUpChallenge.init(reading:))
            }
        }
        if let session = references.session {
            add(
                "SELECT \(Session.columns) FROM sessions WHERE app_id = $1 AND id = \(session.sql)", session.values(app)
            ) { $1.facts.session = try $0.first(Session.init(reading:)) }
        }
        if let verification = references.verification {
            add(
                "SELECT \(Verification.columns) FROM verifications WHERE app_id = $1 AND token_hash = \(verification.sql)",
                verification.values(app)
            ) { $1.facts.verification = try $0.first(Verification.init(reading:)) }
        }
        if let user = references.user { addUser(user, app: app) }
        if let id = query.unredeemedChallenges {
            add(
                """
                SELECT \(StepUpChallenge.columns) FROM challenges
                WHERE app_id = $1 AND session_id = $2 AND redeemed_at IS NULL ORDER BY created_at DESC, id DESC
                """, [app, id]
            ) { $1.facts.unredeemedChallenges = try $0.all(StepUpChallenge.init(reading:)) }
        }
        if let owners = query.owners { addOwners(owners, app: app) }
    }

    private mutating func addUser(_ user: RowReferences.Reference, app: AppID) {
        let columns =
            switch query.user {
            case .identifier, .ofVerification: User.columnsWithoutProfile
            case .id, .ofSession, nil: User.columns
            }
        add("SELECT \(columns) FROM users WHERE app_id = $1 AND id = \(user.sql)", user.values(app)) {
            $1.facts.user = try $0.first(User.init(reading:))
        }
        add(
            "SELECT \(IdentifierRow.columns) FROM identifiers WHERE app_id = $1 AND user_id = \(user.sql) ORDER BY position",
            user.values(app)
        ) { $1.facts.user?.add(try $0.all(IdentifierRow.init(reading:))) }
        if query.passwordHash {
            add("SELECT password_hash FROM users WHERE app_id = $1 AND id = \(user.sql)", user.values(app)) {
                $1.facts.passwordHash = try $0.first { columns -> String? in try columns.next() } ?? nil
            }
        }
        if let now = query.grants {
            add(Grant.live(of: user.sql, at: user.next), user.values(app, now)) {
                $1.facts.grants = try $0.all(Grant.init(reading:))
            }
        }
        let live = "FROM sessions WHERE app_id = $1 AND user_id = \(user.sql) AND \(Session.isLive(at: user.next))"
        if let now = query.liveSessions {
            add("SELECT \(Session.columns) \(live) ORDER BY id", user.values(app, now)) {
                $1.facts.liveSessions = try $0.all(Session.init(reading:))
            }
        }
        if let surplus = query.surplusSessions {
            add(
                "SELECT \(Session.columns) \(live) ORDER BY last_seen_at DESC, id DESC OFFSET $\(4 + user.more.count)",
                user.values(app, surplus.now, surplus.keeping)
            ) { $1.facts.surplusSessions = try $0.all(Session.init(reading:)) }
        }
    }

    private mutating func addOwners(_ owners: FactQuery.OwnerSelector, app: AppID) {
        let (condition, values) = Self.condition(of: owners, app: app)
        add("SELECT \(User.columns) FROM users WHERE \(condition) ORDER BY id", values) {
            $1.facts.owners = try $0.all(User.init(reading:))
        }
        add(
            """
            SELECT \(IdentifierRow.columns) FROM identifiers
            WHERE app_id = $1 AND user_id IN (SELECT id FROM users WHERE \(condition)) ORDER BY position
            """, values
        ) { rows, found in
            let identifiers = Dictionary(grouping: try rows.all(IdentifierRow.init(reading:)), by: \.userID)
            for index in found.facts.owners.indices {
                found.facts.owners[index].add(identifiers[found.facts.owners[index].id] ?? [])
            }
        }
    }

    mutating func addOutbox(_ app: AppID) {
        if query.webhookCount {
            add("SELECT count(*) FROM webhooks WHERE app_id = $1", [app]) {
                $1.facts.webhookCount = try $0.first { try $0.next() } ?? 0
            }
        }
        if let id = query.webhook {
            add("SELECT \(Webhook.columns) FROM webhooks WHERE app_id = $1 AND id = $2", [app, id]) {
                $1.facts.webhook = try $0.first(Webhook.init(reading:))
            }
            if let due = query.dueDeliveries { addDue(due, of: id, app: app) }
        }
        if let message = query.message { add(message, app: app) }
    }

    /// Leaves out what another node claims now.
    private mutating func addDue(_ due: FactQuery.DueSelector, of webhookID: String, app: AppID) {
        add(
            """
            SELECT \(WebhookDelivery.columns) FROM \(WebhookDelivery.joined)
            WHERE delivery.app_id = $1 AND delivery.webhook_id = $2 AND delivery.status = 'pending'
                AND delivery.next_attempt_at <= $3
            ORDER BY delivery.next_attempt_at, delivery.sequence LIMIT $4 FOR NO KEY UPDATE OF delivery SKIP LOCKED
            """, [app, webhookID, due.now, due.limit]
        ) { $1.facts.dueDeliveries = try $0.all(WebhookDelivery.init(reading:)) }
    }

    private mutating func add(_ selector: FactQuery.MessageSelector, app: AppID) {
        let reading: Reading = { $1.facts.message = try $0.first(QueuedMessage.init(reading:)) }
        switch selector {
        case .id(let id):
            add(
                "SELECT \(QueuedMessage.columns) FROM messages WHERE app_id = $1 AND id = $2 FOR NO KEY UPDATE",
                [app, id], reading)
        case .state(let known):
            add(
                "SELECT \(QueuedMessage.stateColumns) FROM messages WHERE app_id = $1 AND id = $2 FOR NO KEY UPDATE",
                [app, known.id]
            ) { $1.facts.message = try $0.first(known.reading(state:)) }
        case .due(let lane, let times):
            add(
                """
                SELECT \(QueuedMessage.columns) FROM messages
                WHERE app_id = $1 AND type = $2 AND route = $3 AND status = 'pending'
                    AND (next_attempt_at <= $4 OR next_attempt_at > $5)
                ORDER BY next_attempt_at, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
                """, [app, lane.channel.identifierType, lane.route, times.now, times.horizon], reading)
        }
    }
}
