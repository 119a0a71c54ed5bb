internal import Foundation
internal import SessionTokens

/// The routes that an app has instead of the service's, by channel. The first one is tried first.
package struct DeliveryConfig: Sendable, Equatable, Codable {
    package struct Route: Sendable, Equatable, Codable {
        package var settings: RouteSettings
        /// base64url of the secret, sealed with a master key.
        package var sealedSecret: String?

        package init(settings: RouteSettings, sealedSecret: String? = nil) {
            self.settings = settings
            self.sealedSecret = sealedSecret
        }
    }

    /// A first route and a second one.
    package static let maximumRoutes = 2

    package var email: [Route] = []
    package var sms: [Route] = []
    package var createdAt: Timestamp
    package var updatedAt: Timestamp

    package init(at time: Timestamp) {
        createdAt = time
        updatedAt = time
    }

    /// The routes of a channel. Empty: the service's routes are used.
    package subscript(channel: OTPLoginConfig.Channel) -> [Route] {
        get {
            switch channel {
            case .email: email
            case .sms: sms
            }
        }
        set {
            switch channel {
            case .email: email = newValue
            case .sms: sms = newValue
            }
        }
    }

    /// The sealed secret that a route keeps when it is set again without one: that of the same route or, if more than
    /// one route or none is the same, that of the route in the same place among those to its destination.
    ///
    /// A secret goes only to the destination for which it was set: otherwise another one could be named to learn it.
    ///
    /// - Parameter others: The number of new routes before this one that go to the same destination.
    func secret(for route: RouteSettings, after others: Int, by channel: OTPLoginConfig.Channel) -> String? {
        let fitting = self[channel].filter { $0.sealedSecret != nil && $0.settings.hasSameDestination(as: route) }
        let same = fitting.filter { $0.settings == route }
        if same.count == 1 { return same.first?.sealedSecret }
        return (fitting.dropFirst(others).first ?? fitting.last)?.sealedSecret
    }
}

/// The routes that the configuration of the service names, by channel. They serve every app without routes of its own.
package struct ConfiguredRoutes: Sendable, Equatable {
    package struct Route: Sendable, Equatable {
        package let settings: RouteSettings
        package let secret: RouteSecret?

        package init(settings: RouteSettings, secret: RouteSecret?) {
            self.settings = settings
            self.secret = secret
        }
    }

    package var routes: [OTPLoginConfig.Channel: [Route]]

    /// Domains that the mail servers send from, besides those of their own senders.
    package let furtherSenderDomains: Set<String>

    package init(_ routes: [OTPLoginConfig.Channel: [Route]] = [:], furtherSenderDomains: Set<String> = []) {
        self.routes = routes
        self.furtherSenderDomains = furtherSenderDomains
    }

    package subscript(channel: OTPLoginConfig.Channel) -> [Route] { routes[channel] ?? [] }

    /// The domains that an app without a mail route of its own may send from. `nil`: the service has no mail server, and what
    /// sends its mail decides.
    package var senderDomains: Set<String>? {
        let servers = self[.email].filter { $0.settings.kind == .smtp }
        guard !servers.isEmpty else { return nil }
        let own = servers.compactMap { $0.settings.from.flatMap(MailAddress.init)?.domain.lowercased() }
        return furtherSenderDomains.union(own)
    }

    package var isEmpty: Bool { routes.values.allSatisfy(\.isEmpty) }
}

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

/// The password, token or API key of a route, or the file that contains it.
package enum RouteSecret: Sendable, Hashable {
    case value(String)
    /// The path of a file, which is read for each message: another program may renew a token.
    case file(String)

    package static let maximumBytes = 8192

    /// - Throws: `SendingFailure` if the file cannot be read or is empty.
    package func read() throws(SendingFailure) -> String {
        switch self {
        case .value(let secret): return secret
        case .file(let path):
            let data = try Self.content(of: path)
            guard let text = String(textFile: data) else {
                throw SendingFailure(.authentication, "the file with the secret is not UTF-8")
            }
            let secret = text.trimmingCharacters(in: .whitespacesAndNewlines)
            guard Self.isValid(secret) else {
                throw SendingFailure(.authentication, "the file with the secret contains no secret, or several lines")
            }
            return secret
        }
    }

    /// The reason has no path: webhooks of apps receive it.
    private static func content(of path: String) throws(SendingFailure) -> Data {
        func failure(_ reason: String) -> SendingFailure {
            SendingFailure(.authentication, "the file with the secret \(reason)")
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("cannot be read: \(String(cString: strerror(errno)))") }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard let data = try? file.read(upToCount: maximumBytes + 1) ?? Data() else {
            throw failure("cannot be read: it is no file")
        }
        guard data.count <= maximumBytes else { throw failure("has more than \(maximumBytes) bytes") }
        return data
    }

    /// A secret is one line of visible text.
    package static func isValid(_ secret: String) -> Bool {
        (1...maximumBytes).contains(secret.utf8.count) && secret.unicodeScalars.allSatisfy { !$0.breaksHeader }
    }
}

extension RouteSecret: CustomStringConvertible, CustomReflectable {
    /// Without the secret: logs must not contain it.
    package var description: String { "RouteSecret" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension KeyRing {
    /// Seals the secret of a route. It can be opened for the same app, channel and kind of route only.
    func seal(
        _ secret: String, of kind: RouteSettings.Kind, channel: OTPLoginConfig.Channel, app: AppID
    ) throws -> String {
        Base64URL.encode(try seal(Data(secret.utf8), context: Self.context(kind, channel, app)))
    }

    /// - Throws: `KeyRingError` if the secret was sealed for something else, or if its master key is missing.
    func openSecret(of route: DeliveryConfig.Route, channel: OTPLoginConfig.Channel, app: AppID) throws -> RouteSecret?
    {
        guard let sealed = route.sealedSecret else { return nil }
        guard let data = Base64URL.decode(sealed) else { throw KeyRingError.cannotOpen }
        let secret = try open(data, context: Self.context(route.settings.kind, channel, app))
        return .value(String(decoding: secret, as: UTF8.self))
    }

    /// Returns the configuration with every secret sealed with the current master key, and how many were not.
    func resealed(_ config: DeliveryConfig, app: AppID) throws -> (config: DeliveryConfig, count: Int) {
        var (new, count) = (config, 0)
        for channel in OTPLoginConfig.Channel.allCases {
            for (index, route) in config[channel].enumerated() {
                guard let data = route.sealedSecret.flatMap({ Base64URL.decode($0) }),
                    MasterKey.id(ofKeyThatSealed: data) != currentID,
                    case .value(let secret) = try openSecret(of: route, channel: channel, app: app)
                else { continue }
                new[channel][index].sealedSecret = try seal(
                    secret, of: route.settings.kind, channel: channel, app: app)
                count += 1
            }
        }
        return (new, count)
    }

    private static func context(
        _ kind: RouteSettings.Kind, _ channel: OTPLoginConfig.Channel, _ app: AppID
    ) -> String {
        "\(app)/delivery/\(channel.rawValue)/\(kind.rawValue)"
    }
}

extension DeliveryConfig {
    /// The ids of the master keys with which the secrets are sealed.
    package var sealingKeyIDs: Set<String> {
        Set(OTPLoginConfig.Channel.allCases.flatMap { self[$0] }.compactMap(\.sealingKeyID))
    }

    /// Removes the routes whose secret is sealed with another master key than these.
    mutating func removeRoutes(exceptSealedWith ids: Set<String>) {
        for channel in OTPLoginConfig.Channel.allCases {
            self[channel].removeAll { route in route.sealingKeyID.map { !ids.contains($0) } ?? false }
        }
    }
}

extension DeliveryConfig.Route {
    /// The id of the master key with which the secret is sealed. `nil` without a secret.
    fileprivate var sealingKeyID: String? {
        sealedSecret.flatMap { Base64URL.decode($0) }.map(MasterKey.id(ofKeyThatSealed:))
    }
}
