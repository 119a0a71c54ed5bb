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
