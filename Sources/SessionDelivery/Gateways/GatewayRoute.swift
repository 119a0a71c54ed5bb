internal import Foundation
internal import SessionDomain
internal import SessionEgress
internal import SessionTokens
internal import Synchronization

/// Sends messages through a provider's HTTP interface.
///
/// No provider has a key against repetitions, so a request that was sent and has no answer may be an SMS.
@available(service, *)
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
            return await call(request, seconds: seconds, text: text)
        }
    }

    private func call(_ request: GatewayRequest, seconds: Int, text: ReasonText) async -> SendingResult {
        let isSent = Mutex(false)
        do {
            let answer = try await surroundings.egress.send(
                EgressRequest(
                    .post, gateway.url,
                    headers: [("User-Agent", "Prelude-SessionDelivery/1.0"), ("Accept", "application/json")]
                        + request.headers.map { ($0.name, $0.value) },
                    body: Data(request.body), timeout: seconds, onSend: { isSent.withLock { $0 = true } }))
            let members = (try? TokenJSON.decode([String: JSONValue].self, from: answer.body)) ?? [:]
            return gateway.result(status: answer.status, answer: members, text: text)
        } catch {
            return .failed(
                SendingFailure(error, text: text, finding: isSent.withLock { $0 } ? .mayBeSent : nil))
        }
    }

    func report(on message: OutboundMessage) async -> RouteReport {
        RouteReport(ofCall: await send(message), to: URLComponents(string: gateway.url)?.host ?? gateway.url)
    }
}
