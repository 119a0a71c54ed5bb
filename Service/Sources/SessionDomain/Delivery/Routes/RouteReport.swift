internal import Foundation

/// How far the attempt of a test message came.
package struct RouteReport: Sendable, Equatable {
    /// A stage that succeeded.
    package struct Step: Sendable, Equatable {
        package let stage: SendingFailure.Stage
        package let detail: String

        package init(_ stage: SendingFailure.Stage, _ detail: String) {
            self.stage = stage
            self.detail = detail
        }
    }

    package let steps: [Step]
    package let result: SendingResult
    /// What an operator can do about the failure.
    package let remedy: String?

    package init(steps: [Step], result: SendingResult, remedy: String?) {
        self.steps = steps
        self.result = result
        self.remedy = remedy
    }
}

/// A route that can say how far an attempt came.
package protocol TestableRoute: MessageRoute {
    /// Sends a message as `send` does.
    func report(on message: OutboundMessage) async -> RouteReport
}

extension SendingResult {
    /// The failure, or `nil` for an accepted message.
    package var failure: SendingFailure? {
        switch self {
        case .accepted: nil
        case .rejected(let failure), .failed(let failure): failure
        }
    }
}

extension RouteReport {
    /// Sends the message by any route. Of a route that cannot say more, only the result is known.
    package init(sending message: OutboundMessage, by route: any MessageRoute) async {
        if let route = route as? any TestableRoute {
            self = await route.report(on: message)
            return
        }
        let result = await route.send(message)
        self.init(
            steps: [], result: result,
            remedy: result.failure.map { $0.stage.remedy(host: "the host of the \(route.name)") })
    }

    /// Describes a call over HTTP.
    ///
    /// - Parameters:
    ///   - url: What was called. A URL with an address needs no DNS, and one with `http` has no TLS.
    ///   - hasAccount: Whether the request had a secret or a signature.
    package init(ofCall result: SendingResult, to url: String, hasAccount: Bool) {
        let parts = URLComponents(string: url)
        let host = parts?.host ?? url
        var skipped: Set<SendingFailure.Stage> = []
        if IPNetwork(host.trimmingCharacters(in: ["[", "]"])) != nil { skipped.insert(.nameResolution) }
        if parts?.scheme?.lowercased() != "https" { skipped.insert(.tls) }
        if !hasAccount { skipped.insert(.authentication) }
        self.init(
            steps: Self.steps(before: result.failure?.stage, host: host).filter { !skipped.contains($0.stage) },
            result: result, remedy: result.failure.map { $0.stage.remedy(host: host) })
    }

    /// The stages of a call that a failure at `stage` has behind it. `nil`: all of them.
    private static func steps(before stage: SendingFailure.Stage?, host: String) -> [Step] {
        let all: [Step] = [
            Step(.nameResolution, "\(host) has an address"), Step(.addressRules, "the address may be called"),
            Step(.connection, "connected to \(host)"), Step(.tls, "the certificate is valid for \(host)"),
            Step(.authentication, "the account is accepted"), Step(.content, "the message is accepted"),
        ]
        switch stage {
        case nil: return all
        case .sender, .recipient, .content: return Array(all.prefix(5))
        case .response: return Array(all.prefix(4))
        case .timeout: return []
        case .some(let stage): return Array(all.prefix { $0.stage != stage })
        }
    }
}

/// What operators read about a stage.
extension SendingFailure.Stage {
    /// The name of the stage in a report.
    package var label: String {
        switch self {
        case .nameResolution: "DNS"
        case .addressRules: "address"
        case .connection: "connect"
        case .tls: "TLS"
        case .authentication: "AUTH"
        case .sender: "sender"
        case .recipient: "recipient"
        case .content: "message"
        case .response: "answer"
        case .timeout: "time"
        }
    }

    /// What an operator can do about a failure at this stage, whatever the route is.
    package func remedy(host: String) -> String {
        switch self {
        case .nameResolution: "check the spelling of \(host) and the name servers of this machine"
        case .addressRules:
            "only public addresses are called. If the server is yours, allow its network with --egress-network"
        case .connection: "check that \(host) is running and that a firewall lets this machine connect to it"
        case .tls: "check that the certificate is valid for \(host); name your own authority with --egress-trust-roots"
        case .authentication: "check the account and the secret of the route"
        case .sender: "use a sender that the account may use"
        case .recipient: "check the recipient: the route will not deliver to it"
        case .content: "the provider rejects the text: check its templates and its filters"
        case .response: "retry later, and see the status page of the provider"
        case .timeout: "check the network between this machine and \(host), and retry"
        }
    }
}
