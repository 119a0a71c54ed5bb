package import Tracing

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
