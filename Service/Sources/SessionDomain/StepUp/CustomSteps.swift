internal import SessionRSA
internal import SessionTokens

/// Reads the tokens with which an operator's backend confirms a custom step. They are signed with RS256 by a key of its
/// `jwks_url`.
struct CustomSteps: Sendable {
    let operatorKeys: OperatorKeys

    private struct Claims: Decodable {
        let sub: String
        let exp: Int64
        let nbf: Int64
        let iat: Int64
        let jti: String
        let challengeID: String
        let key: String
        let status: String

        private enum CodingKeys: String, CodingKey {
            case sub, exp, nbf, iat, jti, key, status
            case challengeID = "challenge_id"
        }
    }

    /// Seconds by which the operator's clock may differ.
    private static let leeway: Int64 = 60
    /// Maximum seconds until such a token expires. It bounds how long tokens are remembered.
    private static let maximumLifetime: Int64 = 86_400

    /// - Throws: `Refusal.invalidStepToken` with the reason; `.stepNotCompleted` for another status.
    func read(_ token: String, config: StepUpConfig, now: Timestamp) async throws -> CustomStepReport {
        guard let url = config.jwksURL else { throw Refusal.invalidStepToken("cannot be checked without a jwks_url") }
        let verified = try await operatorKeys.verify(token, keysAt: url, now: now)
        guard let claims = try? verified.claims(as: Claims.self) else {
            throw Refusal.invalidStepToken("lacks sub, exp, nbf, iat, jti, challenge_id, key or status")
        }
        // A claim can be any integer, so the sums use our own numbers and cannot overflow.
        guard claims.exp > now.seconds - Self.leeway else { throw Refusal.invalidStepToken("has expired") }
        guard claims.nbf <= now.seconds + Self.leeway, claims.iat <= now.seconds + Self.leeway else {
            throw Refusal.invalidStepToken("is not valid yet")
        }
        guard claims.exp <= now.seconds + Self.maximumLifetime else {
            throw Refusal.invalidStepToken("must expire within a day")
        }
        guard (1...256).contains(claims.jti.utf8.count) else { throw Refusal.invalidStepToken("has no usable jti") }
        guard claims.status == ChallengeClaims.completed else { throw Refusal.stepNotCompleted }
        return CustomStepReport(
            userID: claims.sub, challengeID: claims.challengeID, stepKey: claims.key, tokenID: claims.jti,
            expiresAt: Timestamp(seconds: claims.exp + Self.leeway))
    }
}

/// Completes a step of the operator's own, proven by a valid token of the operator's backend.
package struct CompleteCustomStep: Intent {
    package let appID: AppID
    package let reference: ChallengeReference
    /// The content of the operator's token.
    package let report: CustomStepReport
    package let nextTokenID: String
    package let now: Timestamp

    package init(
        appID: AppID, reference: ChallengeReference, report: CustomStepReport, nextTokenID: String, now: Timestamp
    ) {
        self.appID = appID
        self.reference = reference
        self.report = report
        self.nextTokenID = nextTokenID
        self.now = now
    }

    package struct Facts: Sendable {
        let challenge: StepUpChallenge?
        let session: Session?
        let user: User?
        let failures: GuardFailures
    }

    package var reads: Read<Facts> {
        Read(
            app: appID, .challenge(reference.id), .sessionOfChallenge, .userOfSession(), .failures, as: Facts.init)
    }

    package func decide(_ facts: Facts) -> Decision<StepOutcome> {
        if let refusal = refusal(challenge: facts.challenge, session: facts.session, user: facts.user) {
            return Decision(.refused(refusal))
        }
        guard let challenge = facts.challenge else { return Decision(.refused(.invalidChallenge)) }
        if facts.failures.isTaken(.redemption(report.redemptionKey)) { return Decision(.refused(.challengeReused)) }
        let next = challenge.advanced(tokenID: nextTokenID, at: now)
        return Decision(
            .advanced(next),
            [
                .redeem(report.redemptionKey, until: report.expiresAt, app: appID),
                .replaceChallenge(challenge, with: next),
            ])
    }

    /// The reason why the step may not be completed now; `nil` if there is none.
    package func refusal(challenge: StepUpChallenge?, session: Session?, user: User?) -> Refusal? {
        if let refusal = reference.refusal(challenge: challenge, session: session, user: user, now: now) {
            return refusal
        }
        guard let challenge, let user, report.challengeID == challenge.id, report.userID == user.id else {
            return .challengeMismatch
        }
        guard let index = challenge.steps.firstIndex(where: { $0.key == report.stepKey }),
            challenge.steps[index].isCustom
        else { return .stepNotFound }
        if index < challenge.stepsDone { return .challengeReused }
        return index == challenge.stepsDone ? nil : .stepBypassed
    }
}

/// The content of a token with which the operator's backend confirms a custom step.
package struct CustomStepReport: Sendable, Equatable {
    package let userID: String
    package let challengeID: String
    package let stepKey: String
    /// `jti`, valid once.
    package let tokenID: String
    package let expiresAt: Timestamp

    package init(userID: String, challengeID: String, stepKey: String, tokenID: String, expiresAt: Timestamp) {
        self.userID = userID
        self.challengeID = challengeID
        self.stepKey = stepKey
        self.tokenID = tokenID
        self.expiresAt = expiresAt
    }
    /// Names the token among everything that is redeemed once. The prefix keeps it apart from our own challenge tokens.
    var redemptionKey: String { "step/" + tokenID }
}

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
