/// One change of stored rows, with the guard under which it is made.
///
/// - `insert…`, `reserveProof` and `redeem` fail with `FailedGuard.taken` if the key named here is taken. Nothing that was
///   read before is the check. Ids that the service generates are new; if one is not, the write fails with `StoreError`.
/// - `replace…` and `delete…` of a row given as a whole fail with `FailedGuard.stale` unless the row is as it was read.
///   A store that locks out other writers between reading and writing may compare less than the whole row.
/// - A deletion by a condition deletes what there is and cannot fail.
package indirect enum Change: Sendable, Equatable {
    // MARK: Once

    /// Remembers a proof until `rememberUntil`. Key: `.proof`. One that expired by `now` can be used again.
    case reserveProof(ProofUse, app: AppID, now: Timestamp)
    /// Remembers that something was redeemed. Key: `.redemption`. If its `RedemptionKind` outlives its row, it also fails if
    /// housekeeping has deleted a redemption of this kind and app that expires at this time or later, but within the same
    /// hour: it may have been this one.
    case redeem(String, until: Timestamp, app: AppID)

    // MARK: Counters

    /// Counts one event, as `RateCounter.take` says. Fails with `FailedGuard.exhausted` at the limit.
    case count(CounterKey, app: AppID, limit: RateLimit, now: Timestamp)
    /// Takes back one event that was counted, if the counter has one.
    case uncount(CounterKey, app: AppID)
    case clearCounter(CounterKey, app: AppID)
    /// Deletes a counter that was read. Fails with `FailedGuard.stale` if it is gone.
    case endMark(CounterKey, app: AppID)
    /// Deletes every counter whose key begins with one of these texts.
    case clearCounters(prefixes: [String], app: AppID)

    // MARK: Users

    /// Inserts a user without the identifiers. Key: `.externalID`.
    case insertUser(User, passwordHash: String?)
    /// Writes status, external id, profile and `updatedAt`. Key: `.externalID`.
    case replaceUser(User, with: User)
    /// Deletes a user with the rows that belong to it: identifiers, passkeys, and sessions with their challenges and grants.
    case deleteUser(User)
    /// Stores a password hash. Fails with `FailedGuard.stale` unless the hash is `replacing`; `nil` replaces any.
    case setPasswordHash(String, replacing: String?, of: User)
    /// Makes every begun login void, and every known device a former one: adds 1 to `User.loginEpoch`.
    case voidLogins(of: User)
    /// Stores the language of a user. It is no change of the user that `updatedAt` reports.
    case setLocale(String, of: User)
    /// Adds an identifier after those that the user has. Key: `.identifier`.
    case insertIdentifier(CanonicalIdentifier, of: User, heldUntil: Timestamp? = nil)
    /// Ends the hold of each identifier of this user.
    case releaseIdentifiers(of: User)
    /// Removes an identifier of this user.
    case deleteIdentifier(CanonicalIdentifier, of: User)

    // MARK: Passkeys

    /// Key: `.passkey`.
    case insertPasskey(Passkey)
    /// Writes counter, backup state, nickname and last use. Guard: the counter as read.
    case replacePasskey(Passkey, with: Passkey)
    case deletePasskey(Passkey)

    // MARK: Logins

    case insertVerification(Verification)
    case replaceVerification(Verification, with: Verification)
    case deleteVerification(Verification)
    /// Ends every verification of an identifier. Those of logins are suppressed and stay until they expire, so that their
    /// callers get the answers that an unknown identifier gets. Those of steps are deleted: their callers are signed in.
    case endVerifications(of: CanonicalIdentifier, app: AppID)

    /// Deletes the messages to an identifier, and replaces it in the verifications that `endVerifications` has kept by
    /// `CanonicalIdentifier.pseudonymPrefix` and a part of their own key.
    case forgetIdentifier(CanonicalIdentifier, app: AppID)

    // MARK: Messages

    case insertMessage(QueuedMessage)
    /// Guard: as `replaceMessage`.
    case deleteMessage(QueuedMessage)
    /// Deletes the messages about a user, those to identifiers that the user no longer has included.
    case deleteMessages(ofUser: String, app: AppID)
    /// Writes the lease, or the result of an attempt. Guard: pending, and due as read.
    case replaceMessage(QueuedMessage, with: QueuedMessage)

    // MARK: Sessions

    case insertSession(Session)
    /// Guard: generation and revocation as read.
    case replaceSession(Session, with: Session)

    // MARK: Step-ups

    case insertChallenge(StepUpChallenge)
    /// Guard: token id, wrong codes and redemption as read.
    case replaceChallenge(StepUpChallenge, with: StepUpChallenge)
    case deleteChallenge(StepUpChallenge)
    case insertGrant(Grant)
    case deleteGrant(Grant)
    /// Deletes every challenge and grant of a user.
    case deleteStepUps(of: User)
    /// Deletes every challenge of a session, and every grant that it earned.
    case deleteStepUpsOfSession(Session)
    /// Deletes every challenge and grant of an app whose scope is not one of these.
    case deleteStepUpsExcept(scopes: Set<String>, app: AppID)

    // MARK: Apps and keys

    /// Key: `.app`.
    case insertApp(App)
    case replaceApp(App, with: App)
    case insertSigningKey(StoredSigningKey)
    /// Writes the times and the sealed private key.
    case replaceSigningKey(StoredSigningKey, with: StoredSigningKey)
    case deleteSigningKey(StoredSigningKey)
    /// Key: `.managementKey`.
    case insertManagementKey(ManagementKey)
    case deleteManagementKey(ManagementKey)
    /// Makes one key the creator of all keys that another key created.
    case reassignManagementKeys(of: ManagementKey, to: ManagementKey)
    /// Writes the last use of a key, if the key still exists and no later use is stored.
    case recordManagementKeyUse(id: String, at: Timestamp)

    // MARK: Events and webhooks

    /// Appends an event, and files a pending delivery for each active webhook of its app that wants it.
    case append(Event)
    /// Replaces the user of events by a pseudonym, deletes all else that they say and the context of those that a client
    /// caused, and deletes their pending deliveries.
    case forgetEvents(ofUser: String, as: String, app: AppID)
    /// Fails with `FailedGuard.stale` unless the app has this many webhooks.
    case insertWebhook(Webhook, expectedCount: Int)
    /// Writes url, events, status and `updatedAt`.
    case replaceWebhook(Webhook, with: Webhook)
    /// Deletes a webhook with its deliveries.
    case deleteWebhook(Webhook)
    /// Marks pending deliveries of a webhook as failed, about as many as the limit, those first that are due first.
    case failPendingDeliveries(of: Webhook, error: String, limit: Int)
    /// Deletes deliveries of a webhook, about as many as the limit.
    case deleteDeliveries(of: Webhook, limit: Int)
    /// Postpones a delivery. Fails with `FailedGuard.stale` unless it is pending and due as read.
    case leaseDelivery(WebhookDelivery, until: Timestamp)
    /// Writes the result of an attempt, if the delivery still exists.
    ///
    /// - Parameter onlyIfPending: Whether a delivery that has ended in the meantime stays as it is.
    case recordDelivery(WebhookDelivery, onlyIfPending: Bool)
}

/// What a redemption stands for, and so what it costs to forget it. It follows from the key.
package enum RedemptionKind: String, Sendable, CaseIterable {
    /// The id of a challenge token that has started a session, or of a token of a passkey that was answered.
    case loginChallenge = "login"
    /// The id of a token of the operator's backend that has completed a step.
    case customStep = "step"
    /// An event that was written once. If it is forgotten, the event is written a second time; nothing is accepted twice.
    case report

    package init(key: String) {
        guard let slash = key.firstIndex(of: "/") else {
            self = .loginChallenge
            return
        }
        self = key[..<slash] == Self.customStep.rawValue ? .customStep : .report
    }

    /// Whether housekeeping must remember what it has deleted, so that it is not accepted again.
    package var outlivesItsRow: Bool { self != .report }
}
