internal import Foundation
internal import SessionWire

/// A refresh under way, which whoever asks meanwhile shares.
struct RunningRefresh: Sendable {
    /// The fence it began at: whoever signed in since waits for one of their own.
    let fence: Int
    /// The completed challenge that goes along; `nil` in an ordinary refresh.
    let stepUp: StepUpChallenge?
    let task: Task<PreludeUser, any Error>
}

/// The server refused the challenge that went along with a refresh, which says nothing about the session. By the time
/// this is thrown the challenge is dropped. Never leaves the engine.
struct StepUpRefusal: Error {
    let error: PreludeSessionError
}

/// The server failed at a refresh with a challenge, which it may not do without one. The challenge stays as it is. Never
/// leaves the engine.
struct StepUpFailure: Error {
    let error: PreludeSessionError
}

extension SessionEngine {
    /// A user with a good access token: the one at hand, else by one refresh for all who ask.
    func refresh() async throws -> PreludeUser {
        var takesStepUps = true
        while true {
            _ = try await loaded()
            await restoreStepUps()
            let now = try await device.serverTime()
            // No suspension from here until the refresh is under way: everyone decides by the same facts.
            let waiting = takesStepUps ? stepUps.waiting(session: machine.session, at: now) : nil
            let need = machine.need(serverTime: now, margin: margin)
            switch need {
            case .read, .signIn: throw PreludeSessionError.unauthorized("nobody is signed in")
            case .nothing(let session) where waiting == nil: return try user(session)
            case .nothing, .refresh:
                do {
                    return try await sharedRefresh(carrying: waiting).task.value
                } catch is StepUpRefusal {
                    // It was not this caller's challenge. It is dropped, so what remains to be done is ordinary.
                    continue
                } catch {
                    // A grant that cannot be fetched now is no reason to withhold a token that is good,
                    if waiting != nil, case .nothing(let session) = need, machine.session == session {
                        return try user(session)
                    }
                    // nor to go without a new one.
                    guard error is StepUpFailure else { throw error }
                    takesStepUps = false
                }
            }
        }
    }

    /// The refresh under way since the last login or logout, else a new one that carries the challenge.
    func sharedRefresh(carrying stepUp: StepUpChallenge?) -> RunningRefresh {
        let fence = machine.fence
        if let refreshing, refreshing.fence == fence {
            log(.debug, "waits for the refresh that is under way")
            return refreshing
        }
        log(
            .debug, "refreshes", [.word("with_step_up", stepUp == nil ? "no" : "yes")])
        // A task of its own: a caller who gives up does not take the others' refresh along.
        let task = Task {
            // Before anybody hears of the end, so that nobody joins a refresh that is over.
            defer { if refreshing?.fence == fence { refreshing = nil } }
            do {
                return try await self.performRefresh(fence: fence, stepUp: stepUp)
            } catch {
                log(.warning, "a refresh failed", [.error(error)])
                throw error
            }
        }
        let running = RunningRefresh(fence: fence, stepUp: stepUp, task: task)
        refreshing = running
        return running
    }

    private func performRefresh(fence: Int, stepUp: StepUpChallenge?) async throws -> PreludeUser {
        let user = try await store.withLock(name + ".refresh") {
            for _ in 0..<Self.maximumRounds {
                do {
                    return try await self.refreshAlone(fence: fence, stepUp: stepUp)
                } catch is Superseded {
                    // What is stored now counts.
                    continue
                }
            }
            throw PreludeSessionError.refreshFailed("other clients of the store replace the session again and again")
        }
        tellRevocations()
        return user
    }

    /// What was spent is not what is stored any more. Never leaves the engine.
    private struct Superseded: Error {}

    /// How often a session may be replaced by others under the eyes of one refresh.
    private static let maximumRounds = 3

    /// Nobody else refreshes this session now, in this process or another.
    private func refreshAlone(fence: Int, stepUp: StepUpChallenge?) async throws -> PreludeUser {
        let stored = try await readStore()
        let now = try await device.serverTime()
        // After the last wait: whatever is stored belongs to a login that came since, and its token is not ours to spend;
        // or somebody signed out, and nothing may bring them back.
        guard machine.accepts(fence) else { throw Self.overtaken }
        guard let stored else {
            // Signed out by another client of the same store.
            signedOut(.anotherClient, byUser: false)
            throw PreludeSessionError.unauthorized("the session was ended by another client")
        }
        if stored != machine.session {
            // Refreshed by another client of the same store: its token is as good as a new one, but for the grant.
            log(.debug, "takes over what another client of the store has refreshed")
            // Another session may be bound to another key, and a token spent with the wrong one looks stolen.
            if !stored.isSameSession(as: machine.session) { _ = try await device.reloadKey() }
            guard machine.accepts(fence) else { throw Self.overtaken }
            machine.refreshed(stored)
            tell(SessionEvent.refreshed, of: stored)
            if stepUp == nil, case .nothing(let session) = machine.need(serverTime: now, margin: margin) {
                return try user(session)
            }
        }
        if let stepUp, stepUp.ticket?.sessionID != stored.sessionID {
            await close(stepUp)
            throw StepUpRefusal(error: .invalidChallengeToken("the challenge belongs to another session"))
        }
        let answer = try await spend(stored, stepUp: stepUp, fence: fence)
        let next = try TokenAnswer.session(answer, previous: stored)
        guard try await replace(stored, by: next, fence: fence) else {
            guard machine.accepts(fence) else { throw Self.overtaken }
            throw Superseded()
        }
        machine.refreshed(next)
        tell(SessionEvent.refreshed, of: next)
        log(.info, "refreshed", next.logAttributes)
        if let stepUp {
            stepUps.redeemed(stepUp)
            await saveStepUps()
        }
        return try user(next)
    }

    private static let overtaken = PreludeSessionError.unauthorized("the session was ended or replaced meanwhile")

    /// Whether the service may have answered all the same. Whoever says when to ask again is not asked before.
    private static func mayBeLost(_ error: any Error) -> Bool {
        switch error {
        case PreludeSessionError.network: true
        case let refusal as ServerRefusal: refusal.isGatewayFailure && refusal.retryAfter == nil
        default: false
        }
    }

    /// Sends the refresh token, once more when the answer may have been lost: the server repeats it for the same key.
    ///
    /// - Parameter reloadsKey: Whether a key that does not fit is looked up again, and this done once more: another client
    ///   of the store may have lost the one that is known here, made a new one, and signed in with it.
    private func spend(
        _ stored: StoredSession, stepUp: StepUpChallenge?, fence: Int, reloadsKey: Bool = true
    ) async throws -> TransportAnswer {
        var request = APIRequest(.refresh)
        if let token = stepUp?.ticket?.token {
            request = try .post(.refresh, body: RefreshRequest(stepUpToken: token.value))
        }
        request.proof = .session
        request.headers[HeaderName.refreshToken] = stored.refreshToken
        do {
            do {
                return try await api.send(request)
            } catch let error where Self.mayBeLost(error) {
                log(.debug, "asks again for an answer that may be lost")
                return try await api.send(request)
            }
        } catch let refusal as ServerRefusal {
            if let stepUp, refusal.isAboutStepUp {
                await close(stepUp)
                throw StepUpRefusal(error: refusal.error)
            }
            if stepUp != nil, refusal.status >= 500 { throw StepUpFailure(error: refusal.error) }
            guard refusal.endsSession else { throw refusal.error }
            if refusal.code == .dpopKeyMismatch, reloadsKey, try await device.reloadKey() {
                return try await spend(stored, stepUp: stepUp, fence: fence, reloadsKey: false)
            }
            // A definite no. Only now is the session over, and only if it is still the one that was asked about.
            let isKeyLost = refusal.code == .dpopKeyMismatch
            guard try await end(stored, fence: fence, reason: isKeyLost ? .deviceKeyLost : .ended) else {
                throw Superseded()
            }
            if isKeyLost {
                throw PreludeSessionError.deviceKeyLost("the device key is not the session's; sign in again")
            }
            throw refusal.error
        } catch PreludeSessionError.deviceKeyLost(let text) {
            if reloadsKey, try await device.reloadKey() {
                return try await spend(stored, stepUp: stepUp, fence: fence, reloadsKey: false)
            }
            guard try await end(stored, fence: fence, reason: .deviceKeyLost) else { throw Superseded() }
            throw PreludeSessionError.deviceKeyLost(text)
        }
    }
}

extension ServerRefusal {
    /// Codes about a challenge; whatever their status, they say nothing about the session.
    private static let challengeCodes: Set<ErrorCode> = [
        .missingChallengeToken, .invalidChallengeToken, .expiredChallengeToken, .tokenMismatch, .tokenReused,
        .stepNotCompleted, .stepNotFound, .stepBypassed,
    ]

    /// Codes by which a refresh fails for its own sake, whatever goes along with it.
    private static let refreshCodes: Set<ErrorCode> = [
        .unauthorized, .missingDPoPProof, .dpopKeyMismatch, .invalidDPoPProof, .useDPoPNonce, .rateLimited,
        "too_many_requests",
    ]

    /// Whether the challenge is at an end, too, or a refresh would be refused for it again and again.
    var isChallengeOver: Bool { Self.challengeCodes.contains(code) }

    /// Whether a refresh that carried a challenge was refused because of it: any definite refusal in the protocol's own
    /// words that does not say clearly that it means the session.
    var isAboutStepUp: Bool {
        guard !Self.refreshCodes.contains(code) else { return false }
        return isChallengeOver || ((400..<500).contains(status) && !code.rawValue.hasPrefix("http_"))
    }

    /// Whether a refused refresh means that there is no session any more. Only the service's own word does: a 401 of
    /// something between here and there signs nobody out.
    var endsSession: Bool { status == 401 && (code == .unauthorized || code == .dpopKeyMismatch) }
}
