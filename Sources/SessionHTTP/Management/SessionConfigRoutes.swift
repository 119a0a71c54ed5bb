import Hummingbird
import SessionDomain

/// How long sessions and tokens live, and what binds them, through the management API. Lengths in seconds.
struct SessionConfigRoutes: Sendable {
    let apps: AppManagement

    struct Body: Codable {
        let accessTokenLifetime: Int?
        let accessTokenBinding: String?
        let idleLifetime: Int?
        let absoluteLifetime: Int?
        let boundGrace: Int?
        let unboundGrace: Int?
        let noncePolicy: String?
        let proofWindow: Int?

        private enum CodingKeys: String, CodingKey {
            case accessTokenLifetime = "access_token_lifetime"
            case accessTokenBinding = "access_token_binding"
            case idleLifetime = "idle_lifetime"
            case absoluteLifetime = "absolute_lifetime"
            case boundGrace = "bound_grace"
            case unboundGrace = "unbound_grace"
            case noncePolicy = "nonce_policy"
            case proofWindow = "proof_window"
        }

        init(_ policy: SessionPolicy) {
            accessTokenLifetime = policy.accessTokenLifetime
            accessTokenBinding = policy.accessTokenBinding.rawValue
            idleLifetime = policy.idleLifetime
            absoluteLifetime = policy.absoluteLifetime
            boundGrace = policy.boundGrace
            unboundGrace = policy.unboundGrace
            noncePolicy = policy.noncePolicy.rawValue
            proofWindow = policy.proofWindow
        }

        /// What is left out takes its default, but for the binding: it stays, for nobody should lose it by saying nothing.
        func policy(replacing stored: SessionPolicy) throws -> SessionPolicy {
            var policy = SessionPolicy()
            policy.accessTokenBinding = stored.accessTokenBinding
            policy.accessTokenLifetime = accessTokenLifetime ?? policy.accessTokenLifetime
            policy.idleLifetime = idleLifetime ?? policy.idleLifetime
            policy.absoluteLifetime = absoluteLifetime ?? policy.absoluteLifetime
            policy.boundGrace = boundGrace
            policy.unboundGrace = unboundGrace ?? policy.unboundGrace
            policy.proofWindow = proofWindow ?? policy.proofWindow
            if let noncePolicy {
                guard let known = SessionPolicy.NoncePolicy(rawValue: noncePolicy) else {
                    throw Refusal.invalidField("nonce_policy", "must be when_needed or always")
                }
                policy.noncePolicy = known
            }
            if let accessTokenBinding {
                guard let known = SessionPolicy.AccessTokenBinding(rawValue: accessTokenBinding) else {
                    throw Refusal.invalidField("access_token_binding", "must be none or dpop")
                }
                policy.accessTokenBinding = known
            }
            try policy.validate()
            return policy
        }
    }

    @Sendable func get(_ request: Request, context: OperatorContext) async throws -> Response {
        try .json(ConfigEnvelope(config: Body(try await apps.app(context.appID).sessions)))
    }

    @Sendable func replace(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decode(Body.self)
        let stored = try await apps.update(context.appID) { app in
            app.sessions = try body.policy(replacing: app.sessions)
            return app.sessions
        }
        return try .json(ConfigEnvelope(config: Body(stored)))
    }
}
