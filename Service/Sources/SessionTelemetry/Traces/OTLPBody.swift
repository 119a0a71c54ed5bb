internal import Foundation
internal import Tracing

/// The body of an export to a collector: OTLP 1.x in the JSON encoding of protobuf.
///
/// Ids are hexadecimal, 64-bit numbers are strings, and enums are numbers (OTLP specification, "JSON Protobuf Encoding").
package struct OTLPBody: Sendable {
    /// The name of what makes the spans, and of the service if it has no other one.
    package static let scope = "prelude-session"

    private let head: String

    /// - Parameters:
    ///   - service: `service.name` of the resource.
    ///   - instance: `service.instance.id` of the resource: an id of this process.
    ///   - attributes: Further attributes of the resource.
    package init(
        service: String = Self.scope, version: String, instance: String, attributes: [(String, String)] = []
    ) {
        let own: [(String, SpanAttribute)] = [
            ("service.name", .string(service)), ("service.version", .string(version)),
            ("service.instance.id", .string(instance)),
        ]
        let others = attributes.filter { name, _ in !own.contains { $0.0 == name } }
        let resource = Self.text(own + others.map { ($0.0, .string($0.1)) })
        head =
            #"{"resourceSpans":[{"resource":{"attributes":\#(resource)},"scopeSpans":[{"scope":{"name":"#
            + #"\#(LogText.json(Self.scope)),"version":\#(LogText.json(version))},"spans":["#
    }

    package func text(of spans: [FinishedSpan]) -> String {
        head + spans.map(Self.text).joined(separator: ",") + "]}]}]}"
    }

    private static func text(_ span: FinishedSpan) -> String {
        var text = #"{"traceId":"\#(span.identity.traceID)","spanId":"\#(span.identity.spanID)""#
        if let parent = span.parentID { text += #","parentSpanId":"\#(parent)""# }
        // Bit 0: sampled. Bits 8 and 9: it is known whether the parent is remote, and it is.
        text += #","flags":\#(0x101 | (span.hasRemoteParent ? 0x200 : 0))"#
        text += #","name":\#(LogText.json(span.name)),"kind":\#(number(of: span.kind))"#
        text += #","startTimeUnixNano":"\#(span.startedAt)","endTimeUnixNano":"\#(span.endedAt)""#
        var attributes: [(String, SpanAttribute)] = []
        let add = { (name: String, value: SpanAttribute) in attributes.append((name, value)) }
        span.attributes.forEach(add)
        attributes.sort { $0.0 < $1.0 }
        return text + #","attributes":\#(Self.text(attributes)),"status":{\#(span.hasFailed ? #""code":2"# : "")}}"#
    }

    /// `SpanKind` of `opentelemetry.proto.trace.v1`.
    private static func number(of kind: SpanKind) -> Int {
        switch kind {
        case .internal: 1
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        }
    }

    private static func text(_ attributes: [(String, SpanAttribute)]) -> String {
        "["
            + attributes.map { #"{"key":\#(LogText.json($0)),"value":{\#(value($1))}}"# }.joined(separator: ",")
            + "]"
    }

    private static func value(_ attribute: SpanAttribute) -> String {
        switch attribute {
        case .int32(let number): #""intValue":"\#(number)""#
        case .int64(let number): #""intValue":"\#(number)""#
        case .bool(let value): #""boolValue":\#(value)"#
        case .double(let number) where number.isFinite: #""doubleValue":\#(number)"#
        case .string(let text): #""stringValue":\#(LogText.json(text))"#
        // The service has no others.
        default: #""stringValue":"""#
        }
    }
}

/// What a collector has rejected from a request that it has taken (OTLP specification, "Partial Success").
struct PartialSuccess: Decodable {
    private let rejectedSpans: Int
    private let errorMessage: String

    private static let maximumMessage = 200

    private enum CodingKeys: CodingKey { case partialSuccess, rejectedSpans, errorMessage }

    /// - Returns: `nil` for any other body. The status alone says then that the collector has taken all.
    init?(_ body: Data) {
        guard !body.isEmpty, let decoded = try? JSONDecoder().decode(Self.self, from: body) else { return nil }
        self = decoded
    }

    init(from decoder: any Decoder) throws {
        let success = try decoder.container(keyedBy: CodingKeys.self)
            .nestedContainer(keyedBy: CodingKeys.self, forKey: .partialSuccess)
        // In JSON, protobuf writes a number of 64 bits as a string, and accepts both.
        let (number, text) = (
            try? success.decode(Int.self, forKey: .rejectedSpans),
            try? success.decode(String.self, forKey: .rejectedSpans)
        )
        rejectedSpans = number ?? text.flatMap { Int($0) } ?? 0
        errorMessage = (try? success.decode(String.self, forKey: .errorMessage)) ?? ""
    }

    /// `nil`: nothing was rejected.
    var answer: SpanExporter.Answer? {
        guard rejectedSpans > 0 else { return nil }
        let message = errorMessage.isEmpty ? "" : ": \(errorMessage.prefix(Self.maximumMessage))"
        return .partlyTaken(rejected: rejectedSpans, reason: "the collector rejected them\(message)")
    }
}
