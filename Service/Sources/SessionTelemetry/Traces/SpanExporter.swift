package import Foundation
package import SessionDomain
internal import Synchronization

/// Sends the spans that wait to a collector, in batches, once a second.
///
/// A batch that fails is sent again in the next rounds, and is lost after `attempts`. Calls never wait for the collector.
package actor SpanExporter {
    /// What the collector has answered.
    package enum Answer: Sendable, Equatable {
        case taken
        /// The collector took the others of the batch. A later attempt cannot succeed.
        case partlyTaken(rejected: Int, reason: String)
        /// A later attempt may succeed.
        case failed(_ reason: String)
        /// A later attempt cannot succeed.
        case rejected(_ reason: String)

        /// The answer of HTTP (OTLP specification, "OTLP/HTTP Response").
        package init(status: Int, body: Data) {
            switch status {
            case 200..<300: self = PartialSuccess(body)?.answer ?? .taken
            case 429, 502, 503, 504: self = .failed("the collector answered \(status)")
            default: self = .rejected("the collector answered \(status)")
            }
        }
    }

    /// Spans in a request at most.
    static let batchSize = 512
    /// Rounds in which a batch is sent.
    static let attempts = 10
    /// Milliseconds between two notices about lost spans.
    static let noticeInterval: Int64 = 60_000
    /// Milliseconds for the last spans, at the end of the process.
    static let endTime: Int64 = 5000

    private let queue: SpanQueue
    private let body: OTLPBody
    private let environment: ServiceEnvironment
    private let send: @Sendable (Data) async -> Answer
    /// A batch that the collector has not taken, and how often it was sent.
    private var pending: (spans: [FinishedSpan], attempts: Int)?
    private var lost = (count: 0, reason: "")
    /// Why the collector did not take the last batch. `nil`: it has answered.
    private var failure: String?
    private var noticedAt: Int64?

    /// - Parameter send: Sends a body of JSON to the collector, within seconds.
    package init(
        queue: SpanQueue, body: OTLPBody, environment: ServiceEnvironment,
        send: @escaping @Sendable (Data) async -> Answer
    ) {
        self.queue = queue
        self.body = body
        self.environment = environment
        self.send = send
    }

    /// Exports until cancelled.
    package func run() async {
        while (try? await environment.sleep(1)) != nil { await round() }
    }

    /// Sends what waits. It ends with the first batch that is not taken.
    package func round() async {
        while await sendBatch() {}
        dropUnqueued()
        notice()
    }

    /// Sends the last spans, for at most `endTime` and a request. What is not taken is lost.
    package func finish() async {
        let end = environment.uptime() + Self.endTime
        while environment.uptime() < end, await sendBatch() {}
        let rest = (pending?.spans.count ?? 0) + queue.take(.max).count
        pending = nil
        drop(rest, failure ?? (lost.reason.isEmpty ? "the process ended" : lost.reason))
        dropUnqueued()
        noticedAt = nil
        notice()
    }

    /// - Returns: Whether there may be another batch to send now.
    private func sendBatch() async -> Bool {
        let (spans, attempts) = pending ?? (queue.take(Self.batchSize), 0)
        guard !spans.isEmpty else { return false }
        pending = (spans, attempts + 1)
        let answer = await send(Data(body.text(of: spans).utf8))
        failure = nil
        switch answer {
        case .taken:
            pending = nil
            environment.observer.observe(.spansExported(spans.count))
            return true
        case .partlyTaken(let rejected, let reason):
            pending = nil
            let rejected = min(rejected, spans.count)
            environment.observer.observe(.spansExported(spans.count - rejected))
            drop(rejected, reason)
            return true
        case .rejected(let reason):
            pending = nil
            drop(spans.count, reason)
            return true
        case .failed(let reason):
            failure = reason
            if attempts + 1 >= Self.attempts {
                pending = nil
                drop(spans.count, reason)
            }
            return false
        }
    }

    /// Counts the spans for which the queue had no room.
    private func dropUnqueued() {
        drop(queue.takeDropped(), failure ?? "more spans than the collector takes")
    }

    private func drop(_ count: Int, _ reason: String) {
        guard count > 0 else { return }
        environment.observer.observe(.spansDropped(count))
        lost = (lost.count + count, reason)
    }

    private func notice() {
        let now = environment.uptime()
        guard lost.count > 0, noticedAt.map({ now - $0 >= Self.noticeInterval }) ?? true else { return }
        environment.observer.observe(.notice(.spansDropped(count: lost.count, reason: lost.reason)))
        lost = (0, "")
        noticedAt = now
    }
}

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
