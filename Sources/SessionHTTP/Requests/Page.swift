import Hummingbird
import HummingbirdCore
import SessionDomain

/// The part of a list that a request asks for, from the query parameters `limit` and `offset`.
struct Page: Equatable {
    /// Clients with numbers of 32 bits can name every place.
    static let maximumOffset = Int(Int32.max)

    let limit: Int
    let offset: Int

    /// - Throws: `Refusal.invalidPaginationLimit` or `.invalidPaginationOffset` for a value that is not a number, or an offset
    ///   that is too large. The callee checks the rest of the range.
    init(_ request: Request) throws(Refusal) { try self.init(request.uri.queryParameters) }

    /// - Throws: As `init(_:)` of a request.
    init(_ query: FlatDictionary<Substring, Substring>) throws(Refusal) {
        limit = try Self.number("limit", in: query, default: 10, refusal: .invalidPaginationLimit)
        offset = try Self.number("offset", in: query, default: 0, refusal: .invalidPaginationOffset)
        guard offset <= Self.maximumOffset else { throw .invalidPaginationOffset }
    }

    private static func number(
        _ name: Substring, in query: FlatDictionary<Substring, Substring>, default standard: Int, refusal: Refusal
    ) throws(Refusal) -> Int {
        guard let text = query[name] else { return standard }
        guard let value = Int(text) else { throw refusal }
        return value
    }
}
