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
    private struct Kept {
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
    private var kept: Kept?
    private var running: Task<Bool, Never>?
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
        if let kept, now < kept.usableUntil, let key = kept.keys.key(id: id) {
            guard !kept.isFresh(at: now) else { return key }
            let running = fetchIfAllowed(now: now)
            // A busy backend waits for nobody. One that was idle does, for the set may lack a key by now that leaked
            // meanwhile; and not while the service is down, or it would stand still as well.
            let isDown = lastFailure.map { now - $0 < 2 * policy.minimumInterval } ?? false
            guard now >= kept.freshUntil + policy.minimumInterval, !isDown, let running else { return key }
            _ = await running.value
        }
        let isFetched: Bool
        if let running = fetchIfAllowed(now: now) {
            isFetched = await running.value
        } else {
            isFetched = lastAttempt?.succeeded ?? false
        }
        if let kept, environment.seconds < kept.usableUntil, let key = kept.keys.key(id: id) { return key }
        throw VerificationError(isFetched ? .unknownKey : .keysUnavailable)
    }

    /// Fetches the set unless there is one.
    func load() async throws(VerificationError) {
        let now = environment.seconds
        if let kept, kept.isFresh(at: now) { return }
        guard await fetchIfAllowed(now: now)?.value ?? (kept != nil) else { throw VerificationError(.keysUnavailable) }
    }

    /// The fetch under way, or a new one if the last is long enough ago.
    private func fetchIfAllowed(now: TimeInterval) -> Task<Bool, Never>? {
        if let running { return running }
        if let lastAttempt {
            let interval = lastAttempt.succeeded || kept != nil ? policy.minimumInterval : policy.minimumRetryInterval
            // A clock that went back is no reason to wait.
            guard now < lastAttempt.at || now >= lastAttempt.at + interval else { return nil }
        }
        lastAttempt = (now, false)
        // On its own: whoever asked first may be cancelled, and the others still need it.
        let task = Task { await self.fetch(at: now) }
        running = task
        return task
    }

    private func fetch(at now: TimeInterval) async -> Bool {
        let (answer, keys): (FetchedKeySet, PublishedKeySet)
        do {
            answer = try await ask()
            keys = try PublishedKeySet(json: answer.json, algorithms: algorithms)
        } catch {
            running = nil
            lastFailure = now
            policy.onFailure?(error)
            return false
        }
        running = nil
        lastFailure = nil
        // What is no number says nothing.
        let maxAge = answer.maxAge.flatMap { $0.isNaN ? nil : $0 }
        let lifetime = min(maxAge ?? policy.lifetime, policy.maximumLifetime)
        let freshUntil = now + max(lifetime, policy.minimumInterval)
        kept = Kept(
            keys: keys, fetchedAt: now, freshUntil: freshUntil, usableUntil: freshUntil + policy.maximumStaleness)
        lastAttempt = (now, true)
        return true
    }

    /// Asks the source, but waits no longer than the policy says, even for one that heeds no cancellation.
    private func ask() async throws -> FetchedKeySet {
        let (answers, first) = AsyncThrowingStream<FetchedKeySet, any Error>.makeStream()
        let asking = Task { [source] in
            do {
                first.yield(try await source.fetch())
                first.finish()
            } catch {
                first.finish(throwing: error)
            }
        }
        let timer = Task { [environment, policy] in
            try await environment.sleep(policy.timeout)
            first.finish(throwing: URLError(.timedOut))
        }
        defer {
            asking.cancel()
            timer.cancel()
        }
        for try await answer in answers { return answer }
        throw CancellationError()
    }
}
