internal import Foundation
internal import SessionDomain
internal import SessionTokens
internal import Testing

/// One stored row of each kind that can be replaced or deleted, and changes of these rows.
struct StoredRows {
    private let world: ContractWorld
    private let app: App
    private let user: User
    private let session: Session
    private let grant: Grant
    private let challenge: StepUpChallenge
    private let verification: Verification
    private let signingKey: StoredSigningKey
    private let managementKey: ManagementKey
    private let webhook: Webhook
    private let delivery: WebhookDelivery
    private let message: QueuedMessage

    init(_ world: ContractWorld) async throws {
        self.world = world
        app = try await world.addApp()
        user = try await world.addUser(passwordHash: "hash")
        session = world.newSession(of: user)
        grant = world.grant("pay", .sessionBound, to: session)
        challenge = StepUpChallenge(
            starting: "pay", for: session, terms: GrantTerms(mode: .singleUse, grantedFor: 0),
            steps: [ContractWorld.mailStep], id: "chg_1", tokenID: "chl_1", at: world.now)
        let now = world.now
        verification = Verification(
            tokenHash: "token", appID: world.app, identifier: user.identifiers[0], loginConfigID: "lcfg",
            codeChallenge: nil, code: world.code("right", of: "token", expiresAt: now + 600), lastSentAt: now,
            createdAt: now)
        signingKey = SigningKeyRules.key("kid", of: world.app, at: now)
        managementKey = ManagementKey(
            id: "mk_1", name: "k", appID: world.app, hash: "hash", role: .read, createdBy: .commandLine, createdAt: now,
            expiresAt: now + 60, lastUsedAt: now + 1)
        webhook = world.newWebhook()
        try await world.write(
            .insertSession(session), .insertGrant(grant), .insertChallenge(challenge),
            .insertVerification(verification), .insertSigningKey(signingKey), .insertManagementKey(managementKey),
            .insertWebhook(webhook, expectedCount: 0))
        delivery = WebhookDelivery(
            webhookID: webhook.id, event: try await world.tell(.userCreated)[0], nextAttemptAt: now)
        message = try await world.queue("msg_1")
    }

    /// A change of each row that is as it was read. Each can be made once.
    var replacements: [Change] {
        [
            .replaceUser(user, with: changed(user) { $0.profile = ["a": "b"] }),
            .replaceSession(session, with: changed(session) { $0.lastSeenAt = world.now + 1 }),
            .replaceChallenge(challenge, with: challenge), .replaceVerification(verification, with: verification),
            .replaceSigningKey(signingKey, with: signingKey), .replaceWebhook(webhook, with: webhook),
            .replaceApp(app, with: app), .setPasswordHash("new", replacing: "hash", of: user),
            .leaseDelivery(delivery, until: world.now + 60), .replaceMessage(message, with: message),
        ]
    }

    var deletions: [Change] {
        [
            .deleteGrant(grant), .deleteChallenge(challenge), .deleteVerification(verification),
            .deleteSigningKey(signingKey), .deleteManagementKey(managementKey), .deleteWebhook(webhook),
            .deleteIdentifier(user.identifiers[0], of: user), .deleteUser(user),
        ]
    }

    /// Changes of rows that were read in another state, or that do not exist.
    func staleChanges() throws -> [Change] {
        let users = [
            changed(user) { $0.status = .inactive }, changed(user) { $0.externalID = "old" },
            changed(user) { $0.updatedAt = world.now - 1 },
        ]
        let sessions = [changed(session) { $0.generation = 1 }, changed(session) { $0.revokedAt = world.now }]
        let challenges = [
            changed(challenge) { $0.tokenID = "chl_0" }, changed(challenge) { $0.wrongCodes = 1 },
            changed(challenge) { $0.redeemedAt = world.now },
        ]
        let verifications = [changed(verification) { $0.checks = 1 }, changed(verification) { $0.sends = 2 }]
        let keys = [
            changed(signingKey) { $0.sealedPrivateKey = Data() }, changed(signingKey) { $0.retiresAt = world.now },
        ]
        let webhooks = [
            changed(webhook) { $0.url = "https://old.example.com/" }, changed(webhook) { $0.status = .inactive },
        ]
        let ghost = User(id: "usr_ghost", appID: world.app, identifiers: [], createdAt: world.now)
        return users.map { .replaceUser($0, with: user) } + sessions.map { .replaceSession($0, with: session) }
            + challenges.flatMap { [.replaceChallenge($0, with: challenge), .deleteChallenge($0)] }
            + verifications.flatMap { [.replaceVerification($0, with: verification), .deleteVerification($0)] }
            + keys.map { .replaceSigningKey($0, with: signingKey) }
            + webhooks.map { .replaceWebhook($0, with: webhook) }
            + [
                .setPasswordHash("new", replacing: "other", of: user),
                .insertWebhook(world.newWebhook(), expectedCount: 0),
                .leaseDelivery(changed(delivery) { $0.nextAttemptAt = world.now - 1 }, until: world.now + 60),
                .replaceMessage(changed(message) { $0.nextAttemptAt = world.now - 1 }, with: message),
                .deleteGrant(world.grant("pay", .singleUse, to: session)), .deleteUser(ghost),
                .deleteSigningKey(SigningKeyRules.key("other", of: world.app, at: world.now)),
                .deleteManagementKey(
                    ManagementKey(id: "mk_2", name: "k", appID: nil, hash: "other", createdAt: world.now)),
                .deleteWebhook(world.newWebhook()), .deleteIdentifier(try world.phone("+14155550100"), of: user),
                .replaceApp(app, with: App(id: world.otherApp, name: "other", createdAt: world.now)),
            ]
    }

    func expectUnchanged() async throws {
        let facts = try await world.read { query in
            query.settings = true
            query.challenge = "chg_1"
            query.session = .ofChallenge
            query.user = .ofSession
            query.verification = .tokenHash("token")
            query.passwordHash = true
            query.grants = world.now
            query.signingKeys = .access
            query.managementKeys = true
            query.webhook = webhook.id
            query.webhookCount = true
            query.dueDeliveries = .init(now: world.now, limit: 10)
            query.message = .id("msg_1")
        }
        #expect(facts.settings == app)
        #expect(facts.challenge == challenge)
        #expect(facts.session == session)
        #expect(facts.user == user)
        #expect(facts.verification == verification)
        #expect(facts.passwordHash == "hash")
        #expect(facts.grants == [grant])
        #expect(facts.signingKeys == [signingKey])
        #expect(facts.managementKeys == [managementKey])
        #expect(facts.webhook == webhook)
        #expect(facts.webhookCount == 1)
        #expect(facts.dueDeliveries == [delivery])
        #expect(facts.message == message)
    }

    private func changed<Row>(_ row: Row, _ change: (inout Row) -> Void) -> Row {
        var row = row
        change(&row)
        return row
    }
}
