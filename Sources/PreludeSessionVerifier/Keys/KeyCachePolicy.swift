public import Foundation

/// How long the service's keys are used, and how often they are fetched. Lengths in seconds.
public struct KeyCachePolicy: Sendable {
    /// How long a set is used without asking again when its answer does not say (`Cache-Control: max-age`).
    public var lifetime: TimeInterval = 300
    /// The longest `max-age` that is believed: a key that was taken back is refused after it at the latest, as long as
    /// the service can be reached.
    public var maximumLifetime: TimeInterval = 3600
    /// How long a set is used beyond that while a newer one cannot be had, and with it a key that was taken back
    /// meanwhile. Shorten it if that is too long after a leak; 0 stops with the service.
    public var maximumStaleness: TimeInterval = 86_400
    /// The least time between two fetches, however many unknown keys are named.
    public var minimumInterval: TimeInterval = 30
    /// The same after a fetch that failed, while there are no keys at all.
    public var minimumRetryInterval: TimeInterval = 1
    /// How long one fetch may take.
    public var timeout: TimeInterval = 10

    /// Told why a fetch failed, for your log; the verifier goes on with what it has.
    public var onFailure: (@Sendable (any Error) -> Void)?

    /// The defaults.
    public init() {}
}

extension KeyCachePolicy {
    /// - Throws: ``VerifierConfigurationError`` for lengths that contradict each other.
    func validate() throws(VerifierConfigurationError) {
        guard minimumRetryInterval >= 0, minimumInterval >= 1, lifetime >= minimumInterval, maximumLifetime >= lifetime,
            maximumStaleness >= 0
        else {
            throw VerifierConfigurationError(
                "options.keys", "must have 1 <= minimumInterval <= lifetime <= maximumLifetime, and nothing negative")
        }
        guard (1...300).contains(timeout) else {
            throw VerifierConfigurationError("options.keys.timeout", "must be 1 to 300 seconds")
        }
    }
}
