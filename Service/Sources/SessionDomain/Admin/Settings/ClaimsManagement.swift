internal import Foundation
package import SessionTokens

/// Reads and changes the claim mapping of an app.
package struct ClaimsManagement: Sendable {
    private let apps: AppManagement
    private let environment: ServiceEnvironment

    init(apps: AppManagement, environment: ServiceEnvironment) {
        self.apps = apps
        self.environment = environment
    }

    package func config(of app: AppID) async throws -> ClaimsConfig {
        guard let config = try await apps.app(app).claims else { throw Refusal.notFound("no claims are mapped") }
        return config
    }

    /// Creates the mapping. An app has at most one.
    package func create(_ mapping: [String: JSONValue], app: AppID) async throws -> ClaimsConfig {
        let config = ClaimsConfig(mapping: try Self.sources(mapping), at: environment.now())
        return try await apps.update(app) { app in
            guard app.claims == nil else { throw Refusal.conflict("claims are mapped already; PUT replaces them") }
            app.claims = config
            return config
        }
    }

    package func replace(_ mapping: [String: JSONValue], app: AppID) async throws -> ClaimsConfig {
        let replacement = ClaimsConfig(mapping: try Self.sources(mapping), at: environment.now())
        return try await apps.update(app) { app in
            guard let existing = app.claims else { throw Refusal.notFound("no claims are mapped") }
            var config = replacement
            config.createdAt = existing.createdAt
            app.claims = config
            return config
        }
    }

    /// Validates a mapping as an operator writes it.
    package static func sources(_ mapping: [String: JSONValue]) throws(Refusal) -> [String: ClaimSource] {
        guard mapping.count <= ClaimsConfig.maximumCount else {
            throw .invalidField("mapping", "must have at most \(ClaimsConfig.maximumCount) claims")
        }
        var sources: [String: ClaimSource] = [:]
        for (name, value) in mapping {
            let field = "mapping.\(MemberName.shown(name))"
            guard (1...ClaimsConfig.maximumNameSize).contains(name.utf8.count) else {
                throw .invalidField("mapping", "must have names of 1 to \(ClaimsConfig.maximumNameSize) bytes")
            }
            guard ClaimsConfig.isOneLine(name) else {
                throw .invalidField(field, "must be one line, without control characters and outer spaces")
            }
            guard !ClaimsConfig.reserved.contains(name) else {
                throw .invalidField(field, "is a claim that the service sets")
            }
            sources[name] = try source(value, field: field)
        }
        let literals = sources.values.compactMap { source -> JSONValue? in
            if case .literal(let value) = source { value } else { nil }
        }
        guard let size = try? TokenJSON.encode(literals).count, size <= ClaimsConfig.maximumSize / 2 else {
            throw .invalidField("mapping", "must have at most \(ClaimsConfig.maximumSize / 2) bytes of values")
        }
        return sources
    }

    private static func source(_ value: JSONValue, field: String) throws(Refusal) -> ClaimSource {
        guard case .object(let members) = value, members.keys.contains(where: { $0.hasPrefix("$") }) else {
            guard let encoded = try? TokenJSON.encode(value), encoded.count <= 1024 else {
                throw .invalidField(field, "must have at most 1024 bytes")
            }
            return .literal(value)
        }
        if let key = members["$custom_claim"]?.stringValue, members.count == 1, (1...64).contains(key.utf8.count) {
            return .customClaim(key)
        }
        guard let name = members["$input"]?.stringValue, Set(members.keys).isSubset(of: ["$input", "$type"]) else {
            throw .invalidField(field, "must be a value, {\"$input\", \"$type\"} or {\"$custom_claim\"}")
        }
        guard let input = ClaimInput(rawValue: name) else {
            let known = ClaimInput.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidField("\(field).$input", "must be one of \(known)")
        }
        guard let type = members["$type"] else { return .input(input, as: nil) }
        guard let type = type.stringValue.flatMap({ ClaimType(rawValue: $0) }) else {
            throw .invalidField("\(field).$type", "must be string or array")
        }
        return .input(input, as: type)
    }
}

extension ClaimSource {
    /// The source as an operator writes it.
    package var json: JSONValue {
        switch self {
        case .literal(let value): return value
        case .customClaim(let key): return .object(["$custom_claim": .string(key)])
        case .input(let input, let type):
            var members: [String: JSONValue] = ["$input": .string(input.rawValue)]
            if let type { members["$type"] = .string(type.rawValue) }
            return .object(members)
        }
    }
}

/// Shows what the access tokens of an app contain, without issuing one. Nothing is signed and nothing is stored.
package struct TokenPreviews: Sendable {
    /// The parts of a token, decoded.
    package struct Preview: Sendable, Equatable {
        package let header: [String: JSONValue]
        package let payload: [String: JSONValue]
    }

    /// The kinds of clients, whose tokens differ.
    package enum Client: String, Sendable, CaseIterable {
        /// An app, or a browser that makes proofs.
        case withKey = "key"
        /// A browser that makes no proofs. Its tokens repeat the claims of the app under `cc`.
        case withoutKey = "none"
    }

    /// The client of every preview.
    package static let facts = ClientFacts(
        ip: "192.0.2.1", platform: "ios", countryCode: "FR", locales: ["fr-FR", "en"])

    private let directory: AppDirectory
    private let issuer: TokenIssuer
    private let environment: ServiceEnvironment

    init(directory: AppDirectory, keys: KeyRing, environment: ServiceEnvironment) {
        self.directory = directory
        self.environment = environment
        issuer = TokenIssuer(keys: keys, environment: environment)
    }

    /// Makes the token that a new session without scopes would get.
    ///
    /// - Parameters:
    ///   - mapping: The claims to try, as an operator writes them.
    ///   - user: `nil`: an example user, who has each key of the profile that the claims name.
    /// - Throws: `Refusal.invalidField` for a claim; the refusal of a user who may not sign in; `.invalidField("client")` if the
    ///   app admits no session of this client.
    package func preview(
        _ mapping: [String: JSONValue], user: User?, client: Client = .withKey, app id: AppID
    ) async throws -> Preview {
        let now = environment.now()
        let config = ClaimsConfig(mapping: try ClaimsManagement.sources(mapping), at: now)
        let app = try await directory.app(id)
        let thumbprint = client == .withKey ? Base64URL.encode(environment.randomBytes(32)) : nil
        let policy = app.settings.sessions
        guard policy.admits(keyThumbprint: thumbprint) else {
            throw Refusal.invalidField("client", "gets no session: the app requires a key of the device")
        }
        let user = try user ?? example(config, app: id, now: now)
        let session = Session(
            id: environment.newID("ses"), appID: id, userID: user.id, keyThumbprint: thumbprint,
            device: Device(countryCode: Self.facts.countryCode), createdAt: now,
            idleExpiresAt: now + policy.idleLifetime,
            absoluteExpiresAt: now + policy.absoluteLifetime)
        let claims = try issuer.claims(
            app: app, mapping: config, session: session, user: user, grants: [], client: Self.facts, now: now)
        let header = JWT.header(type: TokenType.accessToken, key: app.accessKey)
        return Preview(header: try Self.decoded(Data(header)), payload: try Self.decoded(claims.json))
    }

    private static func decoded(_ json: Data) throws -> [String: JSONValue] {
        try TokenJSON.decode([String: JSONValue].self, from: json)
    }

    private func example(_ config: ClaimsConfig, app: AppID, now: Timestamp) throws -> User {
        let keys = config.mapping.values.compactMap { source -> String? in
            if case .customClaim(let key) = source { key } else { nil }
        }
        return User(
            id: environment.newID("usr"), appID: app,
            profile: Dictionary(keys.map { ($0, JSONValue.string("example")) }) { first, _ in first },
            identifiers: [
                try CanonicalIdentifier(type: "email_address", value: "ada@example.com"),
                try CanonicalIdentifier(type: "phone_number", value: "+14155550100"),
            ], createdAt: now)
    }
}
