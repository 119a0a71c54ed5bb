import Foundation
import HTTPTypes
import SessionWire

@testable import PreludeSession

/// The SDK with its real decisions. States of an exchange are numbers, and each step is decided once.
final class PlayedSDK {
    /// What a process learns.
    enum Event: Hashable {
        /// The attempt id is stored.
        case prepared
        /// The session record was read again.
        case read(isSame: Bool)
        /// The connection is lost. The service may have processed the request.
        case lost
        case answered(Answer)
    }

    enum Action: Equatable {
        case prepareAttempt(replacing: Bool)
        case readSession
        case send
        case repeatRequest
        /// Store the tokens of this generation.
        case store(UInt8)
        /// The refresh ends, and nothing changes.
        case fail
        case signOut
    }

    /// The state after a step, and what the SDK does.
    typealias Decision = (exchange: UInt16, action: Action)

    private struct Input: Hashable {
        let exchange: UInt16
        let event: Event
    }

    /// The state before the first event.
    let start: Decision
    /// The events that lead to each state.
    private var histories: [[Event]] = [[]]
    private var decisions: [Input: Decision] = [:]
    private let attempts: PlayedAttempts

    init() async throws {
        attempts = try await PlayedAttempts()
        start = (0, Self.action(of: Self.newExchange.start, after: .prepared))
    }

    private static var newExchange: RefreshExchange { RefreshExchange(carriesChallenge: false) }

    func decide(_ event: Event, in exchange: UInt16) -> Decision {
        let input = Input(exchange: exchange, event: event)
        if let known = decisions[input] { return known }
        var replayed = Self.newExchange
        for event in histories[Int(exchange)] { _ = step(of: &replayed, after: event) }
        let action = Self.action(of: step(of: &replayed, after: event), after: event)
        let next = UInt16(histories.count)
        histories.append(histories[Int(exchange)] + [event])
        decisions[input] = (next, action)
        return (next, action)
    }

    /// The attempt id that a request has, and the one in the store.
    func prepare(_ existing: Attempt, new: Attempt, replacing: Bool) -> (used: Attempt, stored: Attempt) {
        attempts.prepare(existing, new: new, replacing: replacing)
    }

    /// Whether the store still has the refresh token that a process has read.
    func isStored(_ record: StoredRecord, in store: StoredRecord?) -> Bool {
        session(record).hasSameRefreshToken(as: store.map(session))
    }

    private func session(_ record: StoredRecord) -> StoredSession {
        StoredSession(
            refreshToken: String(record.generation), accessToken: "",
            accessTokenExpiresAt: Date(timeIntervalSince1970: 0))
    }

    private func step(of exchange: inout RefreshExchange, after event: Event) -> RefreshExchange.Step {
        switch event {
        case .prepared: exchange.prepared()
        case .read(let isSame): exchange.readSession(isSame: isSame)
        case .lost: exchange.received(.failure(PreludeSessionError.network(underlying: Self.connectionLost)))
        case .answered(let answer): exchange.received(result(of: answer))
        }
    }

    private static let connectionLost = URLError(.networkConnectionLost)

    private static func action(of step: RefreshExchange.Step, after event: Event) -> Action {
        switch step {
        case .prepareAttempt(let isReplacing): .prepareAttempt(replacing: isReplacing)
        case .readSession: .readSession
        case .send: .send
        case .repeatRequest: .repeatRequest
        case .finish(.sessionEnded): .signOut
        case .finish(.answered):
            if case .answered(.tokens(let generation)) = event { .store(generation) } else { .fail }
        default: .fail
        }
    }

    private func result(of answer: Answer) -> Result<APIResponse, any Error> {
        switch answer {
        case .tokens: .success(APIResponse(status: 200, fields: [:], body: Data()))
        case .nonceDemanded: .failure(refusal(400, .useDPoPNonce))
        case .replayed: .failure(refusal(400, .invalidDPoPProof))
        case .spent: .failure(refusal(409, .tokenReused))
        case .unauthorized: .failure(refusal(401, .unauthorized))
        }
    }

    private func refusal(_ status: Int, _ code: ErrorCode) -> ErrorResponse {
        let body = Data(#"{"code":"\#(code.rawValue)","type":"","message":"","request_id":"req_1"}"#.utf8)
        return ErrorResponse(
            APIResponse(status: status, fields: [:], body: body), now: Date(timeIntervalSince1970: 1_800_000_000))
    }
}
