import Hummingbird
package import SessionDomain

/// The step-up configuration and the registered scopes in the management API.
struct StepUpConfigRoutes: Sendable {
    let config: StepUpManagement

    @Sendable func get(_ request: Request, context: OperatorContext) async throws -> Response {
        try .config(StepUpConfigBody(try await config.config(of: context.appID)))
    }

    @Sendable func create(_ request: Request, context: OperatorContext) async throws -> Response {
        let change = try await request.decodeExactly(StepUpConfigBody.self).change
        return try .config(StepUpConfigBody(try await config.create(change, app: context.appID)), status: .created)
    }

    @Sendable func replace(_ request: Request, context: OperatorContext) async throws -> Response {
        let change = try await request.decodeExactly(StepUpConfigBody.self).change
        return try .config(StepUpConfigBody(try await config.replace(change, app: context.appID)))
    }

    @Sendable func scopes(_ request: Request, context: OperatorContext) async throws -> Response {
        try .json(StepUpScopeListBody(scopes: try await config.scopes(of: context.appID)))
    }

    @Sendable func register(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decodeExactly(StepUpScopeBody.self)
        try await config.register(body.scope, app: context.appID)
        return try .json(body, status: .created)
    }

    /// Unregisters the scope of the body, or of the query parameter `scope`.
    @Sendable func unregister(_ request: Request, context: OperatorContext) async throws -> Response {
        let named = try request.query["scope"]
        let sent = try await request.decodeExactlyIfPresent(StepUpScopeBody.self)?.scope
        guard let scope = sent ?? named else { throw Refusal.invalidField("scope", "is required") }
        guard sent == nil || named == nil else {
            throw Refusal.invalidField("scope", "must not be set in the body and in the query")
        }
        try await config.unregister(scope, app: context.appID)
        return .noContent
    }
}

/// The step-up configuration, in requests and in responses, and in files of the command line.
package struct StepUpConfigBody: Codable {
    struct AllowedScope: Codable {
        let scope: String
        let mode: String
        var delegated: Delegated?
        var direct: Direct?
    }

    struct Delegated: Codable {
        let delegationHook: String

        private enum CodingKeys: String, CodingKey { case delegationHook = "delegation_hook" }
    }

    struct Direct: Codable {
        let identifierTypes: [String]
        let status: String
        var grantedFor: Int?
        var grantMode: String?
        var steps: [Step]?

        private enum CodingKeys: String, CodingKey {
            case status, steps
            case identifierTypes = "identifier_types"
            case grantedFor = "granted_for"
            case grantMode = "grant_mode"
        }
    }

    struct Step: Codable {
        let order: Int
        let key: String
        let expirationDuration: Int?

        private enum CodingKeys: String, CodingKey {
            case order, key
            case expirationDuration = "expiration_duration"
        }
    }

    let jwksURL: String?
    let stepKeys: [String]?
    /// Required: an empty list deletes all rules, and a forgotten one must not.
    let allowedScopes: [AllowedScope]
    var createdAt: String?
    var updatedAt: String?

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case jwksURL = "jwks_url"
        case stepKeys = "step_keys"
        case allowedScopes = "allowed_scopes"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
    }

    /// The configuration of a request. It is not validated yet.
    package var change: StepUpConfigChange {
        StepUpConfigChange(
            jwksURL: jwksURL, stepKeys: stepKeys ?? [],
            allowedScopes: allowedScopes.map { entry in
                .init(
                    scope: entry.scope, mode: entry.mode, delegationHook: entry.delegated?.delegationHook,
                    direct: entry.direct.map(StepUpConfigChange.Direct.init))
            })
    }

    /// The names of the members.
    package static var members: [String] { CodingKeys.allCases.map(\.rawValue) }

    package init(_ config: StepUpConfig) {
        jwksURL = config.jwksURL ?? ""
        stepKeys = config.stepKeys
        allowedScopes = config.rules.map(AllowedScope.init)
        createdAt = config.createdAt.rfc3339
        updatedAt = config.updatedAt.rfc3339
    }
}

extension StepUpConfigChange.Direct {
    fileprivate init(_ body: StepUpConfigBody.Direct) {
        self.init(
            identifierTypes: body.identifierTypes, status: body.status, grantedFor: body.grantedFor,
            grantMode: body.grantMode,
            steps: body.steps?.map {
                StepUpStep(order: $0.order, key: $0.key, expirationDuration: $0.expirationDuration ?? 0)
            })
    }
}

extension StepUpConfigBody.AllowedScope {
    fileprivate init(_ rule: ScopeRule) {
        scope = rule.scope
        switch rule.mode {
        case .managed: mode = "managed"
        case .delegated(let hook):
            mode = "delegated"
            delegated = .init(delegationHook: hook)
        case .direct(let types, let decision):
            mode = "direct"
            direct = .init(types: types.map(\.rawValue), decision: decision)
        }
    }
}

extension StepUpConfigBody.Direct {
    fileprivate init(types: [String], decision: StepUpDecision) {
        identifierTypes = types
        let terms: GrantTerms?
        switch decision {
        case .block: (status, terms) = (StepUpStatus.block.rawValue, nil)
        case .grant(let granted): (status, terms) = (StepUpStatus.continue.rawValue, granted)
        case .review(let granted, let list):
            (status, terms) = (StepUpStatus.review.rawValue, granted)
            steps = list.map { .init(order: $0.order, key: $0.key, expirationDuration: $0.expirationDuration) }
        }
        grantedFor = terms?.grantedFor
        grantMode = terms?.mode.rawValue
    }
}

/// A registered scope, in requests and in responses.
struct StepUpScopeBody: Codable { let scope: String }

private struct StepUpScopeListBody: Encodable { let scopes: [String] }
