internal import SessionDomain
internal import SessionTokens

/// The interface of one provider: how a message becomes a request, and an answer a result. Pure.
protocol Gateway: Sendable {
    var kind: RouteSettings.Kind { get }
    /// The URL to which messages go.
    var url: String { get }

    /// The texts with the secret that a request has. The gateway can repeat them, and reasons must not show them.
    func credentials(with secret: String) -> [String]

    /// - Throws: `SendingFailure` if this gateway can never carry the message, or no longer.
    func request(for message: OutboundMessage, secret: String, now: Timestamp) throws(SendingFailure) -> GatewayRequest

    /// The gateways have no key against repetitions. What may be sent is therefore accepted, if the status says so, or marked
    /// as such.
    ///
    /// - Parameters:
    ///   - answer: The members of the body. Empty if it is not a JSON object.
    ///   - text: Cleans what is shown of the answer.
    func result(status: Int, answer: [String: JSONValue], text: ReasonText) -> SendingResult
}

extension Gateway {
    func credentials(with secret: String) -> [String] { [secret] }
}

struct GatewayRequest: Equatable {
    var headers: [Header]
    var body: [UInt8]

    struct Header: Equatable {
        let name: String
        let value: String
    }

    /// A JSON body.
    init(_ json: [String: JSONValue], headers: [Header]) {
        self.headers = headers + [Header(name: "Content-Type", value: "application/json")]
        body = Array(TokenJSON.write(json))
    }

    /// A body as forms send it (WHATWG URL §5.2).
    init(form: [(name: String, value: String)], headers: [Header]) {
        self.headers = headers + [Header(name: "Content-Type", value: "application/x-www-form-urlencoded")]
        let pairs = form.map { "\(FormText.encoded($0.name))=\(FormText.encoded($0.value))" }
        body = Array(pairs.joined(separator: "&").utf8)
    }
}

/// Percent-encoding for the body of a form.
enum FormText {
    private static let digits = Array("0123456789ABCDEF".utf8)

    static func encoded(_ text: String) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count * 2)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                output.append(byte)
            default: output += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0x0F)]]
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}

/// What a status alone says, for every gateway.
enum GatewayStatus {
    /// Returns the result for a status that needs no look at the body, or `nil`.
    static func result(_ status: Int, _ reason: String) -> SendingResult? {
        switch status {
        case 401, 403: .failed(SendingFailure(.authentication, reason))
        case 400, 422, 200..<300: nil
        // A proxy of the provider got no answer (RFC 9110 §15.6.5).
        case 504: .failed(SendingFailure(.response, reason, finding: .mayBeSent))
        // Too many requests, timeouts, errors of the gateway, redirects, a wrong URL: a later attempt may succeed.
        default: .failed(SendingFailure(.response, reason))
        }
    }

    /// `HTTP 400: message` without the message if there is none.
    static func reason(_ status: Int, _ message: String?) -> String {
        message.map { "HTTP \(status): \($0)" } ?? "HTTP \(status)"
    }
}
