package import SessionDomain
import Synchronization

/// The requests that the service works on, with a bound for all connections together.
///
/// A request without a place is rejected before anything is done for it. Without this bound, each waiting request would
/// be a task with its buffers, and all would wait longer than their clients do. A place belongs to the work, not to the
/// connection: a client that gives up does not make room for a repetition before the first call has ended, and a client
/// that does not read a response keeps no place.
///
/// Requests that wait for an endpoint of an app have a bound of their own (`AppPlaces`). The classes share the places that
/// these leave, so that slow endpoints shut out no class.
package final class RequestsInWork: Sendable {
    private struct State {
        var total = 0
        var counts = Dictionary(uniqueKeysWithValues: RequestClass.allCases.map { ($0, 0) })
        /// Usually each channel has one, because a connection sends the next request after the response.
        var ofChannels: [ObjectIdentifier: [RequestClass]] = [:]

        mutating func remove(_ requestClass: RequestClass) {
            total -= 1
            counts[requestClass, default: 1] -= 1
        }
    }

    /// The most requests in work.
    package let limit: Int
    /// The requests in work that wait for an endpoint.
    private let waiting: @Sendable () -> Int
    private let state = Mutex(State())

    package init(limit: Int, waiting: @escaping @Sendable () -> Int = { 0 }) {
        self.limit = limit
        self.waiting = waiting
    }

    /// Takes a place for a request, if its class may have one.
    ///
    /// - Parameter channel: The connection of the request.
    func admit(_ requestClass: RequestClass, on channel: ObjectIdentifier) -> Bool {
        let waiting = waiting()
        let rest = limit - waiting
        // At least one place for each class, or a small limit would shut some out for good.
        let share = max(1, rest / 100 * requestClass.share + rest % 100 * requestClass.share / 100)
        return state.withLock { state in
            guard state.total - waiting < share else { return false }
            state.total += 1
            state.counts[requestClass, default: 0] += 1
            state.ofChannels[channel, default: []].append(requestClass)
            return true
        }
    }

    /// The response to the oldest request of a connection is computed, or the request has failed.
    func finish(on channel: ObjectIdentifier) {
        state.withLock { state in
            guard var classes = state.ofChannels.removeValue(forKey: channel) else { return }
            state.remove(classes.removeFirst())
            if !classes.isEmpty { state.ofChannels[channel] = classes }
        }
    }

    package var count: Int { state.withLock(\.total) }

    /// The requests in work of each class, also of those that have none.
    package var counts: [RequestClass: Int] { state.withLock(\.counts) }
}

extension RequestClass {
    /// The percentage of the places for requests that do not wait which may be taken when a request of this class begins.
    fileprivate var share: Int {
        switch self {
        case .session: 100
        case .login: 80
        case .change: 60
        case .read: 40
        }
    }
}
