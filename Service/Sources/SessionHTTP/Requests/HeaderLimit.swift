import HTTPTypes
import Hummingbird

/// Rejects requests whose headers are larger than `maximumBytes` with 431 (RFC 6585 §5).
struct HeaderLimit: RequestCheck {
    static let maximumBytes = 16 * 1024

    func check(_ request: Request, _ context: ServiceRequestContext) throws {
        guard Self.size(of: request.headers) <= Self.maximumBytes else {
            throw HTTPError(.requestHeaderFieldsTooLarge)
        }
    }

    /// Bytes as in HTTP/1.1, with colon, space and line break. The request line does not count.
    private static func size(of headers: HTTPFields) -> Int {
        headers.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 4 }
    }
}
