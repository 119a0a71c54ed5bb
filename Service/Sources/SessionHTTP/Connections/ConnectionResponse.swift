import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import SessionDomain
import SessionTokens
import SessionWire

/// A response of a connection itself, for requests that reach no route.
struct ConnectionResponse {
    var head: HTTPResponseHead
    let body: ByteBuffer
    let requestID: String
    var isHealthCheck = false
    /// What the log and metrics have about an error.
    var code: ErrorCode?
    var reason: RefusalReason?

    var status: Int { Int(head.status.code) }

    /// - Parameter closes: Whether the connection is closed after it.
    init(_ refusal: WireRefusal, closes: Bool = true, environment: ServiceEnvironment) {
        let requestID = environment.newID("req")
        let error = ErrorBody(
            code: refusal.code, type: refusal.type, message: refusal.message, requestID: requestID)
        self.init(
            status: refusal.status, body: error, requestID: requestID, retryAfter: refusal.retryAfter, closes: closes,
            environment: environment)
        (code, reason) = (refusal.code, RefusalReason(ofConnection: refusal))
    }

    init(_ answer: HealthResponse, environment: ServiceEnvironment) {
        guard let body = answer.body else {
            self.init(.notReady, closes: false, environment: environment)
            isHealthCheck = true
            return
        }
        self.init(
            status: answer.status, body: body, requestID: environment.newID("req"), retryAfter: answer.retryAfter,
            closes: false, environment: environment)
        isHealthCheck = true
    }

    private init(
        status: HTTPResponse.Status, body: some Encodable, requestID: String, retryAfter: Int?, closes: Bool,
        environment: ServiceEnvironment
    ) {
        // Encoding texts does not fail. If it did, the status would still be correct.
        let data = (try? TokenJSON.encode(body)) ?? Data()
        var headers: HTTPHeaders = [
            "Content-Type": "application/json", "Content-Length": String(data.count),
            "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", HeaderName.requestID: requestID,
            "Date": HTTPDate.format(environment.now()),
        ]
        if closes { headers.add(name: "Connection", value: "close") }
        if let retryAfter { headers.add(name: "Retry-After", value: String(retryAfter)) }
        head = HTTPResponseHead(
            version: .http1_1,
            status: HTTPResponseStatus(statusCode: status.code, reasonPhrase: status.reasonPhrase), headers: headers)
        self.body = ByteBuffer(bytes: data)
        self.requestID = requestID
    }
}

extension WireRefusal {
    static func invalidRequest(_ message: String) -> WireRefusal {
        WireRefusal(status: .badRequest, code: .badRequest, message: message)
    }

    static let headersTooLarge = WireRefusal(
        status: .requestHeaderFieldsTooLarge, code: .badRequest, message: "the headers are larger than 16 KiB")

    static let tooSlow = WireRefusal(
        status: .requestTimeout, code: .badRequest, message: "the request took too long to arrive")

    static let tooManyConnections = WireRefusal(
        status: .serviceUnavailable, code: .internal, message: "the service has too many connections; try again",
        retryAfter: 5)

    static let tooManyRequests = WireRefusal(
        status: .serviceUnavailable, code: .internal, message: "the service has too many requests; try again",
        retryAfter: 2)
}

extension RefusalReason {
    fileprivate init(ofConnection refusal: WireRefusal) {
        self =
            switch refusal {
            case .tooSlow: .other(.tooSlow)
            case .tooManyConnections: .other(.tooManyConnections)
            case .tooManyRequests: .other(.tooManyRequests)
            case .headersTooLarge: .other(.headersTooLarge)
            case .notReady: .other(.notReady)
            default: .other(.invalidRequest)
            }
    }
}
