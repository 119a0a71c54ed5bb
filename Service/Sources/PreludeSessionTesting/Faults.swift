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
