import Foundation
import HTTPTypes
package import SessionDomain
import SessionWire

/// Who sends a request, as far as the network and the headers say.
struct Client: Sendable {
    /// The host that was asked for, `host[:port]`.
    let host: String
    let source: SourceAddress
    var device: Device
    /// What hooks and mapped claims are told.
    let facts: ClientFacts
    /// Browsers get cookies and never see a refresh token; they are known by `Origin` or `Sec-Fetch-Site`.
    let isBrowser: Bool
}

/// What the operator says about the edge in front of the service.
package struct EdgeOptions: Sendable {
    /// Networks whose forwarding headers count.
    package var trustedProxies: [IPNetwork]
    /// The header in which a trusted proxy names the country, ISO 3166-1 alpha-2.
    package var countryHeader: String?
    /// Development: limits by address do not apply to loopback.
    package var exemptsLoopback: Bool

    package init(trustedProxies: [IPNetwork] = [], countryHeader: String? = nil, exemptsLoopback: Bool = false) {
        self.trustedProxies = trustedProxies
        self.countryHeader = countryHeader
        self.exemptsLoopback = exemptsLoopback
    }
}

extension Client {
    /// Reads a request. Forwarding headers count only when the socket's other end is a trusted proxy.
    init(headers: HTTPFields, authority: String?, peerAddress: String, options: EdgeOptions) throws {
        let isProxied = options.trustedProxies.contains { $0.contains(peerAddress) }
        let forwardedHost = isProxied ? headers.first("x-forwarded-host") : nil
        guard let host = forwardedHost ?? authority, !host.isEmpty, host.utf8.count <= 255 else {
            throw Refusal.invalidField("Host", "is missing or too long")
        }
        self.host = host
        let ip = isProxied ? Self.forwardedAddress(headers, options: options) ?? peerAddress : peerAddress
        source = SourceAddress(ip: ip, isExempt: options.exemptsLoopback && IPNetwork.loopback(contains: ip))
        isBrowser = headers.contains("origin") || headers.contains("sec-fetch-site")
        let agent = headers.first("user-agent") ?? ""
        var device = Device(userAgent: agent)
        device.id = try Self.deviceID(headers)
        if isProxied, let name = options.countryHeader, let country = headers.first(name)?.uppercased(),
            country.utf8.count == 2, country.utf8.allSatisfy({ (0x41...0x5A).contains($0) })
        {
            device.countryCode = country
        }
        self.device = device
        facts = ClientFacts(
            ip: ip, userAgent: String(agent.prefix(512)), platform: Platform.name(of: device, isBrowser: isBrowser),
            countryCode: device.countryCode, locales: AcceptLanguage.tags(headers.first("accept-language") ?? ""))
    }

    /// The last address in `X-Forwarded-For` that is not one of our proxies: what stands before it, anybody can write.
    private static func forwardedAddress(_ headers: HTTPFields, options: EdgeOptions) -> String? {
        headers.all("x-forwarded-for").flatMap { $0.split(separator: ",") }
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .last { address in !options.trustedProxies.contains { $0.contains(address) } }
            .flatMap { IPNetwork.isAddress($0) ? $0 : nil }
    }

    private static func deviceID(_ headers: HTTPFields) throws -> String? {
        guard let text = headers.first(HeaderName.deviceID) else { return nil }
        guard text.utf8.count == 36, let id = UUID(uuidString: text) else {
            throw Refusal.invalidField("X-Device-Id", "must be a UUID")
        }
        return id.uuidString.lowercased()
    }
}
