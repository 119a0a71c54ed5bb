package import SessionDomain
package import Tracing

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
