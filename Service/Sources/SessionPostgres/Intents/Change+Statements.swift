internal import SessionDomain

extension Change {
    /// The statements of one change, with its guard.
    ///
    /// - Parameter position: The place of the change in its transaction.
    func statements(at position: Int) throws -> [Statement] {
        let order = WriteOrder(position: position)
        switch self {
        case .reserveProof(let proof, let app, let now): return [ReplayMemory.reserve(proof, app: app, now: now)]
        case .redeem(let id, let until, let app): return ReplayMemory.redeem(id, until: until, app: app)

        case .count(let key, let app, let limit, let now):
            return [FactQuery.CounterSelector(key, limit: limit, now: now).counting(app: app)]
        case .uncount(let key, let app): return key.uncounting(app: app)
        case .clearCounter(let key, let app): return [key.clearing(app: app)]
        case .endMark(let key, let app): return [key.ending(app: app)]
        case .clearCounters(let prefixes, let app): return CounterKey.clearing(prefixes, app: app)

        case .insertUser(let user, let passwordHash): return try user.insertions(passwordHash: passwordHash)
        case .replaceUser(let old, let new): return try old.replacement(with: new)
        case .deleteUser(let user): return user.deletions
        case .setPasswordHash(let hash, let old, let user): return [user.passwordHashChange(hash, replacing: old)]
        case .voidLogins(let user): return [user.loginVoiding]
        case .setLocale(let locale, let user): return [user.localeChange(to: locale)]
        case .insertIdentifier(let identifier, let user, let until):
            return [identifier.insertion(of: user, heldUntil: until)]
        case .releaseIdentifiers(let user): return [user.identifierRelease]
        case .deleteIdentifier(let identifier, let user): return [identifier.deletion(of: user)]

        case .insertVerification(let verification): return [try verification.insertion()]
        case .replaceVerification(let old, let new): return [try old.replacement(with: new)]
        case .deleteVerification(let verification): return [verification.deletion]
        case .endVerifications(let identifier, let app): return Verification.ends(of: identifier, app: app)
        case .forgetIdentifier(let identifier, let app): return identifier.forgetting(app: app)

        case .insertMessage(let message): return [try message.insertion()]
        case .deleteMessage(let message): return [message.deletion]
        case .deleteMessages(let userID, let app): return [QueuedMessage.deletion(ofUser: userID, app: app)]
        case .replaceMessage(let old, let new): return [try old.replacement(with: new)]

        case .insertSession(let session): return [session.insertion]
        case .replaceSession(let old, let new): return [old.replacement(with: new)]

        case .insertChallenge(let challenge): return [try challenge.insertion()]
        case .replaceChallenge(let old, let new): return [old.replacement(with: new)]
        case .deleteChallenge(let challenge): return [challenge.deletion]
        case .insertGrant(let grant): return [grant.insertion]
        case .deleteGrant(let grant): return [grant.deletion]
        case .deleteStepUps(let user): return StepUpDeletion.of(user)
        case .deleteStepUpsOfSession(let session): return StepUpDeletion.of(session)
        case .deleteStepUpsExcept(let scopes, let app): return StepUpDeletion.except(scopes: scopes, app: app)

        case .insertApp(let app): return [try app.insertion()]
        case .replaceApp(_, let new): return [try new.update()]
        case .insertSigningKey(let key): return [key.insertion(order)]
        case .replaceSigningKey(let old, let new): return [old.replacement(with: new)]
        case .deleteSigningKey(let key): return [key.deletion]
        case .insertManagementKey(let key): return [key.insertion]
        case .deleteManagementKey(let key): return [key.deletion]
        case .reassignManagementKeys(let old, let new): return [old.reassignment(to: new)]
        case .recordManagementKeyUse(let id, let time): return [ManagementKey.use(of: id, at: time)]

        case .append(let event): return try event.insertions(order)
        case .forgetEvents(let userID, let pseudonym, let app):
            return try Event.forgetting(ofUser: userID, as: pseudonym, app: app)
        case .insertWebhook(let webhook, let count): return [webhook.insertion(expectedCount: count)]
        case .replaceWebhook(let old, let new): return [old.replacement(with: new)]
        case .deleteWebhook(let webhook): return [webhook.deletion]
        case .failPendingDeliveries(let webhook, let error, let limit):
            return [webhook.pendingFailure(error, limit: limit)]
        case .deleteDeliveries(let webhook, let limit): return [webhook.deletionOfDeliveries(limit: limit)]
        case .leaseDelivery(let delivery, let until): return [delivery.lease(until: until)]
        case .recordDelivery(let delivery, let onlyIfPending):
            return [delivery.record(onlyIfPending: onlyIfPending)]
        }
    }
}
