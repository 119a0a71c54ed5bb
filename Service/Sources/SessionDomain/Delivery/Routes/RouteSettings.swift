/// How messages of one channel leave the service: the server or gateway, and its account. The secret is not a part of it.
package struct RouteSettings: Sendable, Hashable, Codable {
    package enum Kind: String, Sendable, Codable, CaseIterable {
        /// A mail server.
        case smtp
        /// A signed request to the operator's backend, which sends the message.
        case webhook
        case twilio
        case vonage
        /// Prelude's Verify API.
        case prelude
    }

    package enum TLSMode: String, Sendable, Codable, CaseIterable {
        /// The connection begins without TLS and changes to it before anything is sent (RFC 3207).
        case startTLS = "starttls"
        /// TLS from the first byte (RFC 8314 §3.3).
        case implicit
    }

    package enum Authentication: String, Sendable, Codable, CaseIterable {
        case plain, login, xoauth2
    }

    package var kind: Kind
    package var host: String?
    package var port: Int?
    package var tls: TLSMode?
    /// `nil`: PLAIN or LOGIN, as the server offers.
    package var authentication: Authentication?
    package var username: String?
    /// The account of a gateway, where it differs from `username`.
    package var account: String?
    /// The endpoint of a webhook, or the base URL of a gateway in another region.
    package var url: String?
    /// The sender: a mail address with an optional name, a phone number, or a sender id.
    package var from: String?

    package init(
        kind: Kind, host: String? = nil, port: Int? = nil, tls: TLSMode? = nil, authentication: Authentication? = nil,
        username: String? = nil, account: String? = nil, url: String? = nil, from: String? = nil
    ) {
        self.kind = kind
        self.host = host
        self.port = port
        self.tls = tls
        self.authentication = authentication
        self.username = username
        self.account = account
        self.url = url
        self.from = from
    }

    /// The settings that decide who receives the secret.
    package func hasSameDestination(as other: RouteSettings) -> Bool {
        func destination(_ route: RouteSettings) -> RouteSettings {
            var route = route
            (route.from, route.authentication) = (nil, nil)
            return route
        }
        return destination(self) == destination(other)
    }
}

extension OTPLoginConfig.Channel {
    /// The kinds of routes that can carry the messages of this channel.
    package var routeKinds: [RouteSettings.Kind] {
        switch self {
        case .email: [.smtp, .webhook, .prelude]
        case .sms: [.twilio, .vonage, .prelude, .webhook]
        }
    }
}
