import SessionDomain

extension ServiceConfiguration {
    /// When signing keys change, as these settings say.
    static func keyRotation(days: Int?, publishAhead: Int?) -> KeyRotationPolicy {
        var policy = KeyRotationPolicy()
        if let days { policy.interval = days == 0 ? nil : days * 86_400 }
        if let publishAhead { policy.publishAhead = publishAhead }
        return policy
    }

    /// What only who gives keys successors needs.
    func checkRotating() throws {
        let safe = KeyRotationPolicy.safePublishAhead
        guard keyRotation.publishAhead >= safe || isDevelopment else {
            throw ConfigurationError(
                Key.keyPublishAhead.flag,
                "must be at least \(safe) seconds outside development mode (--development or "
                    + "PRELUDE_SESSION_DEVELOPMENT=true): verifiers may go by an older key set so long")
        }
    }
}
