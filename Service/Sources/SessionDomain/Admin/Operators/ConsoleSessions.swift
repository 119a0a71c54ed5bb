internal import Crypto
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

/// The sign-in of an operator at the console. The operator's browser keeps it, sealed, in a cookie.
///
/// It names a management key by its hash, or a session of the operator app. Each request looks that up again, so the session
/// of the console ends with it.
package struct ConsoleSession: Sendable, Equatable {
    /// Seconds after the last request until the session ends.
    package static let idleLifetime = 30 * 60
    /// Seconds after the sign-in until the session ends, used or not.
    package static let absoluteLifetime = 12 * 3600
    /// Seconds after which a request gets a new cookie with its time.
    package static let renewalInterval = 60
    /// Seconds by which the clock of the node that wrote the cookie may have been ahead.
    private static let tolerance = 300

    /// Seconds for which a confirmation, or the sign-in, permits dangerous actions.
    package static let confirmationLifetime = 10 * 60

    /// What an operator has signed in with.
    package enum Credential: Sendable, Equatable {
        /// SHA-256 of a management key in base64url.
        case key(hash: String)
        /// The id of a session of the operator app.
        case account(session: String)
    }

    /// 256 random bits in base64url. Only the service reads it.
    package let id: String
    package let credential: Credential
    package let signedInAt: Timestamp
    /// When the operator last proved who they are.
    package private(set) var confirmedAt: Timestamp
    /// The last request, as far as the cookie says.
    package private(set) var seenAt: Timestamp

    init(id: String, credential: Credential, signedInAt: Timestamp) {
        self.id = id
        self.credential = credential
        self.signedInAt = signedInAt
        confirmedAt = signedInAt
        seenAt = signedInAt
    }

    package var endsAt: Timestamp { min(seenAt + Self.idleLifetime, signedInAt + Self.absoluteLifetime) }

    package func isLive(at now: Timestamp) -> Bool { endsAt > now && seenAt <= now + Self.tolerance }

    /// Returns the session with a new time, or `nil` while its cookie is new enough.
    package func renewed(at now: Timestamp) -> ConsoleSession? {
        guard now >= seenAt + Self.renewalInterval else { return nil }
        var renewed = self
        renewed.seenAt = now
        return renewed
    }

    /// Whether the operator has proven a short time ago who they are, so that a dangerous action needs no confirmation.
    package func isConfirmed(at now: Timestamp) -> Bool {
        confirmedAt + Self.confirmationLifetime > now && confirmedAt <= now + Self.tolerance
    }

    /// Returns the session after a confirmation.
    func confirmed(at now: Timestamp) -> ConsoleSession {
        var confirmed = self
        confirmed.confirmedAt = now
        confirmed.seenAt = now
        return confirmed
    }

    /// The token that each form of this session must contain. A page of another site cannot read it.
    package var formToken: String {
        Base64URL.encode(SHA256.hash(data: Data("prelude-session console form \(id)".utf8)))
    }
}

extension ConsoleSession {
    /// The key of the redemption that ends the session on all nodes.
    var endKey: String { "console/" + Base64URL.encode(SHA256.hash(data: Data(id.utf8))) }

    var text: String {
        let (kind, reference) =
            switch credential {
            case .key(let hash): ("key", hash)
            case .account(let session): ("account", session)
            }
        let times = [signedInAt, seenAt, confirmedAt].map { String($0.milliseconds) }
        return ([id, kind, reference] + times).joined(separator: ".")
    }

    /// - Returns: `nil` for a text of another form.
    init?(text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
        guard parts.count == 6 else { return nil }
        let times = parts[3...].compactMap { Int64($0) }.map { Timestamp(milliseconds: $0) }
        guard times.count == 3 else { return nil }
        let credential: Credential
        switch parts[1] {
        case "key": credential = .key(hash: parts[2])
        case "account": credential = .account(session: parts[2])
        default: return nil
        }
        self.init(id: parts[0], credential: credential, signedInAt: times[0])
        seenAt = times[1]
        confirmedAt = times[2]
    }
}

/// Ends a session of the console: redeems its end key, which is remembered until no cookie of the session is valid any more.
struct EndConsoleSession: Intent {
    let session: ConsoleSession
    /// Reports the sign-out.
    let event: Event

    init(_ session: ConsoleSession, event: Event) {
        self.session = session
        self.event = event
    }

    var reads: Read<GuardFailures> { Read(app: event.appID, .failures) }

    func decide(_ failures: GuardFailures) -> Decision<Void> {
        guard !failures.isTaken(.redemption(session.endKey)) else { return Decision(()) }
        return Decision((), [session.end, .append(event)])
    }
}

/// Returns whether a session of the console has not been ended. Writes nothing.
struct CheckConsoleSession: Intent {
    let session: ConsoleSession

    init(_ session: ConsoleSession) { self.session = session }

    var reads: Read<GuardFailures> { Read(app: .service, .failures) }

    func decide(_ failures: GuardFailures) -> Decision<Bool> {
        guard !failures.isTaken(.redemption(session.endKey)) else { return Decision(false) }
        return .unwritten(true, checking: [session.end])
    }
}

extension ConsoleSession {
    /// Ends belong to the service itself, whatever app the key is valid for.
    fileprivate var end: Change {
        .redeem(endKey, until: signedInAt + Self.absoluteLifetime + 3600, app: .service)
    }
}
