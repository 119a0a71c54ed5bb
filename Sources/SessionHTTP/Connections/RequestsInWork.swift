package import SessionDomain
import Synchronization

/// The requests that the service works on, with a bound for all connections together.
///
/// A request without a place is rejected before anything is done for it. Without this bound, each waiting request would
/// be a task with its buffers, and all would wait longer than their clients do. A place belongs to the work, not to the
/// connection: a client that gives up does not make room for a repetition before the first call has ended.
@available(service, *)
package final class RequestsInWork: Sendable {
    private struct State {
        var total = 0
        var ofChannels: [ObjectIdentifier: Int] = [:]
        var rejected: [RequestClass: Int] = [:]
    }

    /// The most requests in work.
    package let limit: Int
    private let state = Mutex(State())

    package init(limit: Int) { self.limit = limit }

    /// Takes a place for a request, if its class may have one.
    ///
    /// - Parameter channel: The connection of the request.
    func admit(_ requestClass: RequestClass, on channel: ObjectIdentifier) -> Bool {
        // At least one place for each class, or a small limit would shut some out for good.
        let share = max(1, limit / 100 * requestClass.share + limit % 100 * requestClass.share / 100)
        return state.withLock { state in
            guard state.total < share else {
                state.rejected[requestClass, default: 0] += 1
                return false
            }
            state.total += 1
            state.ofChannels[channel, default: 0] += 1
            return true
        }
    }

    /// The oldest request of a connection has its response, or has failed.
    func finish(on channel: ObjectIdentifier) {
        state.withLock { state in
            guard let count = state.ofChannels[channel] else { return }
            state.total -= 1
            state.ofChannels[channel] = count > 1 ? count - 1 : nil
        }
    }

    /// The connection has ended, and nothing works for it any more.
    func finishAll(on channel: ObjectIdentifier) {
        state.withLock { state in
            if let count = state.ofChannels.removeValue(forKey: channel) { state.total -= count }
        }
    }

    package var count: Int { state.withLock(\.total) }

    /// How many requests of each class were rejected since the start.
    package var rejected: [RequestClass: Int] { state.withLock(\.rejected) }
}

extension RequestClass {
    /// The percentage of the places for requests that may be taken when a request of this class begins.
    fileprivate var share: Int {
        switch self {
        case .session: 100
        case .login: 80
        case .change: 60
        case .read: 40
        }
    }
}
