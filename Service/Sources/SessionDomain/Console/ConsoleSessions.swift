internal import Foundation
internal import SessionTokens

/// Signs operators in to the console with a management key or an account, and checks their cookies.
///
/// A cookie is sealed with the master keys and stored nowhere, so it is valid on every node. It ends with its key or with its
/// session of the operator app, with its time, and with a sign-out, which every node finds.
package struct ConsoleSessions: Sendable {
    /// The longest cookie that is read, in bytes. A sealed session has about 250.
    private static let maximumCookie = 1024
    private static let context = "console session"

    private let store: any ServiceStore
    private let keys: KeyRing
    private let managementKeys: ManagementKeys
    private let login: OperatorLogin
    private let environment: ServiceEnvironment

    init(
        store: any ServiceStore, keys: KeyRing, managementKeys: ManagementKeys, login: OperatorLogin,
        environment: ServiceEnvironment
    ) {
        self.store = store
        self.keys = keys
        self.managementKeys = managementKeys
        self.login = login
        self.environment = environment
    }

    // MARK: Beginning

    /// Begins a session with a valid management key, of one app or of all, and reports it.
    ///
    /// - Throws: `Refusal.unauthorized` for a wrong key; `.rateLimited` as `ManagementKeys.authenticate`.
    package func signIn(_ secret: String, source: SourceAddress) async throws -> ConsoleSession {
        let key = try await managementKeys.authenticate(secret, source: source)
        return try await begun(.key(hash: key.hash), by: ConsolePrincipal(key))
    }

    /// Begins a session with a proven login of an operator, and reports it. It is a session of the operator app, too.
    ///
    /// - Returns: The session, and the token with which this browser is a known device at later logins (`OperatorOrigin`).
    /// - Throws: `Refusal.unauthorized` if the account was removed, and the refusals of a login.
    package func signIn(
        _ proof: OperatorProof, device: Device, client: ClientFacts
    ) async throws -> (session: ConsoleSession, deviceToken: String?) {
        let tokens = try await login.start(proof, device: device, client: client)
        guard let user = try await store.user(tokens.session.userID, app: .operators),
            let person = ConsoleOperator(user)
        else { throw Refusal.unauthorized }
        let session = try await begun(.account(session: tokens.session.id), by: ConsolePrincipal(person))
        return (session, tokens.knownDevice)
    }

    private func begun(
        _ credential: ConsoleSession.Credential, by principal: ConsolePrincipal
    ) async throws -> ConsoleSession {
        let session = ConsoleSession(
            id: Base64URL.encode(environment.randomBytes(32)), credential: credential, signedInAt: environment.now())
        try await report(.consoleSignedIn, principal)
        return session
    }

    // MARK: Checking

    /// The value of the cookie of a session.
    package func cookie(of session: ConsoleSession) throws -> String {
        Base64URL.encode(try keys.seal(Data(session.text.utf8), context: Self.context))
    }

    /// Returns the live session of a cookie with its operator. `nil` for a session that has ended, and for any text that this
    /// service did not write.
    package func session(cookie: String) async throws -> (session: ConsoleSession, principal: ConsolePrincipal)? {
        guard cookie.utf8.count <= Self.maximumCookie, let sealed = Base64URL.decode(cookie),
            let opened = try? keys.open(Data(sealed), context: Self.context),
            let session = ConsoleSession(text: String(decoding: opened, as: UTF8.self)),
            session.isLive(at: environment.now())
        else { return nil }
        switch session.credential {
        case .key(let hash):
            guard let key = try await managementKeys.key(hash: hash),
                try await store.perform(CheckConsoleSession(session))
            else { return nil }
            return (session, ConsolePrincipal(key))
        case .account(let id):
            guard let (row, user) = try await store.signedIn(session: id, app: .operators),
                row.isLive(at: environment.now()), user.status == .active, let person = ConsoleOperator(user)
            else { return nil }
            return (session, ConsolePrincipal(person))
        }
    }

    // MARK: Ending

    /// Ends a session on all nodes, and reports it. A repeated call has no effect.
    package func signOut(_ session: ConsoleSession, by principal: ConsolePrincipal) async throws {
        let event = event(.consoleSignedOut, principal)
        switch session.credential {
        case .key: try await store.perform(EndConsoleSession(session, event: event))
        case .account(let id):
            guard let user = principal.operator?.id else { return }
            let change = UserChange(
                of: user, app: .operators, now: environment.now(),
                events: EventFactory(appID: .operators, environment: environment))
            _ = try await store.perform(
                RevokeSessions(.one(id), reason: .logout, reporting: [event], in: change))
        }
    }

    // MARK: Confirming

    /// Returns the session after its operator has proven again who they are, and reports the attempt.
    ///
    /// - Throws: `Refusal.unauthorized` for a proof of another account, and for another key than that of the session; the
    ///   refusals of a login; `.rateLimited`.
    package func confirm(
        _ session: ConsoleSession, of principal: ConsolePrincipal, with confirmation: OperatorConfirmation,
        from origin: OperatorOrigin
    ) async throws -> ConsoleSession {
        do {
            try await check(session, principal, confirmation, origin)
        } catch let refusal as Refusal {
            switch refusal {
            // Nothing was compared. Limits have their own event.
            case .rateLimited, .overloaded, .unavailable: break
            default: try await report(.consoleConfirmationFailed, principal)
            }
            throw refusal
        }
        try await report(.consoleConfirmed, principal)
        return session.confirmed(at: environment.now())
    }

    private func check(
        _ session: ConsoleSession, _ principal: ConsolePrincipal, _ confirmation: OperatorConfirmation,
        _ origin: OperatorOrigin
    ) async throws {
        switch (confirmation, session.credential, principal.operator) {
        case (.key(let secret), .key(let hash), _):
            _ = try await managementKeys.authenticate(secret, source: origin.source) {
                ConstantTime.equal($0.hash, hash)
            }
        case (.password(let password), .account, let person?):
            try await login.confirm(try await login.password(password, of: person.address, from: origin), as: person)
        case (.code(let code, let verification), .account, let person?):
            try await login.confirm(
                try await login.code(code, verification: verification, from: origin), as: person)
        default: throw Refusal.unauthorized
        }
    }

    // MARK: Forms that wait for a confirmation

    /// Encrypts a form that continues after a confirmation. Only this session can send it, and to this path only.
    package func seal(form: String, of session: ConsoleSession, for path: String) throws -> String {
        Base64URL.encode(try keys.seal(Data(form.utf8), context: Self.context(of: session, path)))
    }

    /// - Returns: `nil` for a text that `seal` did not write for this session and path.
    package func open(form: String, of session: ConsoleSession, for path: String) -> String? {
        guard let sealed = Base64URL.decode(form),
            let opened = try? keys.open(Data(sealed), context: Self.context(of: session, path))
        else { return nil }
        return String(decoding: opened, as: UTF8.self)
    }

    private static func context(of session: ConsoleSession, _ path: String) -> String {
        "console form \(session.id) \(path)"
    }

    // MARK: Events

    private func report(_ name: Event.Name, _ principal: ConsolePrincipal) async throws {
        try await store.perform(AppendEvents([event(name, principal)]))
    }

    /// An event of the console, in the app of the operator or of the service itself.
    private func event(_ name: Event.Name, _ principal: ConsolePrincipal) -> Event {
        let factory = EventFactory(
            appID: principal.appID ?? .service, environment: environment,
            context: .current.acting(as: principal.actor))
        let role = principal.operator?.role.rawValue ?? principal.key.role.rawValue
        return factory.make(name, ["name": .string(principal.name), "role": .string(role)])
    }
}
