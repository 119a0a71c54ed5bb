import Hummingbird
import SessionDomain

/// Answers 404 to every path that is not the only spelling of its route, and 400 to a query that is not the fields of a form.
///
/// The router ignores empty segments, so it would serve `//v2/…` as `/v2/…`. A proxy that blocks `/v2/` compares text.
package struct CanonicalPath: RequestCheck {
    func check(_ request: Request, _ context: ServiceRequestContext) throws {
        guard Self.isCanonical(request.uri.path) else { throw HTTPError(.notFound) }
        // The console reads the query with the same reader, and refuses it with a page.
        if request.uri.query != nil, !request.uri.path.hasPrefix("/console/") { _ = try request.query }
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
