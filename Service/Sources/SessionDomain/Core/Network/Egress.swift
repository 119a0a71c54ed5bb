package import Foundation

/// A request of the service to a URL that an operator configured.
package struct EgressRequest: Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    package var method: Method
    package var url: String
    package var headers: [(name: String, value: String)]
    package var body: Data
    /// Seconds for the whole request, from the DNS query to the last byte of the answer.
    package var timeout: Int
    /// The maximum size of the answer in bytes.
    package var maximumAnswer: Int
    /// Called when there is a connection and the body of a POST is about to be sent. From then on the receiver may act on
    /// the request, also if no answer comes. Before, it does not know the request.
    package var onSend: (@Sendable () -> Void)?
    /// Called with the status as soon as the head of the answer has arrived. The rest of the answer may still fail.
    package var onStatus: (@Sendable (Int) -> Void)?
    /// Whether the request gets a connection of its own. A connection that is kept from earlier requests may be dead, and that
    /// shows only when it is used.
    package var needsNewConnection = false
    /// Whether the receiver gets the header `traceparent`, so that it can continue the trace.
    package var continuesTrace = true

    package init(
        _ method: Method, _ url: String, headers: [(name: String, value: String)] = [], body: Data = Data(),
        timeout: Int = 5, maximumAnswer: Int = 64 * 1024, onSend: (@Sendable () -> Void)? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.maximumAnswer = maximumAnswer
        self.onSend = onSend
    }
}

package struct EgressAnswer: Sendable, Equatable {
    package let status: Int
    package let body: Data
    /// The value of `Content-Type`.
    package let contentType: String?

    package init(status: Int, body: Data, contentType: String? = nil) {
        self.status = status
        self.body = body
        self.contentType = contentType
    }
}

/// Why a request got no answer. The texts are for operators and contain no body and no credential.
package enum EgressError: Error, Equatable {
    /// The URL is not allowed: it is not https, contains credentials, or is not a URL.
    case refusedURL(String)
    /// The name resolves only to private or other special addresses.
    case refusedAddress(String)
    case cannotResolve(String)
    case timedOut
    /// The answer is larger than `maximumAnswer`.
    case answerTooLarge
    case connectionFailed(String)
}

extension EgressError {
    /// A short text for the delivery log.
    package var summary: String {
        switch self {
        case .refusedURL(let reason): "the URL is refused: \(reason)"
        // The text does not contain the address: the operator of a hook must not learn the internal network.
        case .refusedAddress: "the address is refused: it is private or otherwise special"
        case .cannotResolve(let reason): "the name cannot be resolved: \(reason)"
        case .timedOut: "no answer in time"
        case .answerTooLarge: "the answer is too large"
        case .connectionFailed(let reason): "no connection: \(reason)"
        }
    }
}

/// Sends every outgoing request of the service.
///
/// It never follows redirects, and it connects to exactly the address that it has checked.
package protocol Egress: Sendable {
    func send(_ request: EgressRequest) async throws(EgressError) -> EgressAnswer

    /// Checks a URL by its text only, so that configuration rejects early what `send` would reject later.
    func validate(url: String) throws(EgressError)
}

extension Egress {
    /// Throws an error with the name of the field if a URL can never be called.
    func check(_ url: String, field: String) throws(Refusal) {
        do {
            try validate(url: url)
        } catch {
            if case .refusedURL(let reason) = error { throw .invalidField(field, "is refused: \(reason)") }
            throw .invalidField(field, error.summary)
        }
        guard url.utf8.count <= 1800 else { throw .invalidField(field, "must have at most 1800 bytes") }
    }
}
