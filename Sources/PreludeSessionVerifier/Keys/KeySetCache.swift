internal import Foundation
internal import SessionRSA
internal import SessionTokens

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The service's keys as this process has them.
///
/// A set is fetched once for all who wait, at the first token, when it grows old, and when a token names a key that it
/// lacks; never more often than the policy says. While a newer one cannot be had, the old one goes on; a backend that was
/// idle waits for the newer one first.
actor KeySetCache {
    private struct CachedSet {
        let keys: PublishedKeySet
        let fetchedAt: TimeInterval
        /// When a newer one is due.
        let freshUntil: TimeInterval
        /// When this one is no good any more.
        let usableUntil: TimeInterval

        /// A clock that went back says nothing about the age of a set.
        func isFresh(at now: TimeInterval) -> Bool { (fetchedAt..<freshUntil).contains(now) }
    }

    private let source: any KeySetSource
    private let algorithms: Set<SignatureAlgorithm>
    private let policy: KeyCachePolicy
    private let environment: VerifierEnvironment
    private var cached: CachedSet?
    private var runningFetch: Task<Bool, Never>?
    private var lastAttempt: (at: TimeInterval, succeeded: Bool)?
    /// When the last fetch that ended began, if it failed.
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
    /// - Throws: `.unknownKey` when the service does not have it, `.keysUnavailable` when nobody can tell.
    func key(id: String) async throws(VerificationError) -> any VerificationKey {
        let now = environment.seconds
        if let cached, now < cached.usableUntil, let key = cached.keys.key(id: id) {
            guard !cached.isFresh(at: now) else { return key }
            let runningFetch = fetchIfAllowed(now: now)
            // A busy backend waits for nobody. One that was idle does, for the set may lack a key by now that leaked
            // meanwhile; and not while the service is down, or it would stand still as well.
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

    /// Fetches the set unless there is one.
    func load() async throws(VerificationError) {
        let now = environment.seconds
        if let cached, cached.isFresh(at: now) { return }
        guard await fetchIfAllowed(now: now)?.value ?? (cached != nil) else {
            throw VerificationError(.keysUnavailable)
        }
    }

    /// The fetch under way, or a new one if the last is long enough ago.
    private func fetchIfAllowed(now: TimeInterval) -> Task<Bool, Never>? {
        if let runningFetch { return runningFetch }
        if let lastAttempt {
            let interval = lastAttempt.succeeded || cached != nil ? policy.minimumInterval : policy.minimumRetryInterval
            // A clock that went back is no reason to wait.
            guard now < lastAttempt.at || now >= lastAttempt.at + interval else { return nil }
        }
        lastAttempt = (now, false)
        // On its own: whoever asked first may be cancelled, and the others still need it.
        let task = Task { await self.fetch(at: now) }
        runningFetch = task
        return task
    }

    private func fetch(at now: TimeInterval) async -> Bool {
        let (response, keys): (FetchedKeySet, PublishedKeySet)
        do {
            response = try await fetchWithTimeout()
            keys = try PublishedKeySet(json: response.json, algorithms: algorithms)
        } catch {
            runningFetch = nil
            lastFailure = now
            policy.onFailure?(error)
            return false
        }
        runningFetch = nil
        lastFailure = nil
        // What is no number says nothing.
        let maxAge = response.maxAge.flatMap { $0.isNaN ? nil : $0 }
        let lifetime = min(maxAge ?? policy.lifetime, policy.maximumLifetime)
        let freshUntil = now + max(lifetime, policy.minimumInterval)
        cached = CachedSet(
            keys: keys, fetchedAt: now, freshUntil: freshUntil, usableUntil: freshUntil + policy.maximumStaleness)
        lastAttempt = (now, true)
        return true
    }

    /// Asks the source, but waits no longer than the policy says, even for one that heeds no cancellation.
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
