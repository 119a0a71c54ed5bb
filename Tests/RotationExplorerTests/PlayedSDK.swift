import Foundation
import HTTPTypes
import SessionWire

@testable import PreludeSession

/// The SDK with its real decisions. States of an exchange are numbers, and each step is decided once.
final class PlayedSDK {
    /// What a process learns about its request.
    enum Event: Hashable {
        /// The connection is lost. The service may have processed the request.
        case lost
        case answered(Answer)
    }

    enum Action {
        case repeatRequest
        /// Store the tokens of the answer.
        case store
        /// The refresh fails, and nothing changes.
        case fail
        /// The token was spent by an earlier request of this device.
        case readAgain
        case signOut
    }

    private struct Input: Hashable {
        let exchange: UInt8
        let event: Event
    }

    /// The events that lead to each state.
    private var histories: [[Event]] = [[]]
    private var decisions: [Input: (exchange: UInt8, action: Action)] = [:]

    /// The exchange before its first answer.
    var start: UInt8 { 0 }

    func decide(_ event: Event, in exchange: UInt8) -> (exchange: UInt8, action: Action) {
        let input = Input(exchange: exchange, event: event)
        if let known = decisions[input] { return known }
        var replayed = RefreshExchange(carriesChallenge: false)
        for event in histories[Int(exchange)] { _ = step(of: &replayed, after: event) }
        let action = action(of: step(of: &replayed, after: event))
        let next = UInt8(histories.count)
        histories.append(histories[Int(exchange)] + [event])
        decisions[input] = (next, action)
        return (next, action)
    }

    /// The next step that is visible outside. A process that repeats a request has found its token in the store again.
    private func step(of exchange: inout RefreshExchange, after event: Event) -> RefreshExchange.Step {
        let step = exchange.received(result(of: event))
        guard case .readSession = step, event != .answered(.spent) else { return step }
        return exchange.readSession(isSame: true)
    }

    private func action(of step: RefreshExchange.Step) -> Action {
        switch step {
        case .repeatRequest: .repeatRequest
        case .finish(.answered): .store
        case .finish(.sessionEnded): .signOut
        case .readSession: .readAgain
        default: .fail
        }
    }

    private func result(of event: Event) -> Result<TransportAnswer, any Error> {
        switch event {
        case .lost: .failure(PreludeSessionError.network(underlying: URLError(.networkConnectionLost)))
        case .answered(.tokens): .success(TransportAnswer(status: 200, fields: [:], body: Data()))
        case .answered(.nonceDemanded): .failure(refusal(400, .useDPoPNonce))
        case .answered(.replayed): .failure(refusal(400, .invalidDPoPProof))
        case .answered(.spent): .failure(refusal(409, .tokenReused))
        case .answered(.unauthorized): .failure(refusal(401, .unauthorized))
        }
    }

    private func refusal(_ status: Int, _ code: ErrorCode) -> ErrorResponse {
        let body = Data(#"{"code":"\#(code.rawValue)","type":"","message":"","request_id":"req_1"}"#.utf8)
        return ErrorResponse(
            TransportAnswer(status: status, fields: [:], body: body), now: Date(timeIntervalSince1970: 1_800_000_000))
    }
}
