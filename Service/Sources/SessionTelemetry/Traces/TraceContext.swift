package import Tracing

/// The place of the current task in its trace.
package struct TraceContext: Sendable, Equatable {
    /// Where the span of the context is.
    package enum Origin: Sendable, Equatable {
        /// In this process. Spans inside it share its decision whether the trace is recorded.
        case local
        /// In another process, whose decision is followed.
        case trusted
        /// In a caller whose decision is not followed: otherwise any caller could fill the collector.
        case untrusted
    }

    package var parent: TraceParent
    package var origin: Origin
    /// Whether a caller has begun the trace.
    package var isContinued: Bool

    package init(parent: TraceParent, origin: Origin, isContinued: Bool) {
        self.parent = parent
        self.origin = origin
        self.isContinued = isContinued
    }
}

private enum TraceContextKey: ServiceContextKey {
    typealias Value = TraceContext

    static var nameOverride: String? { "traceparent" }
}

extension ServiceContext {
    /// `nil`: the task is part of no trace.
    package var trace: TraceContext? {
        get { self[TraceContextKey.self] }
        set { self[TraceContextKey.self] = newValue }
    }
}
