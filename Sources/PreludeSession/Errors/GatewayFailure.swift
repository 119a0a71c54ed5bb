internal import Foundation

/// Something between here and the service says that it does not get through (RFC 9110 §15.6.3–5): no answer of the service.
struct GatewayFailure: Error, CustomNSError {
    let status: Int
    let requestID: String?
    let retryAfter: Int?

    static let statuses: Set<Int> = [502, 503, 504]

    var errorCode: Int { status }
}
