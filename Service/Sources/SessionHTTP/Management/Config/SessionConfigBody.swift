import SessionDomain

/// The lifetimes and bindings of sessions and tokens, in requests and in responses. Lifetimes are in seconds.
struct SessionConfigBody: Codable {
    let accessTokenLifetime: Int?
    let accessTokenBinding: String?
    let deviceKey: String?
    let maximumSessions: Int?
    let idleLifetime: Int?
    let absoluteLifetime: Int?
    /// Left out without a limit.
    let boundGrace: Int?
    let unboundGrace: Int?
    let noncePolicy: String?
    let proofWindow: Int?

    private enum CodingKeys: String, CodingKey {
        case accessTokenLifetime = "access_token_lifetime"
        case accessTokenBinding = "access_token_binding"
        case deviceKey = "device_key"
        case maximumSessions = "maximum_sessions"
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
        deviceKey = policy.deviceKey.rawValue
        maximumSessions = policy.maximumSessions
        idleLifetime = policy.idleLifetime
        absoluteLifetime = policy.absoluteLifetime
        boundGrace = policy.boundGrace
        unboundGrace = policy.unboundGrace
        noncePolicy = policy.noncePolicy.rawValue
        proofWindow = policy.proofWindow
    }

    /// The policy that replaces the stored one.
    ///
    /// A missing member gets its default. Only `access_token_binding` and `device_key` keep their stored values, so that a
    /// request that does not name them cannot remove the binding.
    ///
    /// - Throws: `Refusal.invalidField`.
    func policy(replacing stored: SessionPolicy) throws(Refusal) -> SessionPolicy {
        var policy = SessionPolicy()
        policy.accessTokenBinding = stored.accessTokenBinding
        policy.deviceKey = stored.deviceKey
        policy.maximumSessions = maximumSessions ?? policy.maximumSessions
        policy.accessTokenLifetime = accessTokenLifetime ?? policy.accessTokenLifetime
        policy.idleLifetime = idleLifetime ?? policy.idleLifetime
        policy.absoluteLifetime = absoluteLifetime ?? policy.absoluteLifetime
        policy.boundGrace = boundGrace
        policy.unboundGrace = unboundGrace ?? policy.unboundGrace
        policy.proofWindow = proofWindow ?? policy.proofWindow
        if let noncePolicy {
            guard let known = SessionPolicy.NoncePolicy(rawValue: noncePolicy) else {
                throw .invalidField("nonce_policy", "must be when_needed or always")
            }
            policy.noncePolicy = known
        }
        if let accessTokenBinding {
            guard let known = SessionPolicy.AccessTokenBinding(rawValue: accessTokenBinding) else {
                throw .invalidField("access_token_binding", "must be none or dpop")
            }
            policy.accessTokenBinding = known
        }
        if let deviceKey {
            guard let known = SessionPolicy.DeviceKey(rawValue: deviceKey) else {
                throw .invalidField("device_key", "must be optional or required")
            }
            policy.deviceKey = known
        }
        try policy.validate()
        return policy
    }
}
