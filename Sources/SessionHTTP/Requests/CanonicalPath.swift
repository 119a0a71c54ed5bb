import Hummingbird
import SessionDomain
import SessionTokens

/// Answers 404 to every path that is not the only spelling of its route, and 400 to a query with U+0000 or too many combining
/// marks in a row, as to such a body: not every store can look up the first, and to compare the second takes long.
///
/// The router ignores empty segments, so it would serve `//v2/…` as `/v2/…`. A proxy that blocks `/v2/` compares text.
@available(service, *)
package struct CanonicalPath: RequestCheck {
    func check(_ request: Request, _ context: ServiceRequestContext) throws {
        guard Self.isCanonical(request.uri.path) else { throw HTTPError(.notFound) }
        if let query = request.uri.query, let part = query.split(separator: "&").first(where: { $0.contains("%00") }) {
            let name = part.prefix { $0 != "=" }
            throw Refusal.invalidField(name.contains("%") ? "query" : String(name), "must not contain U+0000")
        }
        if let query = request.uri.query, let bytes = PercentEncoding.decoded(query.utf8, isForm: false),
            !CombiningMarks.areBounded(in: String(decoding: bytes, as: UTF8.self))
        {
            throw Refusal.invalidField(
                "query", "must not have more than \(CombiningMarks.maximum) combining marks in a row")
        }
    }

    /// Whether a path has no empty segment, no `.` and `..`, and only characters that need no encoding (RFC 3986 §2.3).
    /// Routes and ids have no others.
    package static func isCanonical(_ path: String) -> Bool {
        var path = path
        return path.withUTF8 { bytes in
            guard bytes.first == UInt8(ascii: "/") else { return false }
            // Bytes of the segment, and how many of them are dots.
            var (length, dots) = (0, 0)
            for byte in bytes.dropFirst() {
                if byte == UInt8(ascii: "/") {
                    guard isSegment(length, dots) else { return false }
                    (length, dots) = (0, 0)
                } else {
                    guard isUnreserved(byte) else { return false }
                    length += 1
                    if byte == UInt8(ascii: ".") { dots += 1 }
                }
            }
            return isSegment(length, dots)
        }
    }

    /// Whether a segment is not empty, `.` or `..`.
    private static func isSegment(_ length: Int, _ dots: Int) -> Bool { length > 0 && (length > 2 || dots < length) }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
