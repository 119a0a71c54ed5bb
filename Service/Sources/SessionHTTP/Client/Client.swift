import Foundation
package import HTTPTypes
package import SessionDomain
import SessionWire

/// The sender of a request, as the connection and the headers describe it.
package struct Client: Sendable {
    /// The requested host, `host[:port]`. It chooses the app and nothing else.
    package let host: String
    package let source: SourceAddress
    /// Its id is that of `X-Device-Id`, otherwise of the cookie that browsers get.
    package private(set) var device: Device
    /// What hooks and mapped claims receive.
    package let facts: ClientFacts
    /// Whether a browser sent the request: it has `Origin` or `Sec-Fetch-Site`. Browsers get the refresh token in a
    /// cookie only.
    let isBrowser: Bool
}

extension Client {
    /// Reads the headers of a request. Forwarding headers count only if the peer is a trusted proxy.
    ///
    /// - Parameters:
    ///   - authority: The host of the request, from `Host` or `:authority`.
    ///   - peerAddress: The address of the other end of the connection.
    /// - Throws: `Refusal.invalidField` for an invalid host or device id.
    package init(headers: HTTPFields, authority: String?, peerAddress: String, options: EdgeOptions) throws(Refusal) {
        host = try Self.host(headers, authority: authority, peerAddress: peerAddress, options: options)
        let ip = Self.address(headers, peerAddress: peerAddress, options: options)
        source = SourceAddress(ip: ip, isExempt: options.exemptsLoopback && IPNetwork.loopback(contains: ip))
        isBrowser = headers.contains(.origin) || headers.contains(.secFetchSite)
        let agent = RepeatedHeaders.agent(headers.first(.userAgent) ?? "")
        var device = agent.device
        device.id = try Self.deviceID(headers)
        if options.isTrusted(peerAddress), let country = Self.countryCode(headers, options: options) {
            device.countryCode = country
        }
        self.device = device
        facts = ClientFacts(
            ip: ip, userAgent: agent.text, platform: isBrowser ? "web" : agent.platform,
            countryCode: device.countryCode, locales: RepeatedHeaders.languages(headers.first(.acceptLanguage) ?? ""))
    }

    /// The requested host: of the request, or as a trusted proxy reports it.
    static func host(
        _ headers: HTTPFields, authority: String?, peerAddress: String, options: EdgeOptions
    ) throws(Refusal) -> String {
        let forwarded = try options.isTrusted(peerAddress) ? forwardedHost(headers) : nil
        guard let host = forwarded ?? authority, !host.isEmpty, host.utf8.count <= 255 else {
            throw .invalidField("Host", "is missing or longer than 255 bytes")
        }
        return host
    }

    /// The address of the client: of the peer, or as a trusted proxy reports it.
    static func address(_ headers: HTTPFields, peerAddress: String, options: EdgeOptions) -> String {
        guard options.isTrusted(peerAddress) else { return peerAddress }
        return forwardedAddress(headers, options: options) ?? peerAddress
    }

    /// The last entry of the configured header that is not a trusted proxy. Clients can forge all entries before it.
    ///
    /// - Returns: `nil` if there is no such entry, or if it is not an IP address.
    static func forwardedAddress(_ headers: HTTPFields, options: EdgeOptions) -> String? {
        let values = headers.all(options.clientAddressHeader)
        let entries =
            switch options.clientAddressHeader {
            case .forwardedFor: values.flatMap { $0.split(separator: ",") }.map(trimmed)
            case .forwarded: values.flatMap(ForwardedNodes.all)
            // One address, which the proxy replaces. Of several, the client may have sent any.
            default: values.count == 1 && !values[0].contains(",") ? [trimmed(values[0])] : []
            }
        return entries.map(withoutPort).last { !options.isTrusted($0) }.flatMap { IPNetwork.isAddress($0) ? $0 : nil }
    }

    private static func trimmed(_ text: some StringProtocol) -> String { text.trimmingCharacters(in: .whitespaces) }

    /// Some proxies add the port of the client: `192.0.2.1:49152`, `[2001:db8::1]:49152`.
    private static func withoutPort(_ entry: String) -> String {
        if entry.hasPrefix("["), let end = entry.firstIndex(of: "]") {
            let rest = entry[end...].dropFirst()
            return rest.isEmpty || rest.hasPrefix(":") ? String(entry[..<end].dropFirst()) : entry
        }
        let parts = entry.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 && parts[0].contains(".") ? String(parts[0]) : entry
    }

    /// The country in the header that the operator configured: two letters, in upper case.
    private static func countryCode(_ headers: HTTPFields, options: EdgeOptions) -> String? {
        guard let name = options.countryHeader, let country = headers.first(name), country.utf8.count == 2,
            country.unicodeScalars.allSatisfy({ $0.isASCII && $0.properties.isAlphabetic })
        else { return nil }
        return country.uppercased()
    }

    /// The proxy must replace the header. Of several values, the client may have sent any.
    private static func forwardedHost(_ headers: HTTPFields) throws(Refusal) -> String? {
        let hosts = headers.all(.forwardedHost)
        guard hosts.count <= 1, !(hosts.first ?? "").contains(",") else {
            throw .invalidField("X-Forwarded-Host", "must not be repeated; the proxy must replace it")
        }
        return hosts.first
    }

    private static func deviceID(_ headers: HTTPFields) throws(Refusal) -> String? {
        guard let text = headers.first(.deviceID) else { return nil }
        guard let id = uuid(text) else { throw .invalidField("X-Device-Id", "must be a UUID") }
        return id
    }

    /// Adds the device id of the app's cookie if no header has one. An invalid cookie is ignored: the next login replaces it.
    mutating func addDeviceID(cookie: String?) {
        if device.id == nil { device.id = cookie.flatMap(Self.uuid) }
    }

    /// A UUID in lower case.
    static func uuid(_ text: String) -> String? {
        guard text.utf8.count == 36 else { return nil }
        return UUID(uuidString: text)?.uuidString.lowercased()
    }
}
