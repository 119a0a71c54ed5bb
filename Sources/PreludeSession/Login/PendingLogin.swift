internal import Foundation
internal import SessionTokens
internal import SessionWire

/// A login that is not finished, and its record.
///
/// The record is written before each request that it repeats, so that the next launch continues a login whose response was
/// lost. It contains no code, no password and no credential of an earlier system.
struct PendingLogin: VersionedRecord, Equatable {
    static let recordName = RecordName.login
    static let dateFormat = RecordDateFormat.unixTime
    /// Seconds. No verification lives longer.
    static let lifetime: TimeInterval = 3600

    var version = PendingLogin.currentVersion
    /// With what the user signs in; `nil` for a passkey and for a credential of an earlier system.
    let identifier: Identifier?
    let loginConfigID: String?
    /// By the server's clock.
    let expiresAt: Date
    /// The verification's id at the server, or the cookie with it from a server that sends no header.
    let verificationToken: String?
    let cookie: String?
    /// Proves that the client that starts the login also completes it (PKCE, RFC 7636 §4.1); `nil` for a password and a passkey.
    let codeVerifier: String?
    /// The id of the login, which every request that starts its session has.
    let attempt: String
    /// The challenge of the accepted code, password or credential. A repeated call continues from here.
    private(set) var accepted: Accepted?

    struct Accepted: Codable, Sendable, Equatable {
        /// A hash of the code or credential that only the owner of the record can compute, because a code has few digits. A
        /// password and a passkey have none: only the server decides whether they are the same.
        let codeHash: String?
        let challengeToken: String
    }

    /// A login that waits for its code.
    init(
        _ options: StartOTPLoginOptions, _ response: APIResponse, codeVerifier: String, attempt: String, now: Date
    ) {
        identifier = Identifier(options.identifier)
        loginConfigID = options.loginConfigID
        expiresAt = now.addingTimeInterval(Self.lifetime)
        verificationToken = response.header(HeaderName.verificationToken)
        cookie = Self.verificationCookie(in: response)
        self.codeVerifier = codeVerifier
        self.attempt = attempt
    }

    /// A login whose password the server has accepted.
    init(password identifier: Identifier, challengeToken: String, attempt: String, now: Date) {
        self.init(identifier, codeVerifier: nil, attempt: attempt, now: now)
        accepted = Accepted(codeHash: nil, challengeToken: challengeToken)
    }

    /// A login whose passkey the server has accepted.
    init(passkey challengeToken: String, attempt: String, now: Date) {
        self.init(nil, codeVerifier: nil, attempt: attempt, now: now)
        accepted = Accepted(codeHash: nil, challengeToken: challengeToken)
    }

    /// A login whose credential of an earlier system the server has accepted.
    init(migrating credential: String, challengeToken: String, codeVerifier: String, attempt: String, now: Date) {
        self.init(nil, codeVerifier: codeVerifier, attempt: attempt, now: now)
        accept(credential, challengeToken: challengeToken)
    }

    private init(_ identifier: Identifier?, codeVerifier: String?, attempt: String, now: Date) {
        self.identifier = identifier
        loginConfigID = nil
        expiresAt = now.addingTimeInterval(Self.lifetime)
        verificationToken = nil
        cookie = nil
        self.codeVerifier = codeVerifier
        self.attempt = attempt
    }

    /// The options with which a login with a code was started; `nil` for another login, and for a type of identifier that this
    /// version does not know.
    var options: StartOTPLoginOptions? {
        guard waitsForCode, let identifier = identifier.flatMap(PreludeIdentifier.init) else { return nil }
        return StartOTPLoginOptions(identifier: identifier, loginConfigID: loginConfigID)
    }

    /// Whether it is a login with a code. It may have been accepted.
    var waitsForCode: Bool { identifier != nil && codeVerifier != nil }

    /// The challenge of an accepted code or credential, if it is this one.
    func challengeToken(of code: String) -> String? {
        guard let hash = hash(of: code), accepted?.codeHash == hash else { return nil }
        return accepted?.challengeToken
    }

    /// Whether two logins with a password or a passkey are of the same user, as the server says in their challenges.
    func hasSameAcceptedUser(as other: PendingLogin) -> Bool {
        guard codeVerifier == nil, other.codeVerifier == nil, let user = acceptedUser else { return false }
        return user == other.acceptedUser
    }

    /// `sub` of the challenge token (RFC 7519 §4.1.2).
    private var acceptedUser: String? {
        struct Subject: Decodable { let sub: String }
        return accepted.flatMap { try? JWT.unverifiedClaims(of: $0.challengeToken, as: Subject.self) }?.sub
    }

    mutating func accept(_ code: String, challengeToken: String) {
        accepted = Accepted(codeHash: hash(of: code), challengeToken: challengeToken)
    }

    private func hash(of code: String) -> String? { codeVerifier.map { PKCE.challenge(for: $0 + code) } }

    /// Adds the verification to a request.
    func identify(_ request: APIRequest) -> APIRequest {
        var request = request
        if let verificationToken {
            request.headers[HeaderName.verificationToken] = verificationToken
        } else {
            request.headers["cookie"] = cookie
        }
        return request
    }

    /// `name=value` of the verification cookie.
    private static func verificationCookie(in response: APIResponse) -> String? {
        response.header("set-cookie")?.split(separator: ",").lazy
            .map { $0.drop { $0 == " " }.prefix { $0 != ";" } }
            .first { $0.contains("verification-login_") }.map(String.init)
    }

    /// Whether the challenge may still be redeemed after this error, because the error says nothing about it.
    static func mayContinue(after error: any Error) -> Bool {
        switch error {
        case PreludeSessionError.generic(let code, _): code.hasPrefix("http_5")
        case PreludeSessionError.network, PreludeSessionError.timeout, PreludeSessionError.internalServerError,
            PreludeSessionError.rateLimited, PreludeSessionError.storageUnavailable, is CancellationError:
            true
        default: false
        }
    }
}

/// Reads and writes the record of the login that is not finished. A store that refuses it must not fail the login, which then
/// ends with the process.
extension SessionEngine {
    /// The login that is not finished: of this client, of an earlier launch, or of another process.
    ///
    /// - Throws: `.storageUnavailable` when the store cannot be read now.
    func loginInProgress() async throws -> PendingLogin? {
        if let pending = logins.pending { return pending }
        let start = logins.starts
        // A logout that the store has refused has ended it, too.
        guard pendingWipe == nil, case .valid(let stored)? = try await records.read(PendingLogin.self) else {
            return logins.pending
        }
        let now = await estimatedServerTime()
        guard start == logins.starts, logins.pending == nil else { return logins.pending }
        guard stored.expiresAt > now else {
            await forget(stored)
            return nil
        }
        logins.keep(stored)
        return stored
    }

    private var pendingLogin: PendingLogin? { logins.pending }

    /// Stores the login that is not finished. A login or a logout that comes between wins.
    ///
    /// - Parameter isChanged: Whether the store had this login already. Then another process that has deleted or replaced the
    ///   record has ended it, and its record does not return.
    func savePendingLogin(isChanged: Bool = false) async {
        try? await records.withLock(.sessionWrite) {
            guard let login = await self.pendingLogin else { return }
            if isChanged {
                guard try await self.hasRecord(of: login) else { return }
            }
            try await self.records.write(login)
        }
    }

    /// Forgets a login that cannot continue, here and in the store.
    func forget(_ login: PendingLogin) async {
        logins.forget(login)
        try? await records.withLock(.sessionWrite) {
            guard try await self.hasRecord(of: login) else { return }
            try await self.records.delete(PendingLogin.self)
        }
    }

    private func hasRecord(of login: PendingLogin) async throws -> Bool {
        guard case .valid(let stored)? = try await records.read(PendingLogin.self) else { return false }
        return stored.attempt == login.attempt
    }

    /// Deletes the record after a login or a logout. Call it under the lock of the session.
    func deletePendingLogin() async {
        if logins.pending == nil { try? await records.delete(PendingLogin.self) }
    }
}

/// The login of this client that is not finished, and the code of the last one that is.
final class LoginProgress {
    /// A migration in progress, which callers with the same credential share.
    struct Migration: Sendable {
        let token: RedactedString
        let fence: Int
        let task: Task<PreludeUser, any Error>
    }

    /// It is also stored.
    private(set) var pending: PendingLogin?
    /// Counts started OTP logins, logins and logouts. A response to an older start is dropped.
    private(set) var starts = 0
    /// The code that began the session, for a password reset that continues.
    private(set) var redeemedCode: RedeemedCode?
    private var migrations: [Migration] = []

    /// An OTP login starts.
    ///
    /// - Returns: The number of this start.
    func start() -> Int {
        starts += 1
        return starts
    }

    /// A login or a logout: what was in progress before is void.
    func end() {
        starts += 1
        pending = nil
    }

    /// This login is in progress from now on.
    func keep(_ login: PendingLogin) { pending = login }

    /// The server has accepted the code of a login.
    ///
    /// - Returns: `false` if the login is not in progress any more.
    func accept(_ code: String, of login: PendingLogin, challengeToken: String) -> Bool {
        guard pending?.attempt == login.attempt else { return false }
        pending?.accept(code, challengeToken: challengeToken)
        return true
    }

    /// A login cannot continue. Another one stays.
    func forget(_ login: PendingLogin) {
        if pending?.attempt == login.attempt { pending = nil }
    }

    /// A code has begun the session of a user.
    func redeemed(_ code: String, of user: PreludeUser) { redeemedCode = RedeemedCode(code, of: user) }

    func forgetCode() { redeemedCode = nil }

    /// The migration in progress with the same credential since the last login or logout.
    func migration(_ token: RedactedString, fence: Int) -> Migration? {
        migrations.first { $0.token == token && $0.fence == fence }
    }

    func started(_ migration: Migration) { migrations.append(migration) }

    func migrationEnded(_ token: RedactedString, fence: Int) {
        migrations.removeAll { $0.token == token && $0.fence == fence }
    }
}

/// The code that began a session. A password reset that was interrupted continues only with the same code in the same session.
struct RedeemedCode: Sendable, Equatable {
    /// As `EnteredCode` normalizes it.
    let code: RedactedString
    let sessionID: String

    init?(_ code: String, of user: PreludeUser) {
        guard let sessionID = user.profile.sessionID else { return nil }
        (self.code, self.sessionID) = (RedactedString(code), sessionID)
    }

    func continues(_ session: StoredSession, with code: String) -> Bool {
        session.sessionID == sessionID && self.code.value == code
    }
}
