import SessionDomain

extension ServiceConfiguration {
    /// When signing keys change, as these settings say.
    static func keyRotation(days: Int?, publishAhead: Int?, isDevelopment: Bool) throws -> KeyRotationPolicy {
        var policy = KeyRotationPolicy()
        if let days { policy.interval = days == 0 ? nil : days * 86_400 }
        guard let publishAhead else { return policy }
        let safe = KeyRotationPolicy.safePublishAhead
        guard publishAhead >= safe || isDevelopment else {
            throw ConfigurationError(
                Key.keyPublishAhead.flag,
                "must be at least \(safe) seconds outside development mode: verifiers may go by an older key set so long"
            )
        }
        policy.publishAhead = publishAhead
        return policy
    }
}
