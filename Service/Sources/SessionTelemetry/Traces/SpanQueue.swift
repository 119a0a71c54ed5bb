internal import Synchronization

/// The spans that wait for export. A full queue drops new spans and counts them, so no call waits for the collector.
package final class SpanQueue: Sendable {
    private struct State {
        var spans: [FinishedSpan] = []
        var dropped = 0
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameter capacity: Spans that wait at most. A span takes about 1 KB.
    package init(capacity: Int = 4096) { self.capacity = capacity }

    package func add(_ span: FinishedSpan) {
        state.withLock { state in
            if state.spans.count < capacity { state.spans.append(span) } else { state.dropped += 1 }
        }
    }

    /// Removes the oldest spans, and returns them in their order.
    package func take(_ maximum: Int) -> [FinishedSpan] {
        state.withLock { state in
            let taken = Array(state.spans.prefix(maximum))
            state.spans.removeFirst(taken.count)
            return taken
        }
    }

    /// Returns the number of spans that were dropped since the last call.
    package func takeDropped() -> Int {
        state.withLock { state in
            defer { state.dropped = 0 }
            return state.dropped
        }
    }
}
