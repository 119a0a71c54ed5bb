import Synchronization

/// What goes wrong on the way between clients and the service. Nothing does until a test says so.
public final class Faults: Sendable {
    private enum Plan {
        case fault(Fault)
        case hold(HeldAnswer)
    }

    private struct Entry {
        let call: ServiceCall?
        let plan: Plan
        var times: Int
    }

    private struct State {
        var isOffline = false
        var entries: [Entry] = []
    }

    private let state = Mutex(State())

    /// A network of its own, to be given to the client of one device.
    public init() {}

    /// Whether nothing gets through, in either direction.
    public var isOffline: Bool {
        get { state.withLock { $0.isOffline } }
        set { state.withLock { $0.isOffline = newValue } }
    }

    /// Lets something go wrong with the next request, or the next few.
    ///
    /// - Parameters:
    ///   - fault: What goes wrong.
    ///   - call: Which calls it is about; `nil` for all, those to the app's backend included.
    ///   - times: With how many of them; `.max` until `clear()`.
    public func inject(_ fault: Fault, on call: ServiceCall? = nil, times: Int = 1) {
        state.withLock { $0.entries.append(Entry(call: call, plan: .fault(fault), times: times)) }
    }

    /// Holds the next answer back until it is released. The service has done its work by then.
    ///
    /// - Parameter call: Which call it is about; `nil` for whichever comes next.
    public func hold(_ call: ServiceCall? = nil) -> HeldAnswer {
        let held = HeldAnswer()
        state.withLock { $0.entries.append(Entry(call: call, plan: .hold(held), times: 1)) }
        return held
    }

    /// Puts everything right again: online, and no more faults. Answers that are held already stay so.
    public func clear() { state.withLock { $0 = State() } }

    /// What happens to a request that is sent now.
    enum Outcome {
        case goesThrough
        case offline
        case fault(Fault)
        case held(HeldAnswer)
    }

    func outcome(for call: ServiceCall?) -> Outcome {
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
            }
        }
    }
}
