public import Foundation
internal import SessionRSA
internal import SessionTokens

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The cached keys of the service.
///
/// The cache fetches the key set for the first token, when the set is no longer fresh, and when a token names an unknown
/// key. The policy limits how often. All waiting callers share one fetch. While the service cannot be reached, or sends a
/// set without a usable key, the cache uses the old set. After an idle time it waits for the new set before it uses the old
/// one.
actor KeySetCache {
    private struct CachedSet {
        let keys: PublishedKeySet
        let fetchedAt: TimeInterval
        /// When the cache fetches a newer set.
        let freshUntil: TimeInterval
        /// When the cache stops using this set.
        let usableUntil: TimeInterval

        /// A set from the future is not fresh: the clock went back, so the age of the set is unknown.
        func isFresh(at now: TimeInterval) -> Bool { (fetchedAt..<freshUntil).contains(now) }
    }

    /// A service signs with one key, and publishes two or three. Tokens with other headers are read each time.
    private static let maximumHeaders = 8

    private let source: any KeySetSource
    private let algorithms: Set<SignatureAlgorithm>
    private let policy: KeyCachePolicy
    private let environment: VerifierEnvironment
    /// Replaced as a whole, so `knownHeaders` has keys of this set only.
    private var cached: CachedSet? {
        didSet { knownHeaders = [] }
    }
    /// The headers of verified tokens, one for each key and `typ` of the service.
    private var knownHeaders: [KnownTokenHeader] = []
    private var runningFetch: Task<Bool, Never>?
    private var lastAttempt: (at: TimeInterval, succeeded: Bool)?
    /// The start time of the last completed fetch, if it failed.
    private var lastFailure: TimeInterval?

    init(
        source: any KeySetSource, algorithms: Set<SignatureAlgorithm>, policy: KeyCachePolicy,
        environment: VerifierEnvironment
    ) {
        self.source = source
        self.algorithms = algorithms
        self.policy = policy
        self.environment = environment
    }

    /// The key with this `kid`.
    ///
    /// - Throws: `.unknownKey` if the service has no such key, `.keysUnavailable` if the key set cannot be fetched.
    func key(id: String) async throws(VerificationError) -> any VerificationKey {
        let now = environment.seconds
        if let cached, now < cached.usableUntil, let key = cached.keys.key(id: id) {
            guard !cached.isFresh(at: now) else { return key }
            let runningFetch = fetchIfAllowed(now: now)
            // A busy backend uses the old set during the fetch. An idle backend waits for the new set, because the service
            // may have removed a leaked key meanwhile. It does not wait while the service is down.
            let isDown = lastFailure.map { now - $0 < 2 * policy.minimumInterval } ?? false
            guard now >= cached.freshUntil + policy.minimumInterval, !isDown, let runningFetch else { return key }
            _ = await runningFetch.value
        }
        let isFetched: Bool
        if let runningFetch = fetchIfAllowed(now: now) {
            isFetched = await runningFetch.value
        } else {
            isFetched = lastAttempt?.succeeded ?? false
        }
        if let cached, environment.seconds < cached.usableUntil, let key = cached.keys.key(id: id) { return key }
        throw VerificationError(isFetched ? .unknownKey : .keysUnavailable)
    }

    /// The header with which a token begins, if it is that of a verified token, and its key is in a fresh set.
    func knownHeader(of token: String) -> KnownTokenHeader? {
        guard let cached, cached.isFresh(at: environment.seconds) else { return nil }
        return knownHeaders.first { $0.begins(token) }
    }

    /// Stores the header of a verified token.
    func keep(_ header: KnownTokenHeader) {
        // Since the token was verified, another set may have replaced the key.
        guard cached?.keys.key(id: header.keyID)?.thumbprint == header.key.thumbprint,
            !knownHeaders.contains(where: { $0.encoded == header.encoded })
        else { return }
        if knownHeaders.count >= Self.maximumHeaders { knownHeaders.removeFirst() }
        knownHeaders.append(header)
    }

    /// Fetches the key set unless the cached set is fresh.
    func load() async throws(VerificationError) {
        let now = environment.seconds
        if let cached, cached.isFresh(at: now) { return }
        guard await fetchIfAllowed(now: now)?.value ?? (cached != nil) else {
            throw VerificationError(.keysUnavailable)
        }
    }

    /// The running fetch, or a new one if the policy allows it now.
    private func fetchIfAllowed(now: TimeInterval) -> Task<Bool, Never>? {
        if let runningFetch { return runningFetch }
        if let lastAttempt {
            let interval = lastAttempt.succeeded || cached != nil ? policy.minimumInterval : policy.minimumRetryInterval
            // If the clock went back, do not wait.
            guard now < lastAttempt.at || now >= lastAttempt.at + interval else { return nil }
        }
        lastAttempt = (now, false)
        // An unstructured task: if the first caller is cancelled, the other callers still need the result.
        let task = Task { await self.fetch(at: now) }
        runningFetch = task
        return task
    }

    private func fetch(at now: TimeInterval) async -> Bool {
        let (response, keys): (FetchedKeySet, PublishedKeySet)
        do {
            response = try await fetchWithTimeout()
            keys = try PublishedKeySet(json: response.json, algorithms: algorithms)
            // The service always publishes a key, so a set without one is a fault. The cached keys are still valid.
            guard keys.count > 0 else { throw KeySetError.noUsableKey }
        } catch {
            runningFetch = nil
            lastFailure = now
            policy.onFailure?(error)
            return false
        }
        runningFetch = nil
        lastFailure = nil
        // Ignore a `max-age` that is NaN.
        let maxAge = response.maxAge.flatMap { $0.isNaN ? nil : $0 }
        let lifetime = min(maxAge ?? policy.lifetime, policy.maximumLifetime)
        let freshUntil = now + max(lifetime, policy.minimumInterval)
        cached = CachedSet(
            keys: keys, fetchedAt: now, freshUntil: freshUntil, usableUntil: freshUntil + policy.maximumStaleness)
        lastAttempt = (now, true)
        return true
    }

    /// Fetches from the source. Returns after the policy's timeout even if the source ignores cancellation.
    private func fetchWithTimeout() async throws -> FetchedKeySet {
        let (responses, continuation) = AsyncThrowingStream<FetchedKeySet, any Error>.makeStream()
        let request = Task { [source] in
            do {
                continuation.yield(try await source.fetch())
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        let timer = Task { [environment, policy] in
            try await environment.sleep(policy.timeout)
            continuation.finish(throwing: URLError(.timedOut))
        }
        defer {
            request.cancel()
            timer.cancel()
        }
        for try await response in responses { return response }
        throw CancellationError()
    }
}

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
