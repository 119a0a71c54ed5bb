import NIOCore
import SessionDomain
import Synchronization

/// The open connections of a listener.
final class OpenConnections: Sendable {
    private struct State {
        var places: ConnectionPlaces
        var lastID: UInt64 = 0
        /// Closes a connection. They are called outside the lock.
        var closing: [UInt64: @Sendable () -> Void] = [:]
        /// Connections without a place that still get an answer.
        var displaced = 0
    }

    private let state: Mutex<State>
    private let maximumDisplaced: Int
    private let log: LimitLog

    init(limits: ConnectionLimits, log: LimitLog) {
        state = Mutex(State(places: ConnectionPlaces(limit: limits.connections, reserve: limits.healthReserve)))
        maximumDisplaced = limits.healthReserve
        self.log = log
    }

    /// Admits a new connection, and closes another one if there is no room.
    ///
    /// - Parameter close: Closes the connection. Can be called on any thread.
    /// - Returns: `nil` if the connection must be closed at once.
    func open(
        on eventLoop: any EventLoop, close: @escaping @Sendable () -> Void
    ) -> (id: UInt64, kind: ConnectionPlaces.Kind)? {
        let (id, admission, closeOther) = state.withLock { state in
            state.lastID += 1
            let id = state.lastID
            let admission = state.places.open(id)
            var closeOther: (@Sendable () -> Void)?
            if case .admitted(_, let other) = admission {
                state.closing[id] = close
                closeOther = other.flatMap { state.closing.removeValue(forKey: $0) }
            }
            return (id, admission, closeOther)
        }
        if let closeOther {
            log.note(.closedWaiting, on: eventLoop)
            closeOther()
        }
        guard case .admitted(let kind, _) = admission else {
            log.note(.refused, on: eventLoop)
            return nil
        }
        return (id, kind)
    }

    func becomesBusy(_ id: UInt64) { state.withLock { $0.places.becomesBusy(id) } }

    func waits(_ id: UInt64) { state.withLock { $0.places.waits(id) } }

    func closed(_ id: UInt64) {
        state.withLock { state in
            state.places.close(id)
            state.closing[id] = nil
        }
    }

    /// Returns whether one more connection without a place may stay for an answer. Each has a descriptor.
    func displace() -> Bool {
        state.withLock { state in
            guard state.displaced < maximumDisplaced else { return false }
            state.displaced += 1
            return true
        }
    }

    /// A connection without a place is closed.
    func displacedLeft() { state.withLock { $0.displaced -= 1 } }

    var count: Int { state.withLock(\.places.kinds.count) }
}
