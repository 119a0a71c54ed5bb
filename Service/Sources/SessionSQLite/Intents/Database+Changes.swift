internal import GRDB
internal import SessionDomain

extension Database {
    /// Makes one change. Counters are changed in memory.
    ///
    /// - Throws: `FailedGuard` if the guard of the change fails.
    func apply(_ change: Change, _ counters: inout JobCounters) throws {
        switch change {
        case .reserveProof(let proof, let app, let now): try reserve(proof, app: app, now: now)
        case .redeem(let id, let until, let app): try redeem(id, until: until, app: app)

        case .count(let key, let app, let limit, let now):
            try counters.count(key, app: app, limit: limit, now: now, in: self)
        case .uncount(let key, let app): try counters.uncount(key, app: app, in: self)
        case .clearCounter(let key, let app), .endMark(let key, let app): try counters.clear(key, app: app, in: self)
        case .clearCounters(let prefixes, let app):
            try counters.write(to: self)
            try clearCounters(prefixes, app: app)

        case .insertUser(let user, let passwordHash): try insert(user, passwordHash: passwordHash)
        case .replaceUser(let old, let new): try replace(old, with: new)
        case .deleteUser(let user): try delete(user)
        case .setPasswordHash(let hash, let old, let user): try setPasswordHash(hash, replacing: old, of: user)
        case .voidLogins(let user): try voidLogins(of: user)
        case .setLocale(let locale, let user): try setLocale(locale, of: user)
        case .insertIdentifier(let identifier, let user, let until): try insert(identifier, of: user, heldUntil: until)
        case .releaseIdentifiers(let user): try releaseIdentifiers(of: user)
        case .deleteIdentifier(let identifier, let user): try delete(identifier, of: user)

        case .insertVerification(let verification): try insert(verification)
        case .replaceVerification(let old, let new): try replace(old, with: new)
        case .deleteVerification(let verification): try delete(verification)
        case .endVerifications(let identifier, let app): try endVerifications(of: identifier, app: app)
        case .forgetIdentifier(let identifier, let app): try forget(identifier, app: app)

        case .insertMessage(let message): try insert(message)
        case .deleteMessage(let message): try delete(message)
        case .deleteMessages(let userID, let app): try deleteMessages(ofUser: userID, app: app)
        case .replaceMessage(let old, let new): try replace(old, with: new)

        case .insertSession(let session): try insert(session)
        case .replaceSession(let old, let new): try replace(old, with: new)

        case .insertChallenge(let challenge): try insert(challenge)
        case .replaceChallenge(let old, let new): try replace(old, with: new)
        case .deleteChallenge(let challenge): try delete(challenge)
        case .insertGrant(let grant): try insert(grant)
        case .deleteGrant(let grant): try delete(grant)
        case .deleteStepUps(let user): try deleteStepUps(of: user)
        case .deleteStepUpsOfSession(let session): try deleteStepUps(of: session)
        case .deleteStepUpsExcept(let scopes, let app): try deleteStepUps(except: scopes, app: app)

        case .insertApp(let app): try insert(app)
        case .replaceApp(_, let new): try update(new)
        case .insertSigningKey(let key): try insert(key)
        case .replaceSigningKey(let old, let new): try replace(old, with: new)
        case .deleteSigningKey(let key): try delete(key)
        case .insertManagementKey(let key): try insert(key)
        case .deleteManagementKey(let key): try delete(key)
        case .reassignManagementKeys(let old, let new): try reassignManagementKeys(of: old, to: new)
        case .recordManagementKeyUse(let id, let time): try recordManagementKeyUse(id, at: time)

        case .append(let event): try append(event)
        case .forgetEvents(let userID, let pseudonym, let app):
            try forgetEvents(ofUser: userID, as: pseudonym, app: app)
        case .insertWebhook(let webhook, let count): try insert(webhook, expectedCount: count)
        case .replaceWebhook(let old, let new): try replace(old, with: new)
        case .deleteWebhook(let webhook): try delete(webhook)
        case .failPendingDeliveries(let webhook, let error, let limit):
            try failPendingDeliveries(of: webhook, error: error, limit: limit)
        case .deleteDeliveries(let webhook, let limit): try deleteDeliveries(of: webhook, limit: limit)
        case .leaseDelivery(let delivery, let until): try lease(delivery, until: until)
        case .recordDelivery(let delivery, let onlyIfPending):
            try record(delivery, onlyIfPending: onlyIfPending)
        }
    }

    /// Executes a statement whose guard is that it changes a row.
    func run(_ sql: String, _ arguments: StatementValues, orFail failure: FailedGuard) throws {
        guard try run(sql, arguments) > 0 else { throw failure }
    }
}
