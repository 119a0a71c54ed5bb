internal import GRDB
internal import SessionDomain

extension Database {
    /// Reads the rows that an intent needs.
    func facts(_ query: FactQuery, _ counters: inout JobCounters) throws -> Facts {
        var facts = Facts()
        if query.managementKeys { facts.managementKeys = try managementKeys() }
        if query.apps { facts.apps = try apps() }
        guard let app = query.app else { return facts }
        if case .identifier(let identifier)? = query.budget?.subject {
            try readBudget(query, of: identifier, app: app, &counters, into: &facts)
        }
        if query.settings { facts.settings = try self.app(app) }
        if let id = query.challenge { facts.challenge = try challenge(id, app: app) }
        try readSessionAndUser(query, app: app, into: &facts)
        try readVerification(query, app: app, &counters, into: &facts)
        if query.passwordHash { try readPasswordHash(query, app: app, into: &facts) }
        if let user = facts.user { try readRows(of: user, query, into: &facts) }
        if let id = query.unredeemedChallenges {
            facts.unredeemedChallenges = try unredeemedChallenges(ofSession: id, app: app)
        }
        if let owners = query.owners {
            facts.owners = try users(owning: owners.identifiers, externalID: owners.externalID, app: app)
        }
        if let purpose = query.signingKeys { facts.signingKeys = try signingKeys(of: app, purpose: purpose) }
        try readWebhook(query, app: app, into: &facts)
        if let message = query.message { facts.message = try self.message(message, app: app) }
        return facts
    }

    private func readBudget(
        _ query: FactQuery, of identifier: CanonicalIdentifier, app: AppID, _ counters: inout JobCounters,
        into facts: inout Facts
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

    private func readSessionAndUser(_ query: FactQuery, app: AppID, into facts: inout Facts) throws {
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
        if query.user != .ofSession, let sessionID { facts.session = try session(sessionID, app: app) }
    }

    private func readVerification(
        _ query: FactQuery, app: AppID, _ counters: inout JobCounters, into facts: inout Facts
    ) throws {
        let key: String? =
            switch query.verification {
            case .tokenHash(let hash): hash
            case .ofChallenge: facts.challenge?.verificationKey
            case nil: nil
            }
        guard let key else { return }
        facts.verification = try verification(tokenHash: key, app: app)
        if query.budget?.subject == .ofVerification, let verification = facts.verification {
            try readBudget(query, of: verification.identifier, app: app, &counters, into: &facts)
        }
        guard case .ofVerification(let now, let maximumChecks)? = query.user, let verification = facts.verification,
            verification.code.expiresAt > now, verification.checks < maximumChecks
        else { return }
        facts.user = try user(with: verification.identifier, app: app, columns: User.columnsWithoutProfile)
    }

    private func readPasswordHash(_ query: FactQuery, app: AppID, into facts: inout Facts) throws {
        switch query.user {
        // Also without a user, so that the statements are the same.
        case .identifier(let identifier): facts.passwordHash = try passwordHash(with: identifier, app: app)
        default: facts.passwordHash = try facts.user.flatMap { try passwordHash(of: $0.id, app: app) }
        }
    }

    private func readRows(of user: User, _ query: FactQuery, into facts: inout Facts) throws {
        if let now = query.grants { facts.grants = try grants(of: user.id, app: user.appID, liveAt: now) }
        if let now = query.liveSessions { facts.liveSessions = try liveSessions(of: user, at: now) }
        if let surplus = query.surplusSessions { facts.surplusSessions = try surplusSessions(of: user, surplus) }
    }

    private func readWebhook(_ query: FactQuery, app: AppID, into facts: inout Facts) throws {
        if query.webhookCount { facts.webhookCount = try webhookCount(of: app) }
        guard let id = query.webhook else { return }
        facts.webhook = try webhook(id, app: app)
        guard let due = query.dueDeliveries, let webhook = facts.webhook else { return }
        facts.dueDeliveries = try dueDeliveries(of: webhook, due)
    }
}
