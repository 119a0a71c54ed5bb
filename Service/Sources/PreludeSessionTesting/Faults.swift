import Synchronization

extension TestService {
    /// The failures between clients and the service. Nothing fails until a test says so.
    public final class Faults: Sendable {
        private enum Plan {
            case fault(Fault)
            case hold(HeldAnswer)
            case interrupt(@Sendable () async throws -> Void)
        }

        private struct Entry {
            let call: Call?
            let plan: Plan
            var times: Int
        }

        private struct State {
            var isOffline = false
            var entries: [Entry] = []
        }

        private let state = Mutex(State())

        /// Creates a separate network, for the client of one device.
        public init() {}

        /// Whether every request fails before it is sent.
        public var isOffline: Bool {
            get { state.withLock { $0.isOffline } }
            set { state.withLock { $0.isOffline = newValue } }
        }

        /// Makes the next requests fail.
        ///
        /// - Parameters:
        ///   - fault: How they fail.
        ///   - call: Which calls fail. `nil` is every call, including those to the app's backend.
        ///   - times: How many requests fail. With `.max` they fail until `clear()`.
        public func inject(_ fault: Fault, on call: Call? = nil, times: Int = 1) {
            add(.fault(fault), on: call, times: times)
        }

        /// Holds the next response back until the test releases it. The service has processed the request by then.
        ///
        /// - Parameter call: Which call is held. `nil` is the next call of any kind.
        public func hold(_ call: Call? = nil) -> HeldAnswer {
            let held = HeldAnswer()
            add(.hold(held), on: call)
            return held
        }

        /// Runs work after the service has processed the next request, and before the client receives the response.
        ///
        /// - Parameters:
        ///   - call: Which call is interrupted.
        ///   - work: Runs in the task of the call. The call fails with any error that it throws.
        package func interrupt(_ call: Call, with work: @escaping @Sendable () async throws -> Void) {
            add(.interrupt(work), on: call)
        }

        private func add(_ plan: Plan, on call: Call?, times: Int = 1) {
            state.withLock { $0.entries.append(Entry(call: call, plan: plan, times: times)) }
        }

        /// Goes online and removes all faults. Responses that are already held stay held.
        public func clear() { state.withLock { $0 = State() } }

        /// What happens to a request that is sent now.
        enum Outcome {
            case goesThrough
            case offline
            case fault(Fault)
            case held(HeldAnswer)
            case interrupted(@Sendable () async throws -> Void)
        }

        func outcome(for call: Call?) -> Outcome {
            state.withLock { state in
                guard !state.isOffline else { return .offline }
                guard let index = state.entries.firstIndex(where: { $0.call == nil || $0.call == call }) else {
                    return .goesThrough
                }
                let plan = state.entries[index].plan
                state.entries[index].times -= 1
                if state.entries[index].times <= 0 { state.entries.remove(at: index) }
                switch plan {
                case .fault(let fault): return .fault(fault)
                case .hold(let held): return .held(held)
                case .interrupt(let work): return .interrupted(work)
                }
            }
        }
    }
}

extension TestService {
    /// A failure of one request.
    public enum Fault: Sendable, Hashable {
        /// The request does not reach the service. The client throws `.network`.
        case dropRequest
        /// The service processes the request, and the response is lost. The client throws `.network`.
        case dropAnswer
        /// The service processes the request, and the response takes too long. The client throws `.timeout`.
        case timeOut
        /// The request does not reach the service, and the client receives this status, such as 401, 429 or 503.
        ///
        /// - Parameter code: The error code in the response. `nil` is the usual code for the status.
        case answer(_ status: Int, code: String? = nil)
    }
}

extension TestService {
    /// The underlying error when a test interrupts the connection.
    public struct Disconnected: Error, Sendable, Hashable, CustomStringConvertible {
        public var description: String { "the test interrupted the connection" }
    }
}

extension TestService {
    /// A response that the test holds back, so that it can act while a call is in progress.
    public final class HeldAnswer: Sendable {
        private let arrival = Gate()
        private let departure = Gate()

        init() {}

        /// Waits until the service has sent the response.
        public func arrived() async { await arrival.pass() }

        /// Passes the response to the client, now or as soon as it arrives.
        public func release() { departure.open() }

        /// Suspends the caller until the release, or until the caller's task is cancelled.
        func wait() async {
            arrival.open()
            await departure.pass()
        }
    }
}

/// Suspends callers until it is opened. It never closes again.
private final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var next = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return state.waiting.values.map { $0 }
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when the gate is open, or when the caller's task is cancelled.
    func pass() async {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let passes = state.withLock { state in
                    // The cancellation handler may have run already, and found no continuation to resume.
                    guard !state.isOpen, !Task.isCancelled else { return true }
                    state.waiting[id] = continuation
                    return false
                }
                if passes { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
        }
    }
}
