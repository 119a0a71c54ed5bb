import Foundation
import Hummingbird
import SessionDomain
import SessionTokens

/// The text of a place in a list, as `next` of a response and `cursor` of a request have it. Opaque to callers.
enum ListCursor {
    /// Base64url of the milliseconds and the id.
    static func text(_ place: ListPlace) -> String {
        Base64URL.encode("\(place.time.milliseconds).\(place.id)".utf8)
    }

    static func place(_ text: some StringProtocol) -> ListPlace? {
        guard text.utf8.count <= 128, let bytes = Base64URL.decode(text) else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: ".", maxSplits: 1)
        guard parts.count == 2, let time = Int64(parts[0]),
            parts[1].utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        return ListPlace(time: Timestamp(milliseconds: time), id: String(parts[1]))
    }
}

/// The part of a list of the management API that a request asks for: `limit`, and `offset` or `cursor`.
struct ListRequest: Equatable {
    let limit: Int
    let start: PageStart

    /// The `offset` of the response; `nil` for a page after a cursor.
    var offset: Int? {
        if case .offset(let offset) = start { offset } else { nil }
    }

    /// - Throws: The refusals of `Page`; `Refusal.invalidField` for a cursor that no response had.
    init(_ request: Request) throws(Refusal) {
        let page = try Page(request)
        limit = page.limit
        guard let text = try Self.cursor(try request.query) else {
            start = .offset(page.offset)
            return
        }
        guard let place = ListCursor.place(text) else {
            throw .invalidField("cursor", "must be the next of an earlier response")
        }
        start = .after(place)
    }

    /// - Throws: `Refusal.invalidField` together with an `offset` that is not 0. Generated clients send the default.
    static func cursor(_ query: FormFields) throws(Refusal) -> String? {
        guard let cursor = query["cursor"] else { return nil }
        guard query["offset"] ?? "0" == "0" else {
            throw .invalidField("cursor", "must not be set together with offset")
        }
        return cursor
    }
}

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
