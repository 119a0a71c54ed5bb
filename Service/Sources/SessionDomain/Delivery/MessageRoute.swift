/// A way to send messages: a mail server, or a gateway for SMS.
package protocol MessageRoute: Sendable {
    /// A short name for events, metrics and logs, such as `smtp` or `twilio`.
    var name: String { get }
    var channel: OTPLoginConfig.Channel { get }

    /// Sends a message once. It takes no longer than the route's timeout, and less if the message expires before. It ends
    /// when its task is cancelled.
    ///
    /// It does not repeat anything: the courier decides about further attempts and other routes.
    func send(_ message: OutboundMessage) async -> SendingResult
}

package enum SendingResult: Sendable, Equatable {
    /// The server or gateway is responsible for the message now.
    ///
    /// - Parameter reference: The id that it gave to the message.
    case accepted(reference: String?)
    /// This message is never accepted by this route, for example because it does not deliver to the recipient.
    case rejected(SendingFailure)
    /// No result, or a temporary one. A later attempt may succeed.
    case failed(SendingFailure)
}

/// Why a message was not sent.
package struct SendingFailure: Error, Sendable, Equatable {
    /// How far the attempt came.
    package enum Stage: String, Sendable, CaseIterable {
        case nameResolution = "name_resolution"
        case addressRules = "address_rules"
        case connection
        case tls
        case authentication
        case sender
        case recipient
        case content
        case response
        case timeout
    }

    /// What a failure says about the message, whichever route is asked next.
    package enum Finding: Sendable, Equatable {
        /// The recipient does not exist, so no route can deliver the message.
        case unknownRecipient
        /// The request was sent, and its result is unknown. The route would send a repeated message a second time.
        case mayBeSent
    }

    package let stage: Stage
    /// The reason of the server in its words, at most 200 printable characters. It contains no secret and no code.
    package let reason: String
    /// `nil`: the message was not sent by this route, and another one may send it.
    package let finding: Finding?
    /// Whether the service itself ended the attempt, surely before the route had the message: it had no means to try, or the
    /// attempt was cancelled. This says nothing about the route.
    package let isAbandoned: Bool

    package init(_ stage: Stage, _ reason: String, finding: Finding? = nil, isAbandoned: Bool = false) {
        self.stage = stage
        self.reason = reason
        self.finding = finding
        self.isAbandoned = isAbandoned
    }
}
