/// Makes spans of the service's work.
///
/// The rules and the edges say what they do; an exporter implements this, so they know no format and no library of traces.
package protocol WorkTracer: Sendable {
    /// Does work in a span of its own. Work inside it is part of the same trace, also in child tasks.
    ///
    /// - Parameter body: Receives the span. `nil`: the work is part of no trace.
    func trace<Value, Failure: Error>(
        _ work: TracedWork, isolation: isolated (any Actor)?,
        _ body: ((any WorkSpan)?) async throws(Failure) -> Value
    ) async throws(Failure) -> Value
}

/// One piece of work in a trace.
package protocol WorkSpan: Sendable {
    /// The id of the trace, in 32 hexadecimal digits. `nil`: the trace is not recorded, and no caller has begun it.
    var traceID: String? { get }
    /// The value of `traceparent` in a request that this work sends (W3C Trace Context §3.2).
    var traceparent: String { get }

    func note(_ detail: WorkDetail)

    /// Removes the span: its work is not worth a trace, such as a health check.
    func discard()
}

extension ServiceObserver {
    /// Does work in a span of its own if traces are on. If they are off, this only calls the body.
    package func trace<Value, Failure: Error>(
        _ work: @autoclosure () -> TracedWork, isolation: isolated (any Actor)? = #isolation,
        _ body: ((any WorkSpan)?) async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard let tracer else { return try await body(nil) }
        return try await tracer.trace(work(), isolation: isolation, body)
    }
}
