internal import SessionTokens

/// Issues access tokens without a login, so that an operator can try a backend. An app must allow it.
///
/// Such a token has no session: backends accept it until it expires, and the service itself rejects it.
package struct DevelopmentTokens: Sendable {
    /// Seconds for which a token may be valid.
    package static let lifetimes = 60...86_400
    static let standardLifetime = 3600

    /// A token and its end.
    package struct Issued: Sendable, Equatable {
        package let accessToken: String
        package let expiresAt: Timestamp
    }

    private let directory: AppDirectory
    private let store: any UserStore
    private let environment: ServiceEnvironment

    init(directory: AppDirectory, store: any UserStore, environment: ServiceEnvironment) {
        self.directory = directory
        self.store = store
        self.environment = environment
    }

    /// - Parameters:
    ///   - scopes: Each must be registered.
    ///   - lifetime: Seconds; an hour if it is `nil`.
    /// - Throws: `Refusal.forbidden`, unless the app allows it; `.conflict` if the app binds access tokens to keys.
    package func issue(
        user id: String, app appID: AppID, scopes: [String] = [], lifetime: Int? = nil
    ) async throws -> Issued {
        let app = try await directory.app(appID)
        guard app.settings.developmentTokens else { throw Refusal.developmentTokensOff }
        guard app.settings.sessions.accessTokenBinding == .bearer else {
            throw Refusal.conflict("the app binds access tokens to keys of devices, and a development token has no key")
        }
        let lifetime = lifetime ?? Self.standardLifetime
        guard Self.lifetimes.contains(lifetime) else {
            throw Refusal.invalidField("lifetime", "must be 60 to 86400 seconds")
        }
        if let index = scopes.firstIndex(where: { !app.settings.scopes.contains($0) }) {
            throw Refusal.invalidField("scopes[\(index)]", "is not a registered scope")
        }
        guard let user = try await store.user(id, app: appID) else { throw Refusal.notFound("there is no such user") }
        try user.requireActive()
        let issued = try sign(Array(Set(scopes)).sorted(), for: user, app: app, lifetime: lifetime)
        let event = EventFactory(appID: appID, environment: environment).make(
            .developmentTokenIssued,
            [
                "user_id": .string(user.id), "scopes": .array(scopes.map(JSONValue.string)),
                "expires_at": .string(issued.expiresAt.rfc3339),
            ])
        try await store.perform(AppendEvents([event]))
        return issued
    }

    private func sign(_ scopes: [String], for user: User, app: AppRuntime, lifetime: Int) throws -> Issued {
        let now = environment.now()
        let expiresAt = Timestamp(seconds: (now + lifetime).seconds)
        let begin = now.seconds - IssueTime.backdating
        var claims = AccessTokenClaims(
            iss: app.issuer, aud: app.settings.id.rawValue, sub: user.id, sid: environment.newID("ses"),
            clientID: app.settings.id.rawValue, jti: Base64URL.encode(environment.randomBytes(16)), iat: begin,
            nbf: begin, exp: expiresAt.seconds, scope: scopes.isEmpty ? nil : scopes.joined(separator: " "))
        claims.mapped = app.settings.claims?.resolve(user: user, client: ClientFacts(), at: now) ?? [:]
        return Issued(
            accessToken: try JWT.sign(payload: claims.json, type: TokenType.accessToken, key: app.accessKey),
            expiresAt: expiresAt)
    }
}

extension Refusal {
    fileprivate static let developmentTokensOff = Refusal.forbidden(
        "the app does not allow development tokens; set development_tokens of the app to true")
}
