import Testing

@testable import SessionDomain

@Suite("Changes that users get notices of")
struct NoticeWiringTests {
    private func factory(_ change: (inout App) -> Void = { _ in }) throws -> NoticeFactory {
        var app = App(id: try appID(), name: "Example", createdAt: now)
        app.messages.notices.newDevice = true
        change(&app)
        return NoticeFactory(app, environment: stillEnvironment)
    }

    private func change(_ notices: NoticeFactory? = nil) throws -> UserChange {
        UserChange(
            of: "usr_1", app: try appID(), now: now, events: try TestApp.events(), notices: try notices ?? factory())
    }

    private func user() throws -> User {
        var user = try TestApp.user([try TestApp.mail(), try TestApp.phone()])
        user.loginEpoch = 3
        return user
    }

    /// A notice as its messages store it.
    private struct StoredNotice {
        let kind: Notice.Kind?
        let recipients: [CanonicalIdentifier]
        let values: TemplateValues
    }

    /// The notices among some changes, one for each kind.
    private func notices(_ changes: [Change]) -> [StoredNotice] {
        let messages = changes.compactMap { if case .insertMessage(let message) = $0 { message } else { nil } }
        return Dictionary(grouping: messages) { $0.content.values }.map { values, messages in
            StoredNotice(
                kind: Notice.kind(stored: values), recipients: messages.map(\.recipient),
                values: TemplateValues(stored: values))
        }
    }

    private func facts(_ fill: (inout FoundRows) throws -> Void = { _ in }) throws -> FoundRows {
        try FoundRows { facts in
            facts.user = try user()
            try fill(&facts)
        }
    }

    // Proves: M19
    @Test("An operator's changes of identifiers and passwords are reported")
    func operators() throws {
        let (new, phone) = (try TestApp.mail("new@example.com"), try TestApp.phone())
        let added = AddIdentifier(new, in: try change()).decide(try facts()).changes
        #expect(notices(added).map(\.kind) == [.identifierAdded])
        let removed = RemoveIdentifier(phone, in: try change()).decide(try facts()).changes
        #expect(notices(removed).map(\.kind) == [.identifierRemoved])
        #expect(notices(removed)[0].recipients.first == phone)
        let password = SetPassword(hash: "h", ending: .all, in: try change()).decide(try facts()).changes
        #expect(notices(password).map(\.kind) == [.passwordChanged])
    }

    @Test("A change that changes nothing is not reported")
    func unchanged() throws {
        #expect(AddIdentifier(try TestApp.mail(), in: try change()).decide(try facts()).changes.isEmpty)
        let unknown = try TestApp.mail("x@example.com")
        #expect(RemoveIdentifier(unknown, in: try change()).decide(try facts()).changes.isEmpty)
        let taken = try facts { $0.failures = GuardFailures(.taken(.identifier(unknown))) }
        #expect(AddIdentifier(unknown, in: try change()).decide(taken).changes.isEmpty)
    }

    // Proves: M19
    @Test("A user's own change of the password is reported")
    func ownPassword() throws {
        func changes(_ grants: [Grant]) throws -> [Change] {
            ChangePassword(
                appID: try appID(), sessionID: "ses_1", passwordHash: "h", endsOtherSessions: false, now: now,
                events: try TestApp.events(), notices: try factory()
            ).decide(
                try facts {
                    $0.session = try TestApp.session()
                    $0.grants = grants
                }
            ).changes
        }
        #expect(
            notices(try changes([try TestApp.grant(scope: ReservedScope.writePassword)])).map(\.kind) == [
                .passwordChanged
            ])
        #expect(try changes([]).isEmpty)
    }

    // Proves: M19
    @Test("An identifier that a step adds is reported to the others, and a step that adds none is not reported")
    func step() throws {
        let new = try TestApp.mail("new@example.com")
        func changes(_ challenge: StepUpChallenge, _ identifier: CanonicalIdentifier) throws -> [Change] {
            CheckStepUpCode(
                appID: try appID(), reference: TestApp.reference, codeHashes: { _ in ["right"] },
                limits: LimitSettings(),
                hold: 60, nextTokenID: "chl_2", now: now, events: try TestApp.events(), notices: try factory()
            ).decide(
                try facts {
                    $0.challenge = challenge
                    $0.session = try TestApp.session()
                    $0.verification = try TestApp.verification(challenge.verificationKey, of: identifier)
                }
            ).changes
        }
        let added = notices(try changes(try TestApp.challenge(newIdentifier: new), new))
        #expect(added.map(\.kind) == [.identifierAdded])
        #expect(added[0].recipients == (try user()).identifiers)
        #expect(notices(try changes(try TestApp.challenge(), try TestApp.mail())).isEmpty)
    }

    // Proves: M19
    @Test("A session that ends because its token was reused is reported, and no other refresh")
    func reuse() throws {
        func changes(generation: Int64, key: String? = "key") throws -> [Change] {
            RotateRefreshToken(
                appID: try appID(), sessionID: "ses_1", generation: generation, proof: nil, device: Device(),
                policy: SessionPolicy(), now: now, events: try TestApp.events(), notices: try factory()
            ).decide(try facts { $0.session = try TestApp.session(key: key) }).changes
        }
        #expect(notices(try changes(generation: 4)).map(\.kind) == [.sessionsEnded])
        #expect(notices(try changes(generation: 5)).isEmpty)
        #expect(notices(try changes(generation: 5, key: nil)).isEmpty)
    }

    @Test("Identifiers that a migration adds to a user are reported in one notice")
    func migration() throws {
        let new = [try TestApp.mail("x@example.com"), try TestApp.phone("+33612345678")]
        func changes(_ identifiers: [CanonicalIdentifier], owners: [User]) throws -> [Change] {
            AdoptUser(
                newUser: try TestApp.user(identifiers), now: now, events: try TestApp.events(), notices: try factory()
            ).decide(FoundRows { $0.owners = owners }).changes
        }
        let added = notices(try changes(try user().identifiers + new, owners: [try user()]))
        #expect(added.map(\.kind) == [.identifierAdded] && added[0].values.identifier == "***@e***.com")
        #expect(notices(try changes(new, owners: [])).isEmpty)
        #expect(notices(try changes(try user().identifiers, owners: [try user()])).isEmpty)
    }

    // Proves: M19
    @Test("A login from a new device is reported, unless it replaces a session of the user")
    func login() throws {
        func changes(replaced: Session? = nil, isNew: Bool = true, exhausted: Bool = false) throws -> [Change] {
            StartSession(
                session: try TestApp.session(id: "ses_new"), challengeID: "chl", challengeEpoch: 3,
                challengeExpiresAt: now + 300, proof: TestApp.proof(), previousSessionID: replaced?.id,
                maximumSessions: 3, now: now, events: try TestApp.events(),
                newDevice: isNew ? NewDeviceNotice(try factory(), provenBy: nil) : nil
            ).decide(
                try facts {
                    $0.session = replaced
                    let counter = CounterKey.notices(userID: "usr_1", .newDevice)
                    if exhausted { $0.failures = GuardFailures(.exhausted(counter, until: now + 1)) }
                }
            ).changes
        }
        #expect(notices(try changes()).map(\.kind) == [.newDevice])
        #expect(notices(try changes(isNew: false)).isEmpty)
        #expect(notices(try changes(replaced: try TestApp.session())).isEmpty)
        #expect(notices(try changes(replaced: try TestApp.session(user: "usr_2"))).count == 1)
        #expect(try changes(exhausted: true) == changes(isNew: false))
    }

    @Test("A known device, a new user and a migration have no notice of a new device")
    func challenge() throws {
        func notice(_ change: (inout ChallengeClaims) -> Void) throws -> NewDeviceNotice? {
            var claims = ChallengeClaims(
                iss: "i", aud: "a", sub: "usr_1", jti: "j", iat: 0, exp: 1, challengeID: "c", currentStep: "s",
                grantMode: "g")
            claims.method = .password
            change(&claims)
            return claims.newDeviceNotice(
                from: App(id: try appID(), name: "x", createdAt: now), environment: stillEnvironment)
        }
        #expect(try notice { _ in } != nil)
        #expect(try notice { $0.isKnownDevice = true } == nil)
        #expect(try notice { $0.isNewUser = true } == nil)
        #expect(try notice { $0.method = .migration } == nil)
    }

    @Test("The token of a login says by which code it was proven, and whether the device is known")
    func token() throws {
        let (app, user, mail) = (try TestApp.open(), try user(), try TestApp.mail())
        func claims(_ method: LoginMethod, device: KnownDevice?) throws -> ChallengeClaims {
            let token = try app.issueLoginChallenge(
                for: user, by: mail, method: method, device: device, environment: stillEnvironment)
            return try app.verifyChallenge(token, now: now)
        }
        let known = TestApp.device(epoch: 3)
        #expect(try claims(.emailCode, device: nil).provenIdentifier == IdentifierDigest(mail))
        #expect(try claims(.password, device: nil).provenIdentifier == nil)
        #expect(try claims(.password, device: known).isKnownDevice == true)
        #expect(try claims(.password, device: TestApp.device(epoch: 2)).isKnownDevice == nil)
        #expect(try claims(.password, device: TestApp.device(of: "usr_2", epoch: 3)).isKnownDevice == nil)
        #expect(try claims(.password, device: nil).isKnownDevice == nil)
    }
}
