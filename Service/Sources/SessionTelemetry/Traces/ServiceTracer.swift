package import SessionDomain
internal import Synchronization
package import Tracing

/// Makes the spans of this process, for swift-distributed-tracing.
///
/// It is passed to those who need it, and is not the tracer of `InstrumentationSystem`: libraries that look for one there
/// would write attributes that no test checks for secrets.
package struct ServiceTracer: Tracer {
    package typealias Span = ServiceSpan

    private let sampling: TraceSampling
    private let queue: SpanQueue
    private let random: @Sendable (Int) -> [UInt8]

    /// - Parameter random: Returns a number of random bytes, for ids.
    package init(sampling: TraceSampling, queue: SpanQueue, random: @escaping @Sendable (Int) -> [UInt8]) {
        self.sampling = sampling
        self.queue = queue
        self.random = random
    }

    package func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> ServiceSpan {
        var context = context()
        let parent = context.trace
        let identity = TraceParent(
            traceID: parent?.parent.traceID ?? TraceID(random: random(16)), spanID: SpanID(random: random(8)),
            isSampled: sampling.records(parent))
        context.trace = TraceContext(parent: identity, origin: .local, isContinued: parent?.isContinued ?? false)
        return ServiceSpan(
            operationName, kind: kind, identity: identity, parent: parent, context: context,
            startedAt: instant().nanosecondsSinceEpoch, queue: queue)
    }

    /// Reads `traceparent`. The sender is not trusted.
    package func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        guard let value = extractor.extract(key: Self.header, from: carrier), let parent = TraceParent([value]) else {
            return
        }
        context.trace = TraceContext(parent: parent, origin: .untrusted, isContinued: true)
    }

    /// Writes `traceparent`.
    package func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let parent = context.trace?.parent else { return }
        injector.inject(parent.text, forKey: Self.header, into: &carrier)
    }

    /// Does nothing: `SpanExporter` sends what waits.
    package func forceFlush() {}

    private static let header = "traceparent"
}

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

/// A span while its work goes on, for the domain.
struct RunningSpan: WorkSpan {
    let span: ServiceSpan

    var traceID: String? {
        guard let trace = span.context.trace, span.isRecording || trace.isContinued else { return nil }
        return trace.parent.traceID.description
    }

    var traceparent: String { span.context.trace?.parent.text ?? "" }

    func discard() { span.discard() }

    func note(_ detail: WorkDetail) {
        guard span.isRecording else { return }
        switch detail {
        case .requestID(let id): span.attributes["prelude_session.request_id"] = id
        case .app(let app): span.attributes["prelude_session.app"] = app.rawValue
        case .host(let host): span.attributes["server.address"] = host
        case .status(let status):
            span.attributes["http.response.status_code"] = status
            // Of a request that this service has sent, so a status of 400 is an error, too.
            if status >= 400 { fail("\(status)") }
        case .batch(let writes, let waited):
            span.attributes["prelude_session.commit.writes"] = writes
            span.attributes["prelude_session.commit.wait"] = waited
        case .waited(let seconds): span.attributes["prelude_session.password_hash.wait"] = seconds
        case .failed(let name): fail(name)
        case .answered(let method, let route, let status, let code):
            span.operationName = "\(method) \(route)"
            span.updateAttributes { attributes in
                attributes["http.request.method"] = method
                attributes["http.route"] = route
                attributes["http.response.status_code"] = status
                if let code { attributes["error.type"] = code }
            }
            if status >= 500 { span.setStatus(SpanStatus(code: .error)) }
        }
    }

    private func fail(_ name: String) { span.fail(name) }
}

extension ServiceSpan {
    /// - Parameter name: A name that the source code contains.
    fileprivate func fail(_ name: String) {
        attributes["error.type"] = name
        setStatus(SpanStatus(code: .error))
    }

    /// Notes an error by a name. A refusal is an answer to the caller, and no failure of the service.
    func fail(with error: any Error) {
        guard isRecording else { return }
        switch error {
        case let refusal as Refusal: attributes["error.type"] = RefusalReason(refusal).name
        case is CancellationError: attributes["error.type"] = "cancelled"
        case let error as EgressError: fail(EgressCall.Result(error).rawValue)
        default: fail("\(type(of: error))")
        }
    }
}

/// A span that has ended, for export.
package struct FinishedSpan: Sendable {
    package let identity: TraceParent
    package let parentID: SpanID?
    /// Whether the parent is a span of another process.
    package let hasRemoteParent: Bool
    package let name: String
    package let kind: SpanKind
    /// Nanoseconds since 1970.
    package let startedAt: UInt64
    /// Nanoseconds since 1970, not before the start.
    package let endedAt: UInt64
    package let attributes: SpanAttributes
    package let hasFailed: Bool
}

/// Makes spans of the service's work, with the attributes of OpenTelemetry's semantic conventions.
package struct WorkSpans: WorkTracer {
    private let tracer: ServiceTracer
    private let now: @Sendable () -> DefaultTracerClock.Timestamp

    /// - Parameter now: The time of the system clock.
    package init(
        tracer: ServiceTracer, now: @escaping @Sendable () -> DefaultTracerClock.Timestamp = { DefaultTracerClock.now }
    ) {
        self.tracer = tracer
        self.now = now
    }

    package func trace<Value, Failure: Error>(
        _ work: TracedWork, isolation: isolated (any Actor)?,
        _ body: ((any WorkSpan)?) async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        var context = ServiceContext.current ?? .topLevel
        if case .request(let traceparents, let isTrusted) = work {
            context.trace = TraceParent(traceparents).map {
                TraceContext(parent: $0, origin: isTrusted ? .trusted : .untrusted, isContinued: true)
            }
        }
        guard work.beginsTrace || context.trace?.parent.isSampled == true else { return try await body(nil) }
        let span = tracer.startSpan(work.spanName, context: context, ofKind: work.spanKind, at: now())
        span.attributes = work.attributes
        let result: Result<Value, Failure> = await ServiceContext.$current.withValue(
            span.context,
            operation: {
                do throws(Failure) {
                    return .success(try await body(RunningSpan(span: span)))
                } catch {
                    span.fail(with: error)
                    return .failure(error)
                }
            }, isolation: isolation)
        span.end(at: now())
        return try result.get()
    }
}

extension TracedWork {
    /// The name until its details say more.
    fileprivate var spanName: String {
        switch self {
        case .request: "request"
        case .delivery(let outbox): "deliver \(outbox.rawValue)"
        case .egress(let method): method
        case .messageAttempt(let channel, _): "send \(channel.rawValue)"
        case .intent(let type): "\(type)"
        case .commit: "commit"
        case .passwordHash: "password hash"
        }
    }

    fileprivate var spanKind: SpanKind {
        switch self {
        case .request: .server
        case .egress, .messageAttempt: .client
        case .delivery: .consumer
        case .intent, .commit, .passwordHash: .internal
        }
    }

    fileprivate var attributes: SpanAttributes {
        switch self {
        case .egress(let method): ["http.request.method": .string(method)]
        case .messageAttempt(_, let route): ["prelude_session.message.route": .string(route)]
        case .request, .delivery, .intent, .commit, .passwordHash: [:]
        }
    }
}
