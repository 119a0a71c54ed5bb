internal import Foundation
internal import SessionTokens
internal import SessionWire

/// A login that waits for its code, and its record.
///
/// The record is written before each request that it repeats, so that the next launch continues a login whose response was
/// lost. It contains no code.
struct PendingOTPLogin: VersionedRecord, Equatable {
    static let recordName = RecordName.login
    static let dateFormat = RecordDateFormat.unixTime
    /// Seconds. No verification lives longer.
    static let lifetime: TimeInterval = 3600

    var version = PendingOTPLogin.currentVersion
    let identifier: Identifier
    let loginConfigID: String?
    /// By the server's clock.
    let expiresAt: Date
    /// The verification's id at the server, or the cookie with it from a server that sends no header.
    let verificationToken: String?
    let cookie: String?
    /// Proves that the client that starts the login also completes it (PKCE, RFC 7636 §4.1).
    let codeVerifier: String
    /// The id of the login, which every request that starts its session has.
    let attempt: String
    /// The challenge of the accepted code. A repeated call continues from here.
    private(set) var accepted: Accepted?

    struct Accepted: Codable, Sendable, Equatable {
        /// A hash that only the owner of the record can compute, because a code has few digits.
        let codeHash: String
        let challengeToken: String
    }

    init(
        _ options: StartOTPLoginOptions, _ answer: TransportAnswer, codeVerifier: String, attempt: String, now: Date
    ) {
        identifier = Identifier(options.identifier)
        loginConfigID = options.loginConfigID
        expiresAt = now.addingTimeInterval(Self.lifetime)
        verificationToken = answer.header(HeaderName.verificationToken)
        cookie = Self.verificationCookie(in: answer)
        self.codeVerifier = codeVerifier
        self.attempt = attempt
    }

    /// The options with which the login was started; `nil` for a type of identifier that this version does not know.
    var options: StartOTPLoginOptions? {
        PreludeIdentifier(identifier).map { StartOTPLoginOptions(identifier: $0, loginConfigID: loginConfigID) }
    }

    /// The challenge of an accepted code, if it is this one.
    func challengeToken(of code: String) -> String? {
        accepted?.codeHash == hash(of: code) ? accepted?.challengeToken : nil
    }

    mutating func accept(_ code: String, challengeToken: String) {
        accepted = Accepted(codeHash: hash(of: code), challengeToken: challengeToken)
    }

    private func hash(of code: String) -> String { PKCE.challenge(for: codeVerifier + code) }

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
    private static func verificationCookie(in answer: TransportAnswer) -> String? {
        answer.header("set-cookie")?.split(separator: ",").lazy
            .map { $0.drop { $0 == " " }.prefix { $0 != ";" } }
            .first { $0.contains("verification-login_") }.map(String.init)
    }
}

/// Reads and writes the record of the login that waits for its code. A store that refuses it must not fail the login, which
/// then ends with the process.
extension SessionEngine {
    /// The login that waits for its code: of this client, of an earlier launch, or of another process.
    ///
    /// - Throws: `.storageUnavailable` when the store cannot be read now.
    func loginInProgress() async throws -> PendingOTPLogin? {
        if let pendingLogin { return pendingLogin }
        let start = loginAttempt
        // A logout that the store has refused has ended it, too.
        guard pendingWipe == nil, case .valid(let stored)? = try await records.read(PendingOTPLogin.self) else {
            return pendingLogin
        }
        let now = await estimatedServerTime()
        guard start == loginAttempt, pendingLogin == nil else { return pendingLogin }
        guard stored.expiresAt > now else {
            await forget(stored)
            return nil
        }
        pendingLogin = stored
        return stored
    }

    /// Stores the login that waits for its code. A login or a logout that comes between wins.
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
    func forget(_ login: PendingOTPLogin) async {
        if pendingLogin?.attempt == login.attempt { pendingLogin = nil }
        try? await records.withLock(.sessionWrite) {
            guard try await self.hasRecord(of: login) else { return }
            try await self.records.delete(PendingOTPLogin.self)
        }
    }

    private func hasRecord(of login: PendingLogin) async throws -> Bool {
        guard case .valid(let stored)? = try await records.read(PendingOTPLogin.self) else { return false }
        return stored.attempt == login.attempt
    }

    /// Deletes the record after a login or a logout. Call it under the lock of the session.
    func deletePendingLogin() async {
        if pendingLogin == nil { try? await records.delete(PendingOTPLogin.self) }
    }
}
