import SessionDomain

extension ServiceConfiguration {
    /// The rotation of signing keys with these settings; `nil` for the defaults.
    static func keyRotation(days: Int?, publishAhead: Int?) -> KeyRotationPolicy {
        var policy = KeyRotationPolicy()
        if let days { policy.interval = days == 0 ? nil : days * 86_400 }
        if let publishAhead { policy.publishAhead = publishAhead }
        return policy
    }

    /// Checks the requirements of key rotation.
    func checkRotating() throws {
        let safe = KeyRotationPolicy.safePublishAhead
        guard keyRotation.publishAhead >= safe || isDevelopment else {
            throw settings.error(
                .keyPublishAhead,
                "must be at least \(safe) seconds outside development mode (--development or "
                    + "PRELUDE_SESSION_DEVELOPMENT=true), because verifiers may use an older key set for so long")
        }
    }
}
