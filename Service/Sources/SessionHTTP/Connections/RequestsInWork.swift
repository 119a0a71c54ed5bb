package import SessionDomain
import SessionWire
import Synchronization

/// The requests that the service works on, with a bound for all connections together.
///
/// A request without a slot is rejected before anything is done for it. Without this bound, each waiting request would
/// be a task with its buffers, and all would wait longer than their clients do. A slot belongs to the work, not to the
/// connection: a client that gives up does not make room for a repetition before the first call has ended, and a client
/// that does not read a response keeps no slot.
///
/// Requests that wait for an endpoint of an app have a bound of their own (`AppSlots`). The classes share the slots that
/// these leave, so that slow endpoints shut out no class.
package final class RequestsInWork: Sendable {
    private struct State {
        var total = 0
        var counts = Dictionary(uniqueKeysWithValues: RequestClass.allCases.map { ($0, 0) })
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

    /// Takes a slot for a request, if its class may have one. `finish` must be called once for it.
    func admit(_ requestClass: RequestClass) -> Bool {
        let waiting = waiting()
        let rest = limit - waiting
        // Each class has at least one slot. Otherwise a small limit would never let some of them in.
        let share = max(1, rest / 100 * requestClass.share + rest % 100 * requestClass.share / 100)
        return state.withLock { state in
            guard state.total - waiting < share else { return false }
            state.total += 1
            state.counts[requestClass, default: 0] += 1
            return true
        }
    }

    /// The response to an admitted request is computed, or the request has failed.
    func finish(_ requestClass: RequestClass) {
        state.withLock { state in
            state.total -= 1
            state.counts[requestClass, default: 1] -= 1
        }
    }

    package var count: Int { state.withLock(\.total) }

    /// The requests in work of each class, also of those that have none.
    package var counts: [RequestClass: Int] { state.withLock(\.counts) }
}

extension RequestClass {
    /// The percentage of the slots for requests that do not wait which may be taken when a request of this class begins.
    fileprivate var share: Int {
        switch self {
        case .session: 100
        case .login: 80
        case .change: 60
        case .read: 40
        }
    }
}

extension RequestClass {
    /// - Parameters:
    ///   - isRead: Whether the method is GET or HEAD.
    ///   - target: A target in origin form. A query has no effect.
    init(isRead: Bool, target: String) {
        let path = target.withoutQuery
        switch FrontendPath(rawValue: path) {
        case .refresh, .revoke, .revokeSessions, .jwks, .stepUpJWKS, .metadata: self = .session
        case .sessions, .identifiers: self = .read
        case .passwordReset: self = .change
        case .some: self = .login
        // A proxy asks for each request of its clients.
        case nil where path == VerifyRoute.path || Self.isForOperators(path): self = .session
        case nil: self = isRead ? .read : .change
        }
    }

    /// Whether an operator needs the path under overload: to see what happens, to sign in, and to end sessions and keys.
    private static func isForOperators(_ path: String) -> Bool {
        if path == "/metrics" || path == "/v2/session/log-level" { return true }
        if path == "/console/sign-in" { return true }
        // /v2/session/apps/{app}/users/{user}/sessions/{session or "invalidate"}, or /keys/{key}
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 7, parts[1] == "v2", parts[5] == "keys" { return true }
        return parts.count == 9 && parts[1] == "v2" && parts[5] == "users" && parts[7] == "sessions"
    }
}
