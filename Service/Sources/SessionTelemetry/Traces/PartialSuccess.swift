internal import Foundation

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
