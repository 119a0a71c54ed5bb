import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import SessionDomain
import SessionWire

/// A response of a connection itself, for requests that reach no route. The connection is closed after it.
@available(service, *)
struct ConnectionAnswer {
    let head: HTTPResponseHead
    let body: ByteBuffer

    init(_ refusal: WireRefusal, environment: ServiceEnvironment) {
        let requestID = environment.newID("req")
        let error = ErrorBody(
            code: refusal.code, type: refusal.type, message: refusal.message, requestID: requestID)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Encoding texts does not fail. If it did, the status would still be correct.
        let data = (try? encoder.encode(error)) ?? Data()
        var headers: HTTPHeaders = [
            "Content-Type": "application/json", "Content-Length": String(data.count), "Connection": "close",
            "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", HeaderName.requestID: requestID,
            "Date": HTTPDate.format(environment.now().date),
        ]
        if let seconds = refusal.retryAfter { headers.add(name: "Retry-After", value: String(seconds)) }
        head = HTTPResponseHead(
            version: .http1_1,
            status: HTTPResponseStatus(
                statusCode: refusal.status.code, reasonPhrase: refusal.status.reasonPhrase),
            headers: headers)
        body = ByteBuffer(bytes: data)
    }
}

extension WireRefusal {
    static func invalidRequest(_ message: String) -> WireRefusal {
        WireRefusal(status: .badRequest, code: .badRequest, message: message)
    }

    static let tooSlow = WireRefusal(
        status: .requestTimeout, code: .badRequest, message: "the request took too long to arrive")

    static let tooManyConnections = WireRefusal(
        status: .serviceUnavailable, code: .internal, message: "the service has too many connections; try again",
        retryAfter: 5)
}
