import Hummingbird
import SessionDomain

/// The part of a list that a request asks for, from the query parameters `limit` and `offset`.
struct Page: Equatable {
    let limit: Int
    let offset: Int

    /// - Throws: `Refusal.invalidPaginationLimit` or `.invalidPaginationOffset` for a value that is not a number, or an offset
    ///   that is too large. The callee checks the rest of the range.
    init(_ request: Request) throws(Refusal) { try self.init(try request.query) }

    /// - Throws: As `init(_:)` of a request.
    init(
        _ query: FormFields, maximumOffset: Int = PageLimit.maximumOffset
    ) throws(Refusal) {
        limit = try Self.number("limit", in: query, default: 10, refusal: .invalidPaginationLimit)
        let refusal = Refusal.invalidPaginationOffset(maximum: maximumOffset)
        offset = try Self.number("offset", in: query, default: 0, refusal: refusal)
        guard offset <= maximumOffset else { throw refusal }
    }

    private static func number(
        _ name: String, in query: FormFields, default standard: Int, refusal: Refusal
    ) throws(Refusal) -> Int {
        guard let text = query[name] else { return standard }
        guard let value = Int(text) else { throw refusal }
        return value
    }
}
