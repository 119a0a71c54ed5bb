internal import Foundation
internal import SessionTokens
package import SessionWebAuthn

/// Registers, lists, renames and deletes the passkeys of the caller.
package struct PasskeyRegistration: Sendable {
    private let store: any PasskeyStore
    private let environment: ServiceEnvironment

    init(store: any PasskeyStore, environment: ServiceEnvironment) {
        self.store = store
        self.environment = environment
    }

    /// Begins a registration.
    ///
    /// - Parameters:
    ///   - username: The name of the account, as the password manager shows it.
    ///   - nickname: The name in the user's list.
    /// - Throws: `Refusal.passkeyNotConfigured`, `.insufficientScope`, `.invalidField`.
    package func begin(
        username: String, displayName: String?, nickname: String?, by caller: SignedIn, app: AppRuntime
    ) async throws -> PasskeyCreation {
        let config = try app.settings.requirePasskeys()
        try Self.checkName(username, "username")
        if let displayName, !displayName.isEmpty { try Self.checkName(displayName, "display_name") }
        let nickname = try Passkey.nickname(nickname)
        let change = change(by: caller, app: app)
        let passkeys = try await store.perform(ReadPasskeysToChange(change))
        let handle = passkeys.first?.userHandle ?? Data(environment.randomBytes(64))
        let now = environment.now()
        let token = try app.issuePasskeyToken(
            PasskeyClaims(
                aud: PasskeyClaims.audience(.registration, of: app.settings), jti: environment.newID("pkc"),
                iat: now.seconds, exp: now.seconds + PasskeyClaims.lifetime, sub: caller.user.id,
                sid: caller.session.id, userHandle: Base64URL.encode(handle), nickname: nickname))
        return PasskeyCreation(
            relyingPartyID: config.relyingPartyID,
            relyingPartyName: config.relyingPartyName ?? app.settings.nameInMessages, userHandle: handle,
            username: username, displayName: displayName.flatMap { $0.isEmpty ? nil : $0 } ?? username,
            challenge: Data(PasskeyClaims.challenge(of: token)), excluded: passkeys.filter(config.accepts),
            userVerification: config.userVerification, attestation: config.attestationPreference, token: token)
    }

    /// Ends a registration. The same response again, and a passkey that the user has already, change nothing.
    ///
    /// - Returns: The passkey, and whether the user had it before.
    /// - Throws: As `begin`; `Refusal.passkeyRegistrationFailed`, `.passkeyAuthenticatorBlocked`, `.invalidChallenge`,
    ///   `.expiredChallenge`, `.challengeReused`, `.challengeMismatch`, and `.conflict` if the user has too many passkeys.
    package func finish(
        token: String, _ response: RegistrationResponse, by caller: SignedIn, app: AppRuntime
    ) async throws -> (passkey: Passkey, isKnown: Bool) {
        let config = try app.settings.requirePasskeys()
        let now = environment.now()
        let claims = try app.verifyPasskeyToken(token, .registration, now: now)
        guard claims.sub == caller.user.id, claims.sid == caller.session.id,
            let handle = claims.userHandle.flatMap({ Base64URL.decode($0) })
        else { throw Refusal.challengeMismatch }
        let credential = try await Self.verify(response, token: token, config: config, now: now)
        let passkey = Passkey(
            id: Base64URL.encode(Data(credential.id)), appID: app.settings.id, userID: caller.user.id,
            userHandle: handle, publicKey: Data(credential.publicKey), counter: Int64(credential.counter),
            aaguid: Data(credential.aaguid), relyingPartyID: credential.relyingPartyID,
            transports: credential.transports, isBackupEligible: credential.isBackupEligible,
            isBackedUp: credential.isBackedUp, nickname: claims.nickname, createdAt: now)
        return try await store.perform(
            RegisterPasskey(
                passkey, tokenID: claims.jti, tokenExpiresAt: Timestamp(seconds: claims.exp),
                in: change(by: caller, app: app)))
    }

    private static func verify(
        _ response: RegistrationResponse, token: String, config: PasskeyConfig, now: Timestamp
    ) async throws(Refusal) -> RegisteredCredential {
        var ceremony = RegistrationCeremony(
            relyingParty: config.relyingParty, challenge: PasskeyClaims.challenge(of: token),
            requiresUserVerification: config.userVerification == .required)
        ceremony.trustAnchors = config.trustAnchors
        let credential: RegisteredCredential
        do {
            credential = try await ceremony.verify(
                response, at: Date(timeIntervalSince1970: Double(now.milliseconds) / 1000))
        } catch {
            throw .passkeyRegistrationFailed("the authenticator's response is not accepted: \(error.problem)")
        }
        try check(credential.attestation, aaguid: credential.aaguid, config)
        return credential
    }

    /// Refuses an authenticator that the settings do not allow.
    static func check(_ attestation: Attestation, aaguid: [UInt8], _ config: PasskeyConfig) throws(Refusal) {
        guard !config.requiresAttestation || !attestation.certificates.isEmpty else {
            throw .passkeyRegistrationFailed("an attestation with certificates is required")
        }
        guard config.attestationRoots.isEmpty || attestation.isTrusted else {
            throw .passkeyRegistrationFailed("the attestation leads to no certificate that the app trusts")
        }
        guard config.allowedAAGUIDs.isEmpty || config.allowedAAGUIDs.contains(Passkey.model(aaguid) ?? "") else {
            throw .passkeyAuthenticatorBlocked
        }
        // A U2F key does not sign its model, and it does not sign that it has verified the user.
        if attestation.format == "fido-u2f", !config.allowedAAGUIDs.isEmpty || config.userVerification == .required {
            throw .passkeyAuthenticatorBlocked
        }
    }

    private static func checkName(_ name: String, _ field: String) throws(Refusal) {
        guard (1...256).contains(name.utf8.count), DisplayName.isOneLine(name) else {
            throw .invalidField(
                field, "must be one line of 1 to 256 bytes, without control characters and outer spaces")
        }
    }

    /// The passkeys of the caller, oldest first.
    package func list(of caller: SignedIn) async throws -> [Passkey] {
        try await store.passkeys(of: caller.user.id, app: caller.user.appID)
    }

    /// - Parameter nickname: The empty text removes the name.
    /// - Throws: `Refusal.notFound`, `.insufficientScope`, `.invalidField`.
    package func rename(_ id: String, to nickname: String, by caller: SignedIn, app: AppRuntime) async throws {
        try await store.perform(
            RenamePasskey(id, nickname: try Passkey.nickname(nickname), in: change(by: caller, app: app)))
    }

    /// - Throws: `Refusal.notFound`, `.insufficientScope`, and `.conflict` for the last way to sign in.
    package func delete(_ id: String, by caller: SignedIn, app: AppRuntime) async throws {
        try await store.perform(DeletePasskey(id, app: app.settings, in: change(by: caller, app: app)))
    }

    private func change(by caller: SignedIn, app: AppRuntime) -> PasskeyChange {
        PasskeyChange(
            by: caller, app: app.settings, now: environment.now(),
            events: EventFactory(appID: app.settings.id, environment: environment),
            notices: NoticeFactory(app.settings, environment: environment))
    }
}

/// A change of passkeys by a session. It needs the scope `prld:passkey:write`, or a login that is new.
package struct PasskeyChange: Sendable {
    package let appID: AppID
    package let sessionID: String
    /// Whether the access token of the call has the scope.
    package let hasScope: Bool
    /// Seconds for which a login is new.
    package let freshLogin: Int
    package let now: Timestamp
    package let events: EventFactory
    package let notices: NoticeFactory?

    package init(
        by caller: SignedIn, app: App, now: Timestamp, events: EventFactory, notices: NoticeFactory? = nil
    ) {
        self.init(
            app: app.id, session: caller.session.id, hasScope: caller.claims.has(scope: ReservedScope.writePasskey),
            freshLogin: app.freshLogin, now: now, events: events, notices: notices)
    }

    package init(
        app: AppID, session: String, hasScope: Bool, freshLogin: Int, now: Timestamp, events: EventFactory,
        notices: NoticeFactory? = nil
    ) {
        appID = app
        sessionID = session
        self.hasScope = hasScope
        self.freshLogin = freshLogin
        self.now = now
        self.events = events
        self.notices = notices
    }

    package struct Facts: Sendable {
        let session: Session?
        let user: User?
        let passkeys: [Passkey]
        let grants: [Grant]
        let failures: GuardFailures
    }

    var reads: Read<Facts> {
        Read(
            app: appID, .session(sessionID), .userOfSession(), .passkeys, .grants(at: now), .failures,
            as: Facts.init)
    }

    /// - Returns: The user, who may change its passkeys.
    func requireAllowed(_ facts: Facts) throws(Refusal) -> User {
        guard let session = facts.session, let user = facts.user, session.isLive(at: now), user.status == .active else {
            throw .unauthorized
        }
        let isGranted = facts.grants.contains { grant in
            grant.scope == ReservedScope.writePasskey && grant.covers(session, at: now)
        }
        guard (hasScope && isGranted) || session.isFresh(for: user, lasting: freshLogin, at: now) else {
            throw .insufficientScope(ReservedScope.writePasskey)
        }
        return user
    }

    func passkey(_ id: String, in facts: Facts) throws(Refusal) -> Passkey {
        guard let passkey = facts.passkeys.first(where: { $0.id == id }) else {
            throw .notFound("the user has no such passkey")
        }
        return passkey
    }
}

/// Answers the passkeys that the caller may change, and writes nothing.
package struct ReadPasskeysToChange: Intent {
    package let change: PasskeyChange

    package init(_ change: PasskeyChange) { self.change = change }

    package var reads: Read<PasskeyChange.Facts> { change.reads }

    package func decide(_ facts: PasskeyChange.Facts) throws(Refusal) -> Decision<[Passkey]> {
        _ = try change.requireAllowed(facts)
        return Decision(facts.passkeys)
    }
}

/// Registers a passkey whose response was verified.
package struct RegisterPasskey: Intent {
    package let passkey: Passkey
    /// `jti` of the registration token.
    package let tokenID: String
    package let tokenExpiresAt: Timestamp
    package let change: PasskeyChange

    package init(_ passkey: Passkey, tokenID: String, tokenExpiresAt: Timestamp, in change: PasskeyChange) {
        self.passkey = passkey
        self.tokenID = tokenID
        self.tokenExpiresAt = tokenExpiresAt
        self.change = change
    }

    package var reads: Read<PasskeyChange.Facts> { change.reads }

    package func decide(_ facts: PasskeyChange.Facts) throws(Refusal) -> Decision<(passkey: Passkey, isKnown: Bool)> {
        let user = try change.requireAllowed(facts)
        guard user.id == passkey.userID else { throw .challengeMismatch }
        // A lost response is answered again, so this comes before the token.
        if let known = facts.passkeys.first(where: { $0.id == passkey.id }) { return Decision((known, isKnown: true)) }
        if facts.failures.isTaken(.redemption(tokenID)) { throw .challengeReused }
        if facts.failures.isTaken(.passkey(passkey.id)) {
            throw .passkeyRegistrationFailed("the passkey cannot be registered; create another one")
        }
        guard facts.passkeys.count < Passkey.maximumPerUser else {
            throw .conflict("the user already has \(Passkey.maximumPerUser) passkeys, which is the maximum")
        }
        // Two registrations of a user without passkeys can run at once. Authenticators know a user by one handle.
        guard facts.passkeys.allSatisfy({ $0.userHandle == passkey.userHandle }) else {
            throw .passkeyRegistrationFailed("another passkey was registered meanwhile; begin again")
        }
        return Decision(
            (passkey, isKnown: false),
            [
                .redeem(tokenID, until: tokenExpiresAt, app: change.appID), .insertPasskey(passkey),
                .append(change.events.passkeyRegistered(passkey, session: change.sessionID)),
            ] + (change.notices?.changes(.passkeyAdded, to: user, facts.failures, at: change.now) ?? []))
    }
}

/// Renames a passkey of the caller.
package struct RenamePasskey: Intent {
    package let id: String
    package let nickname: String?
    package let change: PasskeyChange

    package init(_ id: String, nickname: String?, in change: PasskeyChange) {
        self.id = id
        self.nickname = nickname
        self.change = change
    }

    package var reads: Read<PasskeyChange.Facts> { change.reads }

    package func decide(_ facts: PasskeyChange.Facts) throws(Refusal) -> Decision<Void> {
        _ = try change.requireAllowed(facts)
        let passkey = try change.passkey(id, in: facts)
        var next = passkey
        next.nickname = nickname
        return Decision((), [.replacePasskey(passkey, with: next)])
    }
}

/// Deletes a passkey of the caller. Logins and step-ups that have begun end: they may rest on it.
package struct DeletePasskey: Intent {
    package let id: String
    /// The settings, which say how users sign in.
    package let app: App
    package let change: PasskeyChange

    package init(_ id: String, app: App, in change: PasskeyChange) {
        self.id = id
        self.app = app
        self.change = change
    }

    package var reads: Read<PasskeyChange.Facts> { change.reads }

    package func decide(_ facts: PasskeyChange.Facts) throws(Refusal) -> Decision<Void> {
        let user = try change.requireAllowed(facts)
        let passkey = try change.passkey(id, in: facts)
        let others = facts.passkeys.filter { $0.id != id && app.passkeys?.accepts($0) == true }
        guard !others.isEmpty || app.passkeys?.accepts(passkey) != true || user.canSignInWithoutPasskey(to: app) else {
            throw .conflict("this passkey is the user's only way to sign in; add another one first")
        }
        return Decision(
            (),
            [.deletePasskey(passkey)] + Change.endingBegun(by: user) + [
                .append(change.events.passkeyDeleted(passkey, session: change.sessionID, at: change.now))
            ] + (change.notices?.changes(.passkeyRemoved, to: user, facts.failures, at: change.now) ?? []))
    }
}

/// Deletes a passkey for an operator, who may delete the last one. Returns `false` if the user has no such passkey.
package struct DeletePasskeyOfUser: Intent {
    package let id: String
    package let change: UserChange

    package init(_ id: String, in change: UserChange) {
        self.id = id
        self.change = change
    }

    package struct Facts: Sendable {
        let user: User?
        let passkeys: [Passkey]
        let failures: GuardFailures
    }

    package var reads: Read<Facts> {
        Read(app: change.appID, .user(change.userID), .passkeys, .failures, as: Facts.init)
    }

    package func decide(_ facts: Facts) -> Decision<Bool> {
        guard let user = facts.user, let passkey = facts.passkeys.first(where: { $0.id == id }) else {
            return Decision(false)
        }
        return Decision(
            true,
            [.deletePasskey(passkey)] + Change.endingBegun(by: user) + [
                .append(change.events.passkeyDeleted(passkey, session: nil, at: change.now))
            ] + change.notice(.passkeyRemoved, to: user, facts.failures))
    }
}

extension User {
    /// Whether no code signs the user in.
    ///
    /// - Parameter isOn: Whether the app sends codes to users with a passkey.
    func needsPasskey(ifCodesWithPasskey isOn: Bool) -> Bool { hasPasskey && !isOn }

    /// Whether a code or a password signs the user in.
    func canSignInWithoutPasskey(to app: App) -> Bool {
        identifiers.contains { app.defaultLogin(with: $0.type) != nil && app.otpLimits.allows($0) }
            || (hasPassword && app.passwordLogin?.enabled == true
                && identifiers.contains { $0.type == .emailAddress })
    }
}

extension Session {
    /// Whether the login of this session is new. One that may have been made with an identifier that is held does not count.
    func isFresh(for user: User, lasting seconds: Int, at now: Timestamp) -> Bool {
        !user.hasHeldIdentifier(at: now) && createdAt + seconds >= now
    }
}
