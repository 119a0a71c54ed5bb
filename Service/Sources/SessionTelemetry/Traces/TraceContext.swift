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

/// The id of a trace: 16 bytes, not all zero. Its description has 32 lower-case hexadecimal digits.
package struct TraceID: Sendable, Hashable, CustomStringConvertible {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// - Parameter random: 16 random bytes.
    package init(random bytes: [UInt8]) {
        self.init(high: Hex.joined(bytes.prefix(8)), low: max(1, Hex.joined(bytes.dropFirst(8))))
    }

    package var description: String { Hex.text(high) + Hex.text(low) }
}

/// The id of a span: 8 bytes, not all zero. Its description has 16 lower-case hexadecimal digits.
package struct SpanID: Sendable, Hashable, CustomStringConvertible {
    package let value: UInt64

    package init(value: UInt64) { self.value = value }

    /// - Parameter random: 8 random bytes.
    package init(random bytes: [UInt8]) { value = max(1, Hex.joined(bytes[...])) }

    package var description: String { Hex.text(value) }
}

/// Lower-case hexadecimal digits.
enum Hex {
    /// Returns the number that up to 16 lower-case digits mean. `nil` for any other byte.
    static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }

    /// 16 digits.
    static func text(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The number of up to 8 bytes, the highest first.
    static func joined(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}

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

/// Decides which traces are recorded.
///
/// The decision is made once, where the trace enters this process. A caller chooses the id of its trace, so the ratio uses
/// a random number and not the id.
package struct TraceSampling: Sendable {
    /// The part of traces that are recorded, from 0 to 1.
    package let ratio: Double
    private let random: @Sendable (Int) -> [UInt8]

    /// - Parameter random: Returns a number of random bytes.
    package init(ratio: Double, random: @escaping @Sendable (Int) -> [UInt8]) {
        self.ratio = ratio
        self.random = random
    }

    package func records(_ context: TraceContext?) -> Bool {
        switch context?.origin {
        case .local, .trusted: context?.parent.isSampled == true
        case .untrusted, nil: isChosen
        }
    }

    private var isChosen: Bool {
        if ratio >= 1 { return true }
        if ratio <= 0 { return false }
        // 53 bits are exact in a `Double`.
        return Double(Hex.joined(random(8)[...]) >> 11) / 0x1p53 < ratio
    }
}
