internal import Foundation
internal import SessionDomain
internal import SessionEgress
internal import SessionTokens
internal import Synchronization

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

/// Sends messages through a provider's HTTP interface.
///
/// No provider has a key against repetitions, so a request that was sent and has no answer may be an SMS.
struct GatewayRoute: TestableRoute {
    /// Seconds for one attempt.
    static let timeout = 10

    var name: String { gateway.kind.rawValue }
    let channel: OTPLoginConfig.Channel
    let gateway: any Gateway
    let secret: RouteSecret?
    let dependencies: RouteDependencies

    func send(_ message: OutboundMessage) async -> SendingResult {
        let (now, secret) = (dependencies.now(), Result { try self.secret?.read() ?? "" })
        let seconds = min(Self.timeout, Int(message.expiresAt.seconds - now.seconds))
        guard seconds > 0 else { return .failed(SendingFailure(.timeout, "the message has expired")) }
        switch secret {
        case .failure(let failure):
            return .failed(failure as? SendingFailure ?? SendingFailure(.authentication, "no secret"))
        case .success(let secret):
            let national = message.to.hasPrefix("+") ? String(message.to.dropFirst()) : message.to
            let text = ReasonText(
                hiding: gateway.credentials(with: secret) + [message.to, national], code: message.code)
            let request: GatewayRequest
            do {
                request = try gateway.request(for: message, secret: secret, now: now)
            } catch {
                return .rejected(error)
            }
            return await call(request, isRepeated: message.isRepeated, seconds: seconds, text: text)
        }
    }

    /// How far a call came.
    private struct Progress {
        var isSent = false
        /// The status of an answer that has begun.
        var status: Int?
    }

    /// - Parameter isRepeated: Whether an earlier attempt has no result. The connection that it used may be dead, and others
    ///   with it, so this one gets its own.
    private func call(
        _ request: GatewayRequest, isRepeated: Bool, seconds: Int, text: ReasonText
    ) async -> SendingResult {
        let progress = Mutex(Progress())
        var call = EgressRequest(
            .post, gateway.url,
            headers: [("User-Agent", "Prelude-SessionDelivery/1.0"), ("Accept", "application/json")]
                + request.headers.map { ($0.name, $0.value) },
            body: Data(request.body), timeout: seconds, onSend: { progress.withLock { $0.isSent = true } })
        call.onStatus = { status in progress.withLock { $0.status = status } }
        call.needsNewConnection = isRepeated
        do {
            let answer = try await dependencies.egress.send(call)
            let members = (try? TokenJSON.decode([String: JSONValue].self, from: answer.body)) ?? [:]
            return gateway.result(status: answer.status, answer: members, text: text)
        } catch {
            let reached = progress.withLock { $0 }
            // The gateway has decided, although its answer cannot be read to its end.
            if let status = reached.status, (200..<300).contains(status) {
                return gateway.result(status: status, answer: [:], text: text)
            }
            if !reached.isSent, Task.isCancelled {
                return .failed(SendingFailure(.timeout, "the attempt was cancelled", isAbandoned: true))
            }
            return .failed(SendingFailure(error, text: text, finding: reached.isSent ? .mayBeSent : nil))
        }
    }

    func report(on message: OutboundMessage) async -> RouteReport {
        RouteReport(ofCall: await send(message), to: gateway.url, hasAccount: secret != nil)
    }
}

/// Joins a base URL and a path.
enum GatewayURL {
    static func joined(_ base: String, _ path: String) -> String { (base.hasSuffix("/") ? base : base + "/") + path }
}

extension JSONValue {
    /// A whole number, also one that is written as text.
    var wholeNumber: Int? {
        switch self {
        case .int(let value): Int(exactly: value)
        case .string(let text): Int(text)
        default: nil
        }
    }
}
