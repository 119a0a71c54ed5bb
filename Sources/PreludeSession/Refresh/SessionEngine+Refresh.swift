internal import Foundation
internal import SessionWire

extension SessionEngine {
    /// A user with a valid access token: the current one, or one of a refresh that all callers share.
    ///
    /// It waits outside of the actor, so that thousands of callers that share a refresh need not all return to the actor.
    ///
    /// - Parameter lifetime: Seconds for which the token must be valid, beside the margin of the client.
    nonisolated func refresh(validFor lifetime: TimeInterval = 0) async throws -> PreludeUser {
        var mayCarryChallenge = true
        var mayRepeat = lifetime > margin
        while true {
            let (running, valid): (RunningRefresh, StoredSession?)
            switch try await userOrRefresh(validFor: lifetime, mayCarryChallenge: mayCarryChallenge) {
            case .valid(let user): return user
            case .refreshing(let refresh, let session): (running, valid) = (refresh, session)
            }
            let result = await running.task.result
            switch result {
            case .success(.renewed) where mayRepeat:
                // The token may be one that another client of the store fetched some time ago.
                mayRepeat = false
                continue
            case .success(.renewed(let user)): return user
            // The challenge is dropped, so the next round needs an ordinary refresh at most.
            case .success(.challengeRejected): continue
            default: break
            }
            // The step-up failed, but the current token is still valid: return it.
            if let valid, let user = try await currentUser(of: valid) { return user }
            guard case .success(.challengeFailed) = result else { return try result.get().user() }
            mayCarryChallenge = false
        }
    }

    private enum UserOrRefresh {
        case valid(PreludeUser)
        /// `valid`: the session whose token is still valid, when the refresh is for a step-up only.
        case refreshing(RunningRefresh, valid: StoredSession?)
    }

    private func userOrRefresh(
        validFor lifetime: TimeInterval, mayCarryChallenge: Bool
    ) async throws -> UserOrRefresh {
        if let refreshing, isNeededByAll(refreshing) {
            log(.debug, "waits for the refresh in progress")
            return .refreshing(refreshing, valid: nil)
        }
        _ = try await loaded()
        await restoreStepUps()
        let now = try await device.serverTime()
        // No suspension from here until the refresh has started, so all callers decide by the same state.
        let challenge = mayCarryChallenge ? stepUps.waiting(session: machine.session, at: now) : nil
        switch machine.need(serverTime: now, margin: margin, validFor: lifetime) {
        case .read, .signIn: throw PreludeSessionError.unauthorized("no user is signed in")
        case .nothing(let session):
            if challenge == nil { return .valid(try user(session)) }
            return .refreshing(sharedRefresh(carrying: challenge, expiredToken: nil), valid: session)
        case .refresh(let session):
            var isExpired = true
            if case .nothing = machine.need(serverTime: now, margin: margin) { isExpired = false }
            let expiredToken = isExpired ? session.accessToken : nil
            return .refreshing(sharedRefresh(carrying: challenge, expiredToken: expiredToken), valid: nil)
        }
    }

    /// Whether every caller waits for this refresh. Then a caller joins it without reading store and clock again.
    private func isNeededByAll(_ running: RunningRefresh) -> Bool {
        guard let expired = running.expiredToken, machine.accepts(running.fence) else { return false }
        return machine.session?.accessToken == expired
    }

    /// The user of a session if it is still the current one.
    private func currentUser(of session: StoredSession) throws -> PreludeUser? {
        machine.session?.hasSameTokens(as: session) == true ? try user(session) : nil
    }

    /// The refresh in progress; at most one since the last login or logout.
    var refreshing: RunningRefresh? { tasks.refresh }

    /// The refresh in progress since the last login or logout, or a new one that carries the challenge.
    ///
    /// - Parameter expiredToken: The access token if it has expired or was rejected; `nil` if it is still valid.
    func sharedRefresh(carrying challenge: StepUpChallenge?, expiredToken: String? = nil) -> RunningRefresh {
        let fence = machine.fence
        if let refreshing, refreshing.fence == fence {
            log(.debug, "waits for the refresh in progress")
            return refreshing
        }
        log(.debug, "refreshes", [.word("with_step_up", challenge == nil ? "no" : "yes")])
        // A task of its own: a cancelled caller must not cancel the refresh of the others.
        let task = Task {
            // Before the task returns, so that no caller joins a finished refresh.
            defer { tasks.refreshEnded(since: fence) }
            do {
                let outcome = try await self.performRefresh(fence: fence, challenge: challenge)
                if let error = outcome.error { log(.warning, "a refresh failed", [.error(error)]) }
                return outcome
            } catch {
                log(.warning, "a refresh failed", [.error(error)])
                throw error
            }
        }
        let running = RunningRefresh(fence: fence, challenge: challenge, expiredToken: expiredToken, task: task)
        tasks.started(running)
        return running
    }

    /// How often other clients may replace the session during one refresh.
    private static let maximumRounds = 3

    private func performRefresh(fence: Int, challenge: StepUpChallenge?) async throws -> RefreshOutcome {
        let outcome = try await records.withLock(.refresh) {
            var outcome = RefreshOutcome.superseded
            for _ in 0..<Self.maximumRounds {
                outcome = try await self.refreshOnce(fence: fence, challenge: challenge)
                guard case .superseded = outcome else { break }
            }
            return outcome
        }
        if case .renewed = outcome { revocations.send() }
        return outcome
    }

    /// One round under the refresh lock: no other client in any process refreshes this session now.
    private func refreshOnce(fence: Int, challenge: StepUpChallenge?) async throws -> RefreshOutcome {
        let read = try await records.sessionOrEnd()
        let now = try await device.serverTime()
        let stored: StoredSession
        switch try await takeOver(read, since: fence) {
        case .overtaken: return .ended(Self.overtaken)
        case .deleted: return .ended(.unauthorized("another client ended the session"))
        case .same(let session): stored = session
        case .replaced(let session, _):
            stored = session
            log(.debug, "uses the tokens that another client of the store has refreshed")
            if challenge == nil, case .nothing(let session) = machine.need(serverTime: now, margin: margin) {
                return .renewed(try user(session))
            }
        }
        if let challenge, challenge.ticket?.sessionID != stored.sessionID {
            await close(challenge)
            return .challengeRejected(.invalidChallengeToken("the challenge belongs to another session"))
        }
        switch try await exchange(stored, challenge: challenge) {
        case .superseded:
            // The token is not used any more, and neither is an attempt that was stored for it.
            await records.deleteAttempts(of: stored)
            return .superseded
        case .answered(let response): return try await accept(response, for: stored, challenge: challenge, fence: fence)
        case .challengeRejected(let error):
            if let challenge { await close(challenge) }
            return .challengeRejected(error)
        case .challengeFailed(let error): return .challengeFailed(error)
        case .sessionEnded(let reason, let error):
            return try await end(stored, fence: fence, reason: reason) ? .ended(error) : .superseded
        case .failed(let error): throw error
        }
    }

    private static let overtaken = PreludeSessionError.unauthorized(
        "a login or a logout replaced the session meanwhile")

    /// Sends the refresh token, as `RefreshExchange` decides.
    private func exchange(
        _ stored: StoredSession, challenge: StepUpChallenge?
    ) async throws -> RefreshExchange.Conclusion {
        var request = APIRequest(.refresh)
        if let token = challenge?.ticket?.token {
            request = try .post(.refresh, body: RefreshRequest(stepUpToken: token.value))
        }
        request.headers[HeaderName.refreshToken] = stored.refreshToken
        var exchange = RefreshExchange(carriesChallenge: challenge != nil)
        var step = exchange.start
        while true {
            switch step {
            case .prepareAttempt(let isReplacing):
                request.proof = .refresh(
                    attempt: try await records.attempt(
                        for: stored.refreshToken, newID: environment.newAttemptID(), replacing: isReplacing))
                step = exchange.prepared()
            case .readSession:
                step = exchange.readSession(isSame: stored.hasSameRefreshToken(as: try await records.session()))
            case .send: step = exchange.received(await api.result(of: request))
            case .repeatRequest:
                log(.debug, "repeats a refresh")
                step = exchange.received(await api.result(of: request))
            case .reloadKey: step = exchange.reloadedKey(isNew: try await device.reloadKey())
            case .finish(let conclusion): return conclusion
            }
        }
    }

    /// Stores the new tokens, then publishes them.
    private func accept(
        _ response: APIResponse, for stored: StoredSession, challenge: StepUpChallenge?, fence: Int
    ) async throws -> RefreshOutcome {
        var renewed = try IssuedTokens(response, previous: stored).checkedSession()
        // A proxy may have removed the new refresh token. Then the next refresh must repeat this attempt.
        let isRotated = !renewed.hasSameRefreshToken(as: stored)
        renewed.spentAttempts = isRotated ? await records.attemptsToForget(of: stored) : stored.spentAttempts
        guard let renewed = try await replace(stored, by: renewed, fence: fence) else {
            return machine.accepts(fence) ? .superseded : .ended(Self.overtaken)
        }
        publishRefresh(renewed)
        changes?.post()
        if isRotated { await records.deleteAttempts(of: stored) }
        log(.info, "refreshed", renewed.logAttributes)
        if let challenge {
            stepUps.redeemed(challenge)
            await saveStepUps()
        }
        return .renewed(try user(renewed))
    }
}

/// How a refresh ended. A refresh that failed and changed nothing, for example without a network, throws instead.
enum RefreshOutcome: Sendable {
    /// There is a valid access token.
    case renewed(PreludeUser)
    /// Another client replaced the stored session during this refresh. Read the store again.
    case superseded
    /// The server rejected the step-up challenge in the request. The challenge is dropped; the session is unchanged.
    case challengeRejected(PreludeSessionError)
    /// The server failed (5xx) at a refresh with a challenge. The challenge is kept. A refresh without it may succeed.
    case challengeFailed(PreludeSessionError)
    /// The session of this refresh has ended, or was replaced by a login.
    case ended(PreludeSessionError)

    /// The user of a renewed session.
    ///
    /// - Throws: The error of every other outcome.
    func user() throws(PreludeSessionError) -> PreludeUser {
        switch self {
        case .renewed(let user): return user
        case .superseded:
            throw .refreshFailed(
                "other clients of the credential store replaced the session again and again; try again")
        case .challengeRejected(let error), .challengeFailed(let error), .ended(let error): throw error
        }
    }

    /// The error of every outcome but `renewed`.
    var error: PreludeSessionError? {
        do {
            _ = try user()
            return nil
        } catch {
            return error
        }
    }
}

/// A refresh in progress. All callers that need a token meanwhile share it.
struct RunningRefresh: Sendable {
    /// The fence at its start. A caller with a newer fence needs a refresh of its own.
    let fence: Int
    /// The completed challenge in the request; `nil` in an ordinary refresh.
    let challenge: StepUpChallenge?
    /// The expired access token that it replaces; `nil` if the token was still valid at its start. While this is the
    /// session's token, each caller needs this refresh.
    let expiredToken: String?
    let task: Task<RefreshOutcome, any Error>
}

/// The logout and the refresh in progress, which callers share. The engine starts them, and says when they end.
final class SharedTasks {
    private(set) var logout: Task<LogoutOutcome, Never>?
    /// At most one since the last login or logout.
    private(set) var refresh: RunningRefresh?

    func started(_ logout: Task<LogoutOutcome, Never>) { self.logout = logout }

    func logoutEnded() { logout = nil }

    func started(_ refresh: RunningRefresh) { self.refresh = refresh }

    /// - Parameter fence: The fence at which the refresh began. A later one stays.
    func refreshEnded(since fence: Int) {
        if refresh?.fence == fence { refresh = nil }
    }
}
