internal import SessionRSA
internal import SessionTokens

/// The public keys of operators' backends, cached in memory for ten minutes.
///
/// An unknown `kid` fetches them again, at most every 30 seconds, because the token may be forged. Callers that wait
/// for the same key set share one fetch.
actor OperatorKeys {
    private struct Entry {
        let keys: PublishedKeySet
        let fetchedAt: Timestamp
    }

    private let egress: any Egress
    private var entries: [String: Entry] = [:]
    private var fetching: [String: Task<PublishedKeySet, any Error>] = [:]
    private var lastFetch: [String: Timestamp] = [:]

    /// Seconds for which keys are used without a fetch.
    static let lifetime = 600
    /// Minimum seconds between two fetches of one key set.
    static let minimumInterval = 30
    /// Maximum number of cached key sets.
    static let capacity = 256

    init(egress: any Egress) {
        self.egress = egress
    }

    /// - Throws: `Refusal.invalidStepToken`; `.unavailable` if the keys cannot be fetched.
    func verify(_ token: String, keysAt url: String, now: Timestamp) async throws -> VerifiedToken {
        let keys = try await keys(at: url, now: now, fresh: false)
        do {
            return try VerifiedToken(verifying: token, keys: keys)
        } catch JWSError.unknownKey where mayFetch(url, now: now) {
            return try Self.verify(token, with: try await self.keys(at: url, now: now, fresh: true))
        } catch {
            throw Self.refusal(error)
        }
    }

    private static func verify(_ token: String, with keys: PublishedKeySet) throws(Refusal) -> VerifiedToken {
        do {
            return try VerifiedToken(verifying: token, keys: keys)
        } catch {
            throw refusal(error)
        }
    }

    private static func refusal(_ error: JWSError) -> Refusal {
        switch error {
        case .unknownKey: .invalidStepToken("is signed by a key that jwks_url does not have")
        case .unsupportedAlgorithm: .invalidStepToken("must be signed with RS256")
        case .invalidSignature: .invalidStepToken("has a wrong signature")
        default: .invalidStepToken("is not a JWT")
        }
    }

    private func mayFetch(_ url: String, now: Timestamp) -> Bool {
        lastFetch[url].map { $0 + Self.minimumInterval <= now } ?? true
    }

    private func keys(at url: String, now: Timestamp, fresh: Bool) async throws -> PublishedKeySet {
        if let running = fetching[url] { return try await running.value }
        if !fresh, let entry = entries[url], now < entry.fetchedAt + Self.lifetime { return entry.keys }
        guard mayFetch(url, now: now) else { throw Self.cannotFetch }
        makeRoom()
        lastFetch[url] = now
        let egress = egress
        let task = Task { try await Self.fetch(url, egress: egress) }
        fetching[url] = task
        defer { fetching[url] = nil }
        let keys = try await task.value
        entries[url] = Entry(keys: keys, fetchedAt: now)
        return keys
    }

    private static let cannotFetch = Refusal.unavailable("the keys at jwks_url cannot be fetched")

    private static func fetch(_ url: String, egress: any Egress) async throws -> PublishedKeySet {
        var request = EgressRequest(.get, url, headers: [("Accept", "application/json")])
        request.continuesTrace = false
        guard let answer = try? await egress.send(request),
            answer.status == 200, let keys = try? PublishedKeySet(json: answer.body, algorithms: [.rs256])
        else { throw cannotFetch }
        return keys
    }

    private func makeRoom() {
        guard lastFetch.count >= Self.capacity, let oldest = lastFetch.min(by: { $0.value < $1.value }) else { return }
        entries[oldest.key] = nil
        lastFetch[oldest.key] = nil
    }
}
