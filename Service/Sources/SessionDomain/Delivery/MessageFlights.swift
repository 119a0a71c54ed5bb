internal import Synchronization

/// The messages that this process is sending. None of them is sent twice at the same time, also when its lease has ended.
final class MessageFlights: Sendable {
    fileprivate struct ID: Hashable {
        let app: AppID
        let message: String
    }

    /// A transaction that claims a message. Its answer may come after the result of a flight that it did not see.
    struct Claim: Equatable {
        fileprivate let number: Int
    }

    private struct State {
        /// As they were claimed last.
        var flights: [ID: QueuedMessage] = [:]
        var claims: [Claim] = []
        /// The flights that have ended since the first of the claims began.
        var ended: [(id: ID, attempts: Int, number: Int)] = []
        var number = 0

        mutating func nextNumber() -> Int {
            number += 1
            return number
        }
    }

    private let state = Mutex(State())

    /// Notes that a claim begins.
    func beginClaim() -> Claim {
        state.withLock { state in
            let claim = Claim(number: state.nextNumber())
            state.claims.append(claim)
            return claim
        }
    }

    func end(_ claim: Claim) {
        state.withLock { state in
            state.claims.removeAll { $0 == claim }
            let first = state.claims.first?.number ?? .max
            state.ended.removeAll { $0.number < first }
        }
    }

    /// Notes a message that was claimed.
    ///
    /// - Parameter claim: The claim. `nil`: the commit that wrote the message claimed it, so it was in no flight before.
    /// - Returns: Whether the message may be sent. `false` if it is being sent; the new lease counts then. `false` also if a
    ///   flight has ended during the claim, and the claim saw the message as it was before.
    func begin(_ message: QueuedMessage, by claim: Claim? = nil) -> Bool {
        let id = ID(message)
        return state.withLock { state in
            let isOver = state.ended.contains {
                $0.id == id && $0.attempts == message.attempts && $0.number > claim?.number ?? .max
            }
            return !isOver && state.flights.updateValue(message, forKey: id) == nil
        }
    }

    /// Returns the message as it was claimed last.
    func latest(of message: QueuedMessage) -> QueuedMessage { state.withLock { $0.flights[ID(message)] } ?? message }

    func end(_ message: QueuedMessage) {
        let id = ID(message)
        state.withLock { state in
            guard let flight = state.flights.removeValue(forKey: id), !state.claims.isEmpty else { return }
            state.ended.append((id, flight.attempts, state.nextNumber()))
        }
    }
}

extension MessageFlights.ID {
    fileprivate init(_ message: QueuedMessage) { self.init(app: message.appID, message: message.id) }
}
