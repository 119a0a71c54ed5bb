internal import Foundation
internal import SessionDomain
internal import Testing

enum PasskeyRules {
    static let all: [ContractRule] = [
        ContractRule("A passkey is stored with all that it has, and the user has a passkey") { world async throws in
            let session = try await world.signIn(try await world.addUser())
            let passkey = world.passkey("full", of: session.userID, counter: 4_294_967_295, nickname: "Laptop")
            #expect(try await world.register(passkey, by: session).isKnown == false)
            #expect(try await world.store.passkey(passkey.id, app: world.app) == passkey)
            #expect(try await world.store.passkeys(of: session.userID, app: world.app) == [passkey])
            #expect(try await world.store.user(session.userID, app: world.app)?.hasPasskey == true)
            #expect(try await world.store.signedIn(session: session.id, app: world.app)?.user.hasPasskey == true)
            #expect(try await world.happened().suffix(1) == [.passkeyRegistered])
        },
        ContractRule("Passkeys of other users and apps are not found") { world async throws in
            let session = try await world.signIn(try await world.addUser())
            let other = try await world.addUser("bob@example.com")
            try await world.register(world.passkey("mine", of: session.userID), by: session)
            #expect(try await world.store.passkey("mine", app: world.otherApp) == nil)
            #expect(try await world.store.passkeys(of: session.userID, app: world.otherApp) == [])
            #expect(try await world.store.passkeys(of: other.id, app: world.app) == [])
            #expect(try await world.store.user(other.id, app: world.app)?.hasPasskey == false)
        },
        ContractRule("The same passkey again changes nothing, with the same token and with another one") {
            world async throws in
            let session = try await world.signIn(try await world.addUser())
            let passkey = world.passkey("same", of: session.userID)
            try await world.register(passkey, by: session, token: "1")
            for token in ["1", "2"] {
                let again = try await world.register(
                    world.passkey("same", of: session.userID), by: session, token: token)
                #expect(again.isKnown && again.passkey == passkey)
            }
            #expect(try await world.happened().filter { $0 == .passkeyRegistered }.count == 1)
        },
        // Proves: W3
        ContractRule("A registration token registers one passkey, also of 16 at once") { world async throws in
            let session = try await world.signIn(try await world.addUser())
            let outcomes = try await concurrently(16) { index in
                do {
                    return try await world.register(
                        world.passkey("key\(index)", of: session.userID), by: session, token: "same"
                    ).isKnown == false
                } catch Refusal.challengeReused {
                    return false
                }
            }
            #expect(outcomes.filter(\.self).count == 1)
            #expect(try await world.store.passkeys(of: session.userID, app: world.app).count == 1)
        },
        ContractRule("A user has at most 20 passkeys, also when two are registered at once") { world async throws in
            let session = try await world.signIn(try await world.addUser())
            for index in 1..<Passkey.maximumPerUser {
                try await world.register(world.passkey("k\(index)", of: session.userID), by: session, token: "\(index)")
            }
            let outcomes = try await concurrently(4) { index in
                do {
                    try await world.register(
                        world.passkey("last\(index)", of: session.userID), by: session, token: "last\(index)")
                    return true
                } catch Refusal.conflict {
                    return false
                }
            }
            #expect(outcomes.filter(\.self).count == 1)
        },
        ContractRule("A credential id that another user has is refused") { world async throws in
            let ada = try await world.signIn(try await world.addUser())
            let bob = try await world.signIn(try await world.addUser("bob@example.com"))
            try await world.register(world.passkey("stolen", of: ada.userID), by: ada)
            await #expect(
                throws: Refusal.passkeyRegistrationFailed("the passkey cannot be registered; create another one")
            ) {
                try await world.register(world.passkey("stolen", of: bob.userID), by: bob, token: "2")
            }
            #expect(try await world.store.passkeys(of: bob.userID, app: world.app) == [])
        },
        // Proves: W8
        ContractRule("A login that is not new needs the scope, and the grant of it") { world async throws in
            let user = try await world.addUser()
            let late = world.now + 601
            let passkey = world.passkey("late", of: user.id)
            let plain = try await world.signIn(user)
            let granted = try await world.signIn(user, granted: ReservedScope.writePasskey, .sessionBound, lasts: 700)
            for (session, hasScope) in [(plain, false), (plain, true), (granted.session, false)] {
                await #expect(throws: Refusal.insufficientScope(ReservedScope.writePasskey)) {
                    try await world.register(passkey, by: session, hasScope: hasScope, at: late)
                }
            }
            #expect(try await world.register(passkey, by: granted.session, hasScope: true, at: late).isKnown == false)
        },
        // Proves: W3
        ContractRule("A login uses the token once, and writes counter, backup state and time") { world async throws in
            let session = try await world.signIn(try await world.addUser())
            let passkey = world.passkey("use", of: session.userID, counter: 5)
            try await world.register(passkey, by: session)
            guard case .signedIn(let user) = try await world.use(passkey, counter: 6) else {
                Issue.record("the login was refused")
                return
            }
            #expect(user.id == session.userID && user.hasPasskey)
            let used = try #require(try await world.store.passkey("use", app: world.app))
            #expect(used.counter == 6 && used.isBackedUp && used.lastUsedAt == world.now + 9)
            #expect(try await world.use(passkey, counter: 7) == .tokenUsed)
        },
        // Proves: W3
        ContractRule("Of 16 logins with one token, one signs in") { world async throws in
            let session = try await world.signIn(try await world.addUser())
            let passkey = world.passkey("race", of: session.userID)
            try await world.register(passkey, by: session)
            let outcomes = try await concurrently(16) { _ in try await world.use(passkey, counter: 0) }
            #expect(outcomes.filter { $0 == .tokenUsed }.count == 15)
        },
        // Proves: W7
        ContractRule("A counter that does not grow is reported, and refused if the app says so") { world async throws in
            let session = try await world.signIn(try await world.addUser())
            let passkey = world.passkey("copied", of: session.userID, counter: 5)
            try await world.register(passkey, by: session)
            #expect(try await world.use(passkey, counter: 5, token: "1") == .lowerCounter)
            #expect(try await world.store.passkey("copied", app: world.app)?.lastUsedAt == nil)
            guard case .signedIn = try await world.use(passkey, counter: 3, token: "2", refuses: false) else {
                Issue.record("the login was refused")
                return
            }
            #expect(try await world.store.passkey("copied", app: world.app)?.counter == 5)
            #expect(try await world.happened().filter { $0 == .passkeyCounterLowered }.count == 2)
        },
        // Proves: W7
        ContractRule("Of 8 logins with one counter, one signs in") { world async throws in
            let session = try await world.signIn(try await world.addUser())
            let passkey = world.passkey("twin", of: session.userID, counter: 1)
            try await world.register(passkey, by: session)
            let outcomes = try await concurrently(8) { index in
                try await world.use(passkey, counter: 2, token: "\(index)")
            }
            #expect(outcomes.filter { $0 == .lowerCounter }.count == 7)
        },
        // Proves: W4, W10
        ContractRule("A passkey that was deleted, or has another key, signs nobody in") { world async throws in
            let session = try await world.signIn(try await world.addUser())
            let passkey = world.passkey("gone", of: session.userID)
            try await world.register(passkey, by: session)
            let forged = world.passkey("gone", of: session.userID, key: "other")
            #expect(try await world.use(forged, counter: 0, token: "1") == .unknown)
            try await world.delete("gone", by: session)
            #expect(try await world.use(passkey, counter: 0, token: "2") == .unknown)
        },
        ContractRule("A user that is not active learns the status by a passkey") { world async throws in
            let session = try await world.signIn(try await world.addUser())
            let passkey = world.passkey("closed", of: session.userID)
            try await world.register(passkey, by: session)
            _ = try await world.store.perform(SetUserStatus(.suspended, in: world.change(of: session.userID)))
            #expect(try await world.use(passkey, counter: 0) == .inactive(.suspended))
        },
        // Proves: W10
        ContractRule("Deleting a passkey makes begun logins void") { world async throws in
            let user = try await world.addUser()
            let session = try await world.signIn(user)
            try await world.register(world.passkey("old", of: user.id), by: session)
            try await world.delete("old", by: session)
            let later = try #require(try await world.store.user(user.id, app: world.app))
            #expect(later.loginEpoch == user.loginEpoch + 1 && !later.hasPasskey)
            await #expect(throws: Refusal.notFound("the user has no such passkey")) {
                try await world.delete("old", by: session)
            }
        },
        // Proves: W9
        ContractRule("The last way to sign in is not deleted by its user, but by an operator") { world async throws in
            let session = try await world.signIn(try await world.addUser())
            try await world.register(world.passkey("only", of: session.userID), by: session)
            await #expect(
                throws: Refusal.conflict("this passkey is the user's only way to sign in; add another one first")
            ) {
                try await world.delete("only", by: session, codes: false)
            }
            let removal = DeletePasskeyOfUser("only", in: world.change(of: session.userID))
            #expect(try await world.store.perform(removal))
            #expect(try await world.store.perform(removal) == false)
        },
        ContractRule("Another user's passkey is neither renamed nor deleted") { world async throws in
            let ada = try await world.signIn(try await world.addUser())
            let bob = try await world.signIn(try await world.addUser("bob@example.com"))
            try await world.register(world.passkey("adas", of: ada.userID), by: ada)
            await #expect(throws: Refusal.notFound("the user has no such passkey")) {
                try await world.delete("adas", by: bob)
            }
            await #expect(throws: Refusal.notFound("the user has no such passkey")) {
                try await world.store.perform(RenamePasskey("adas", nickname: "mine", in: world.passkeyChange(bob)))
            }
            try await world.store.perform(RenamePasskey("adas", nickname: "Phone", in: world.passkeyChange(ada)))
            #expect(try await world.store.passkey("adas", app: world.app)?.nickname == "Phone")
        },
        ContractRule("A deleted user leaves no passkey, and its credential id is free") { world async throws in
            let ada = try await world.signIn(try await world.addUser())
            let bob = try await world.signIn(try await world.addUser("bob@example.com"))
            try await world.register(world.passkey("free", of: ada.userID), by: ada)
            #expect(try await world.store.perform(DeleteUser(ada.userID, app: world.app, events: [])))
            #expect(try await world.store.passkey("free", app: world.app) == nil)
            #expect(
                try await world.register(world.passkey("free", of: bob.userID), by: bob, token: "2").isKnown == false)
        },
        // Proves: W4
        ContractRule("A step is completed by a passkey of its own user, in its turn, and once") { world async throws in
            let ada = try await world.signIn(try await world.addUser())
            let bob = try await world.signIn(try await world.addUser("bob@example.com"))
            let (mine, other) = (world.passkey("a", of: ada.userID), world.passkey("b", of: bob.userID))
            try await world.register(mine, by: ada)
            try await world.register(other, by: bob, token: "2")
            let step = StepUpStep(order: 1, key: StepUpStep.verifyPasskey, expirationDuration: 100)
            let challenge = try await world.open(for: ada, steps: [step])
            #expect(try await world.complete(challenge, with: other, of: ada) == .wrong)
            let done = try #require(try await world.complete(challenge, with: mine, of: ada).advanced)
            #expect(done.completedAt != nil)
            #expect(try await world.complete(challenge, with: mine, of: ada) == .refused(.challengeReused))
            let mail = try await world.open(for: ada, steps: [ContractWorld.mailStep])
            #expect(try await world.complete(mail, with: mine, of: ada) == .refused(.stepNotFound))
        },
        // Proves: W7
        ContractRule("A step with a lower counter is reported five times, and then its challenge is void") {
            world async throws in
            let session = try await world.signIn(try await world.addUser())
            let passkey = world.passkey("copied", of: session.userID, counter: 5)
            try await world.register(passkey, by: session)
            let step = StepUpStep(order: 1, key: StepUpStep.verifyPasskey, expirationDuration: 100)
            let challenge = try await world.open(for: session, steps: [step])
            for _ in 1...5 { #expect(try await world.complete(challenge, with: passkey, of: session) == .wrong) }
            #expect(try await world.complete(challenge, with: passkey, of: session) == .refused(.invalidChallenge))
            #expect(try await world.happened().filter { $0 == .passkeyCounterLowered }.count == 5)
        },
        // Proves: W12
        ContractRule("Users with a passkey get no code if the app says so, and callers do not learn it") {
            world async throws in
            let user = try await world.addUser()
            let session = try await world.signIn(user)
            try await world.register(world.passkey("strong", of: user.id), by: session)
            for (codes, isSuppressed) in [(true, false), (false, true)] {
                let start = world.verificationStart(
                    try world.mail("ada@example.com"), token: "codes \(codes)", codesWithPasskey: codes)
                guard case .started(let started, _) = try await world.store.perform(start) else {
                    Issue.record("no code was started")
                    return
                }
                #expect(started.isSuppressed == isSuppressed)
            }
        },
        // Proves: W12
        ContractRule("A code that was sent before the passkey is not accepted") {
            world async throws in
            let user = try await world.addUser()
            let start = world.verificationStart(try world.mail("ada@example.com"), token: "earlier")
            _ = try await world.store.perform(start)
            let session = try await world.signIn(user)
            try await world.register(world.passkey("later", of: user.id), by: session)
            let check = CheckCode(
                appID: world.app, tokenHash: "earlier", codeHashes: ["right"], limits: LimitSettings(), signUp: true,
                codesWithPasskey: false, newUserID: "usr_new", now: world.now + 1, events: world.events())
            #expect(try await world.store.perform(check) == .wrong)
        },
    ]
}

extension ContractWorld {
    fileprivate func passkey(
        _ id: String, of userID: String, counter: Int64 = 0, key: String = "key", nickname: String? = nil
    ) -> Passkey {
        Passkey(
            id: id, appID: app, userID: userID, userHandle: Data("handle of \(userID)".utf8),
            publicKey: Data("\(key) of \(id)".utf8), counter: counter, aaguid: Data(repeating: 7, count: 16),
            relyingPartyID: "example.com", transports: ["hybrid", "internal"], isBackupEligible: true,
            isBackedUp: false, nickname: nickname, createdAt: now)
    }

    fileprivate func passkeyChange(_ session: Session, hasScope: Bool = false, at time: Timestamp? = nil)
        -> PasskeyChange
    {
        PasskeyChange(
            app: app, session: session.id, hasScope: hasScope, freshLogin: 600, now: time ?? now,
            events: events(at: time))
    }

    @discardableResult
    fileprivate func register(
        _ passkey: Passkey, by session: Session, token: String = "1", hasScope: Bool = false, at time: Timestamp? = nil
    ) async throws -> (passkey: Passkey, isKnown: Bool) {
        try await store.perform(
            RegisterPasskey(
                passkey, tokenID: "pkc_\(session.userID)_\(token)", tokenExpiresAt: now + 300,
                in: passkeyChange(session, hasScope: hasScope, at: time)))
    }

    fileprivate func delete(_ id: String, by session: Session, codes: Bool = true) async throws {
        var settings = App(id: app, name: "Contract", createdAt: now)
        settings.passkeys = PasskeyConfig()
        settings.passkeys?.relyingPartyID = "example.com"
        if codes { settings.otpLogins = [OTPLoginConfig(id: "lcfg_1", channel: .email, isDefault: true, at: now)] }
        try await store.perform(DeletePasskey(id, app: settings, in: passkeyChange(session)))
    }

    fileprivate func use(
        _ passkey: Passkey, counter: Int64, token: String = "1", refuses: Bool = true
    ) async throws -> SignInWithPasskeyOutcome {
        try await store.perform(
            SignInWithPasskey(
                PasskeyUse(of: passkey, counter: counter, isBackedUp: true), refusesLowerCounter: refuses,
                tokenID: "pkl_\(token)", tokenExpiresAt: now + 300, now: now + 9, events: events(at: now + 9)))
    }

    fileprivate func complete(
        _ challenge: StepUpChallenge, with passkey: Passkey, of session: Session
    ) async throws -> StepOutcome {
        try await store.perform(
            CompletePasskeyStep(
                appID: app,
                reference: ChallengeReference(
                    id: challenge.id, tokenID: challenge.tokenID, sessionID: session.id, userID: session.userID,
                    expiresAt: challenge.expiresAt, proofThumbprint: session.keyThumbprint,
                    heldSessionID: session.id),
                use: PasskeyUse(of: passkey, counter: 0, isBackedUp: false), refusesLowerCounter: true,
                nextTokenID: environment.newID("chl"), now: now + 1, events: events()))
    }
}
