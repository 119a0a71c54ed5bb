internal import Dispatch

/// Receives what happens in the service, and makes logs, metrics and traces of it.
///
/// The rules and the edges call it; exporters implement it, so the rules know none of them. A call is synchronous, on the
/// task or thread whose work it reports. An observer returns within microseconds and waits for nothing.
package protocol ServiceObserver: Sendable {
    func observe(_ occurrence: Occurrence)

    /// Nanoseconds since an arbitrary point, for the durations in occurrences. Setting the system clock has no effect.
    func instant() -> UInt64

    /// Makes spans of the work. `nil`: traces are off.
    var tracer: (any WorkTracer)? { get }
}

extension ServiceObserver {
    package func instant() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

    package var tracer: (any WorkTracer)? { nil }

    /// Seconds since an instant of this observer.
    package func seconds(since start: UInt64) -> Double {
        let now = instant()
        return now > start ? Double(now - start) / 1_000_000_000 : 0
    }
}

/// Ignores everything, and measures nothing.
package struct NoObserver: ServiceObserver {
    package init() {}

    package func observe(_ occurrence: Occurrence) {}

    package func instant() -> UInt64 { 0 }
}

/// Several observers. Each receives every occurrence, in the order of the list.
package struct Observers: ServiceObserver {
    private let observers: [any ServiceObserver]
    package let tracer: (any WorkTracer)?

    package init(_ observers: [any ServiceObserver], tracer: (any WorkTracer)? = nil) {
        self.observers = observers
        self.tracer = tracer
    }

    package func observe(_ occurrence: Occurrence) {
        for observer in observers { observer.observe(occurrence) }
    }
}
