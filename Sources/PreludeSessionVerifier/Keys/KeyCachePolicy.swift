public import Foundation

/// How long the verifier uses the service's keys and how often it fetches them. All times are in seconds.
public struct KeyCachePolicy: Sendable {
    /// How long a key set is fresh if its response has no `Cache-Control: max-age`.
    public var lifetime: TimeInterval = 300
    /// The upper limit for `max-age`. While the service can be reached, a removed key is rejected after this time at the
    /// latest.
    public var maximumLifetime: TimeInterval = 3600
    /// How long a key set is used after it is no longer fresh, while the service cannot be reached.
    ///
    /// During this time the verifier also accepts keys that the service has removed. Use a shorter time if that is too long
    /// after a key leaked. With 0, the verifier rejects tokens if the set is no longer fresh and cannot be fetched.
    public var maximumStaleness: TimeInterval = 86_400
    /// The minimum time between two fetches, even if tokens name unknown keys.
    public var minimumInterval: TimeInterval = 30
    /// The minimum time after a failed fetch while the verifier has no keys.
    public var minimumRetryInterval: TimeInterval = 1
    /// The timeout of one fetch; 1 to 300.
    public var timeout: TimeInterval = 10

    /// Called with the error of a failed fetch, for your log. The verifier continues with its current keys.
    public var onFailure: (@Sendable (any Error) -> Void)?

    /// Creates a policy with the default values.
    public init() {}
}

extension KeyCachePolicy {
    /// Checks the times.
    ///
    /// - Throws: ``VerifierConfigurationError`` if times are negative or contradict each other.
    func validate() throws(VerifierConfigurationError) {
        guard minimumRetryInterval >= 0, minimumInterval >= 1, lifetime >= minimumInterval, maximumLifetime >= lifetime,
            maximumStaleness >= 0
        else {
            throw VerifierConfigurationError(
                "options.keys", "must have 1 <= minimumInterval <= lifetime <= maximumLifetime and no negative times")
        }
        guard (1...300).contains(timeout) else {
            throw VerifierConfigurationError("options.keys.timeout", "must be 1 to 300 seconds")
        }
    }
}
