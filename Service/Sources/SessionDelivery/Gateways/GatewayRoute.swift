internal import Foundation
internal import SessionDomain
internal import SessionEgress
internal import SessionTokens
internal import Synchronization

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
    let surroundings: RouteSurroundings

    func send(_ message: OutboundMessage) async -> SendingResult {
        let (now, secret) = (surroundings.now(), Result { try self.secret?.read() ?? "" })
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
            let answer = try await surroundings.egress.send(call)
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
