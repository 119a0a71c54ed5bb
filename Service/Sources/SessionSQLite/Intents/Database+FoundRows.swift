internal import GRDB
internal import SessionDomain
internal import SessionSQL

extension Database {
    /// Reads the rows that an intent needs.
    func found(_ query: FactQuery, _ counters: inout JobCounters) throws -> FoundRows {
        var facts = FoundRows()
        if query.managementKeys { facts.managementKeys = try all(ManagementKey.all, as: ManagementKey.init(reading:)) }
        if query.apps { facts.apps = try all(App.all, as: App.init(reading:)) }
        guard let app = query.app else { return facts }
        if case .identifier(let identifier)? = query.budget?.subject {
            try readBudget(query, of: identifier, app: app, &counters, into: &facts)
        }
        if query.settings { facts.settings = try first(App.byID, [app], as: App.init(reading:)) }
        if let id = query.challenge {
            facts.challenge = try first(StepUpChallenge.byID, [app, id], as: StepUpChallenge.init(reading:))
        }
        try readSessionAndUser(query, app: app, into: &facts)
        try readVerification(query, app: app, &counters, into: &facts)
        if query.passwordHash { try readPasswordHash(query, app: app, into: &facts) }
        if let user = facts.user { try readRows(of: user, query, into: &facts) }
        if let id = query.unredeemedChallenges {
            facts.unredeemedChallenges = try all(
                StepUpChallenge.unredeemedOfSession, [app, id], as: StepUpChallenge.init(reading:))
        }
        if let owners = query.owners {
            facts.owners = try users(owning: owners.identifiers, [owners.externalID].compactMap(\.self), app: app)
        }
        if let purpose = query.signingKeys {
            facts.signingKeys = try all(
                StoredSigningKey.ofPurpose, [app, purpose], as: StoredSigningKey.init(reading:))
        }
        try readWebhook(query, app: app, into: &facts)
        if let selector = query.message {
            let (statement, read) = QueuedMessage.reading(selector, app: app, .sqlite)
            facts.message = try first(statement.sql, statement.values, as: read)
        }
        return facts
    }

    private func readBudget(
        _ query: FactQuery, of identifier: CanonicalIdentifier, app: AppID, _ counters: inout JobCounters,
        into facts: inout FoundRows
    ) throws {
        guard let budget = query.budget?.budget else { return }
        if let device = budget.device {
            facts.deviceStanding = try standing(of: device, at: identifier, app: app)
        }
        for counter in budget.compared(for: identifier, device: facts.deviceStanding) {
            guard let until = try counters.limit(of: counter, app: app, in: self) else { continue }
            facts.failures.add(.exhausted(counter.key, until: until))
        }
    }

    private func readSessionAndUser(_ query: FactQuery, app: AppID, into facts: inout FoundRows) throws {
        let sessionID: String? =
            switch query.session {
            case .id(let id): id
            case .ofChallenge: facts.challenge?.sessionID
            case nil: nil
            }
        switch query.user {
        case .ofSession:
            guard let sessionID, let found = try signedIn(session: sessionID, app: app) else { return }
            (facts.session, facts.user) = found
        case .id(let id): facts.user = try user(id, app: app)
        case .identifier(let identifier):
            facts.user = try user(with: identifier, app: app, columns: User.columnsWithoutProfile)
        case .ofVerification, nil: break
        }
        if query.user != .ofSession, let sessionID {
            facts.session = try first(Session.byID, [app, sessionID], as: Session.init(reading:))
        }
    }

    private func readVerification(
        _ query: FactQuery, app: AppID, _ counters: inout JobCounters, into facts: inout FoundRows
    ) throws {
        let key: String? =
            switch query.verification {
            case .tokenHash(let hash): hash
            case .ofChallenge: facts.challenge?.verificationKey
            case nil: nil
            }
        guard let key else { return }
        facts.verification = try first(Verification.byTokenHash, [app, key], as: Verification.init(reading:))
        if query.budget?.subject == .ofVerification, let verification = facts.verification {
            try readBudget(query, of: verification.identifier, app: app, &counters, into: &facts)
        }
        guard case .ofVerification(let now, let maximumChecks)? = query.user, let verification = facts.verification,
            verification.code.expiresAt > now, verification.checks < maximumChecks
        else { return }
        facts.user = try user(with: verification.identifier, app: app, columns: User.columnsWithoutProfile)
    }

    private func readPasswordHash(_ query: FactQuery, app: AppID, into facts: inout FoundRows) throws {
        switch query.user {
        // Also without a user, so that the statements are the same.
        case .identifier(let identifier):
            facts.passwordHash = try passwordHash(
                where: CanonicalIdentifier.owner, [app, identifier.type, identifier.canonical])
        default: facts.passwordHash = try facts.user.flatMap { try passwordHash(where: "$2", [app, $0.id]) }
        }
    }

    private func readRows(of user: User, _ query: FactQuery, into facts: inout FoundRows) throws {
        if query.passkeys {
            facts.passkeys = try all(Passkey.all(of: "$2"), [user.appID, user.id], as: Passkey.init(reading:))
        }
        if let now = query.grants {
            facts.grants = try all(
                Grant.live(of: "$2", at: "$3", .sqlite), [user.appID, user.id, now], as: Grant.init(reading:))
        }
        if let now = query.liveSessions {
            facts.liveSessions = try all(
                "SELECT \(Session.columns) \(Self.liveSessions) ORDER BY id", [user.appID, user.id, now],
                as: Session.init(reading:))
        }
        if let surplus = query.surplusSessions { facts.surplusSessions = try surplusSessions(of: user, surplus) }
    }

    private func readWebhook(_ query: FactQuery, app: AppID, into facts: inout FoundRows) throws {
        if query.webhookCount { facts.webhookCount = try count(Webhook.count, [app]) }
        guard let id = query.webhook else { return }
        facts.webhook = try first(Webhook.byID, [app, id], as: Webhook.init(reading:))
        guard let due = query.dueDeliveries, facts.webhook != nil else { return }
        facts.dueDeliveries = try all(
            WebhookDelivery.due(.sqlite), [app, id, due.now, due.limit], as: WebhookDelivery.init(reading:))
    }

    private static let liveSessions = """
        FROM sessions\(Dialect.sqlite.by("sessions_by_user"))
        WHERE app_id = $1 AND user_id = $2 AND \(Session.isLive(at: "$3"))
        """

    /// Reads only the surplus. For a user whose sessions, with those that have ended, are below the limit, it reads only
    /// entries of the index.
    private func surplusSessions(of user: User, _ surplus: FactQuery.SurplusSelector) throws -> [Session] {
        let found = try count(
            "SELECT count(*) FROM sessions WHERE app_id = ? AND user_id = ?", [user.appID, user.id])
        guard found > surplus.keeping else { return [] }
        return try all(
            """
            SELECT \(Session.columns) \(Self.liveSessions)
            ORDER BY last_seen_at DESC, id DESC LIMIT -1 OFFSET $4
            """, [user.appID, user.id, surplus.now, surplus.keeping], as: Session.init(reading:))
    }

    /// A session with its user: one statement, and one for the identifiers.
    private func signedIn(session id: String, app: AppID) throws -> (session: Session, user: User)? {
        let found = try first(Session.signedIn, [app, id]) { columns in
            (try Session(reading: &columns), try User(reading: &columns))
        }
        guard let session = found?.0, var user = found?.1 else { return nil }
        user.set(try identifiers(where: "$2", [app, user.id]))
        return (session, user)
    }

    func user(_ id: String, app: AppID) throws -> User? { try user(where: "$2", [app, id]) }

    /// The same two statements for an identifier that a user has and for one that no user has.
    ///
    /// - Parameter columns: Those of a user, or those without the profile.
    private func user(
        with identifier: CanonicalIdentifier, app: AppID, columns: String = User.columns
    ) throws -> User? {
        try user(
            where: CanonicalIdentifier.owner, [app, identifier.type, identifier.canonical], columns: columns)
    }

    /// - Parameter id: An expression for the id of the user.
    private func user(
        where id: String, _ values: [(any ColumnValue)?], columns: String = User.columns
    ) throws -> User? {
        let user = try first(
            "SELECT \(columns) FROM users WHERE app_id = $1 AND id = \(id)", values, as: User.init(reading:))
        let identifiers = try identifiers(where: id, values)
        guard var user else { return nil }
        user.set(identifiers)
        return user
    }

    private func identifiers(where id: String, _ values: [(any ColumnValue)?]) throws -> [IdentifierRow] {
        try all(
            "SELECT \(IdentifierRow.columns) FROM identifiers WHERE app_id = $1 AND user_id = \(id) ORDER BY position",
            values, as: IdentifierRow.init(reading:))
    }

    /// The users that have any of these identifiers or external ids, each once.
    func users(
        owning identifiers: [CanonicalIdentifier], _ externalIDs: [String], app: AppID
    ) throws -> [User] {
        var owners: [User] = []
        for id in externalIDs {
            if let user = try user(where: User.owner(externalID: "$2", .sqlite), [app, id]) { owners.append(user) }
        }
        for identifier in identifiers {
            guard let user = try user(with: identifier, app: app), !owners.contains(where: { $0.id == user.id }) else {
                continue
            }
            owners.append(user)
        }
        return owners
    }

    /// What a device is at an identifier. A free identifier and one of another user cost the same.
    private func standing(
        of device: KnownDevice, at identifier: CanonicalIdentifier, app: AppID
    ) throws -> KnownDevice.Standing {
        device.standing(
            atEpoch: try first(
                """
                SELECT users.login_epoch FROM identifiers
                JOIN users ON users.app_id = identifiers.app_id AND users.id = identifiers.user_id
                WHERE identifiers.app_id = ? AND type = ? AND canonical = ? AND user_id = ?
                """, [app, identifier.type, identifier.canonical, device.userID]
            ) { try $0.next() })
    }

    /// `nil` for a user without a password, and for an unknown user.
    ///
    /// - Parameter id: An expression for the id of the user.
    private func passwordHash(where id: String, _ values: [(any ColumnValue)?]) throws -> String? {
        try first("SELECT password_hash FROM users WHERE app_id = $1 AND id = \(id)", values) { columns -> String? in
            try columns.next()
        } ?? nil
    }
}
