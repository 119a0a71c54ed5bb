import SessionDomain
import Synchronization
import Tracing

@testable import SessionTelemetry

/// A tracer with a clock and ids that count, and the spans that it has made.
struct TraceWorld {
    let queue: SpanQueue
    let spans: WorkSpans

    /// - Parameter draw: The first byte of each random number. It decides whether a ratio records a trace.
    init(ratio: Double = 1, draw: UInt8 = 0, capacity: Int = 100) {
        let (ids, clock) = (Counter(), Counter())
        queue = SpanQueue(capacity: capacity)
        let sampling = TraceSampling(ratio: ratio) { [draw] + Array(repeating: 0, count: $0 - 1) }
        let tracer = ServiceTracer(sampling: sampling, queue: queue) { count in
            Array(repeating: 0, count: count - 1) + [ids.next()]
        }
        spans = WorkSpans(tracer: tracer) {
            DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: 1000 + UInt64(clock.next()))
        }
    }

    /// Does empty work.
    func trace(_ work: TracedWork) async { await spans.trace(work, isolation: nil) { _ in } }

    static let callersTrace = "4bf92f3577b34da6a3ce929d0e0e4736"

    static func request(sampled: Bool, isTrusted: Bool) -> TracedWork {
        .request(
            traceparents: ["00-\(callersTrace)-00f067aa0ba902b7-\(sampled ? "01" : "00")"], isTrusted: isTrusted)
    }

    private final class Counter: Sendable {
        private let last = Mutex<UInt8>(0)

        func next() -> UInt8 {
            last.withLock { last in
                last += 1
                return last
            }
        }
    }
}
