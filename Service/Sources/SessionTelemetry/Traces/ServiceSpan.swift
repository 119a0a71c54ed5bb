internal import Synchronization
package import Tracing

/// A span of this process. It is put into the queue when it ends. A span that is not recorded only carries its context.
package final class ServiceSpan: Span {
    private struct State {
        var name: String
        var attributes = SpanAttributes()
        var hasFailed = false
        var isOver = false
    }

    package let context: ServiceContext
    package let isRecording: Bool
    private let identity: TraceParent
    private let parent: TraceContext?
    private let kind: SpanKind
    private let startedAt: UInt64
    private let queue: SpanQueue
    private let state: Mutex<State>

    init(
        _ name: String, kind: SpanKind, identity: TraceParent, parent: TraceContext?, context: ServiceContext,
        startedAt: UInt64, queue: SpanQueue
    ) {
        self.identity = identity
        self.parent = parent
        self.kind = kind
        self.context = context
        self.startedAt = startedAt
        self.queue = queue
        isRecording = identity.isSampled
        state = Mutex(State(name: name))
    }

    package var operationName: String {
        get { state.withLock { $0.name } }
        set { state.withLock { $0.name = newValue } }
    }

    package var attributes: SpanAttributes {
        get { state.withLock { $0.attributes } }
        set { if isRecording { state.withLock { $0.attributes = newValue } } }
    }

    package func setStatus(_ status: SpanStatus) { state.withLock { $0.hasFailed = status.code == .error } }

    /// Notes the type only: the text of an error may contain what a trace must not show.
    package func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        guard isRecording else { return }
        state.withLock { $0.attributes["error.type"] = "\(type(of: error))" }
    }

    /// Ignored: the spans of the service have no events.
    package func addEvent(_ event: SpanEvent) {}

    /// Ignored: the spans of the service have no links.
    package func addLink(_ link: SpanLink) {}

    /// Ends the span without an export.
    func discard() { state.withLock { $0.isOver = true } }

    package func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        guard isRecording else { return }
        // The system clock can go back.
        let endedAt = max(startedAt, instant().nanosecondsSinceEpoch)
        let last: State? = state.withLock { state in
            guard !state.isOver else { return nil }
            state.isOver = true
            return state
        }
        guard let last else { return }
        queue.add(
            FinishedSpan(
                identity: identity, parentID: parent?.parent.spanID,
                hasRemoteParent: parent.map { $0.origin != .local } ?? false, name: last.name, kind: kind,
                startedAt: startedAt, endedAt: endedAt, attributes: last.attributes, hasFailed: last.hasFailed))
    }
}
