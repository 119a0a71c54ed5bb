/// The header `traceparent` of W3C Trace Context, level 1 (§3.2).
package struct TraceParent: Sendable, Equatable {
    package let traceID: TraceID
    package let spanID: SpanID
    /// Whether the sender may have recorded the trace.
    package let isSampled: Bool

    package init(traceID: TraceID, spanID: SpanID, isSampled: Bool) {
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
    }

    /// Reads the values of the header in a request. They come from callers.
    ///
    /// - Returns: `nil` for no header, more than one, and an invalid one: version `ff`, other lengths, upper-case digits,
    ///   or an id of zeros. A later version may have more after the flags, separated by a hyphen (§3.2.4).
    package init?(_ values: [String]) {
        guard values.count == 1, let value = values.first, value.utf8.count <= Self.maximumLength else { return nil }
        let bytes = Array(value.utf8)
        guard bytes.count >= Self.length, [2, 35, 52].allSatisfy({ bytes[$0] == Self.hyphen }),
            let version = Hex.number(bytes[0..<2]), version != 0xFF,
            bytes.count == Self.length || (version > 0 && bytes[Self.length] == Self.hyphen),
            let high = Hex.number(bytes[3..<19]), let low = Hex.number(bytes[19..<35]), (high | low) != 0,
            let span = Hex.number(bytes[36..<52]), span != 0, let flags = Hex.number(bytes[53..<55])
        else { return nil }
        self.init(
            traceID: TraceID(high: high, low: low), spanID: SpanID(value: span),
            isSampled: flags & Self.sampledFlag != 0)
    }

    /// The value in a request of this service, in version `00`.
    package var text: String { "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")" }

    private static let length = 55
    /// A later version has no limit of its own. This one keeps the reader short.
    private static let maximumLength = 512
    private static let hyphen = UInt8(ascii: "-")
    private static let sampledFlag: UInt64 = 1
}
