import Foundation
package import HTTPTypes
import Hummingbird
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

    /// The address of the client: of the peer, or as a trusted proxy reports it. It has one spelling, so that events can be
    /// found by it.
    static func address(_ headers: HTTPFields, peerAddress: String, options: EdgeOptions) -> String {
        let isForwarded = options.isTrusted(peerAddress)
        let forwarded = isForwarded ? forwardedAddress(headers, options: options) : nil
        return IPNetwork.canonical(forwarded ?? peerAddress)
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

/// Reads `Accept-Language` (RFC 9110 §12.5.4).
enum AcceptLanguage {
    /// The most tags that are returned.
    private static let maximumTags = 10
    /// Characters of the header that are read.
    private static let maximumLength = 512

    /// The language tags in order of preference. Tags of the same quality keep their order in the header.
    ///
    /// Ignores `*`, invalid tags, and tags of quality 0.
    static func tags(_ header: String) -> [String] {
        let ranges = header.prefix(maximumLength).split(separator: ",").compactMap(range)
        let sorted = ranges.enumerated().sorted {
            ($0.element.quality, -$0.offset) > ($1.element.quality, -$1.offset)
        }
        return sorted.prefix(maximumTags).map(\.element.tag)
    }

    private static func range(_ text: Substring) -> (tag: String, quality: Double)? {
        let parts = text.split(separator: ";").map { $0.filter { $0 != " " } }
        guard let tag = parts.first, tag != "*", isTag(tag) else { return nil }
        let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
        return quality > 0 ? (tag, quality) : nil
    }

    private static func isTag(_ text: String) -> Bool {
        (1...35).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy {
                $0 == "-" || ($0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil))
            }
    }
}

extension EventContext {
    /// The context of a call of the frontend API.
    init(_ client: Client, requestID: String?) {
        self.init(
            actor: Actor(.client), ip: client.facts.ip, userAgent: client.facts.userAgent, device: client.device,
            requestID: requestID)
    }
}

extension SourceAddress {
    /// The address that a request comes from. Forwarding headers count only if the peer is a trusted proxy.
    ///
    /// - Parameter peerAddress: The address of the other end of the connection.
    package init(headers: HTTPFields, peerAddress: String, options: EdgeOptions) {
        let ip = Client.address(headers, peerAddress: peerAddress, options: options)
        self.init(ip: ip, isExempt: options.exemptsLoopback && IPNetwork.loopback(contains: ip))
    }
}

/// Sets the client of a request, the app that its host names, the context of its events, and the languages that it asks
/// for. Applies the rules of origins to requests of browsers (`CrossOriginCall`).
struct ClientMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    let options: EdgeOptions
    let directory: AppDirectory
    let now: @Sendable () -> Timestamp

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        let client = try client(of: request, context)
        let app = try await app(of: request, host: client.host)
        let identified = identified(request, context, client: client, app: app)
        return try await EventContext.$current.withValue(identified.events) {
            try await RequestedLanguages.$current.withValue(identified.languages) {
                guard let call = identified.call else {
                    try requireNotBlocked(client, app, request)
                    return try await next(request, identified.context)
                }
                return try await call.respond(identified.context) { request, context in
                    try requireNotBlocked(client, app, request)
                    return try await next(request, context)
                }
            }
        }
    }

    /// Public keys are for backends, which no block means.
    private func requireNotBlocked(_ client: Client, _ app: AppRuntime, _ request: Request) throws {
        guard !app.settings.blocks.isEmpty, !KeySetRoutes.paths.contains(request.uri.path) else { return }
        try app.settings.requireNotBlocked(address: client.source.ip, now: now())
    }

    /// The app of a host. Public keys are also served while the store is away, so that backends can still verify tokens.
    @inline(never) private func app(of request: Request, host: String) async throws -> AppRuntime {
        do {
            return try await directory.app(host: host)
        } catch let error as StoreError {
            guard KeySetRoutes.paths.contains(request.uri.path), let known = directory.lastKnownApp(host: host) else {
                throw error
            }
            return known
        }
    }

    /// What is known of a request when its client and its app are.
    private struct Identified: Sendable {
        let context: ServiceRequestContext
        let events: EventContext
        let languages: [String]
        /// `nil`: no call of a browser.
        let call: CrossOriginCall?
    }

    /// Not inlined, as the next function: `handle` is asynchronous and keeps its variables on the heap.
    @inline(never) private func client(of request: Request, _ context: ServiceRequestContext) throws -> Client {
        try Client(
            headers: request.headers, authority: request.head.authority, peerAddress: context.peerAddress,
            options: options)
    }

    @inline(never) private func identified(
        _ request: Request, _ context: ServiceRequestContext, client: Client, app: AppRuntime
    ) -> Identified {
        var (client, context) = (client, context)
        if request.headers.contains(.cookie) { client.addDeviceID(cookie: AppCookies(app: app).deviceID(in: request)) }
        context.results = MiddlewareResults(client: client, app: app)
        RequestTrail.current?.note(app: app.settings.id)
        return Identified(
            context: context, events: EventContext(client, requestID: context.requestID),
            languages: client.facts.locales,
            call: client.isBrowser && !AssociationRoutes.isRead(by: request)
                ? CrossOriginCall(request: request, app: app) : nil)
    }

    /// Lets pages of the app read the response to a request that no route has seen, such as one with an invalid header.
    func respond(
        rejecting request: Request, _ context: ServiceRequestContext, with response: Response
    ) async -> Response {
        guard
            let host = try? Client.host(
                request.headers, authority: request.head.authority, peerAddress: context.peerAddress, options: options),
            let app = try? await directory.app(host: host)
        else { return response }
        return CrossOriginCall(request: request, app: app).respond(rejecting: response)
    }
}

/// What is read in headers that clients repeat with each request, found again by their text. All devices with one version of
/// an app and of its system send the same agent.
enum RepeatedHeaders {
    /// What `User-Agent` says (RFC 9110 §10.1.5).
    struct Agent: Sendable {
        /// Its first 512 characters.
        let text: String
        /// Has no id and no country.
        let device: Device
        /// The platform, unless a browser sent the request.
        let platform: String

        init(_ header: String) {
            text = String(header.prefix(512))
            device = Device(userAgent: header)
            platform = device.platform
        }
    }

    /// The most bytes of a header that is remembered.
    private static let maximumLength = 256
    private static let agents = RecentValues<String, Agent>(capacity: 512)
    private static let languages = RecentValues<String, [String]>(capacity: 512)

    static func agent(_ header: String) -> Agent { read(header, agents, Agent.init) }

    /// The tags of `Accept-Language`.
    static func languages(_ header: String) -> [String] { read(header, languages, AcceptLanguage.tags) }

    private static func read<Value>(
        _ header: String, _ known: RecentValues<String, Value>, _ read: (String) -> Value
    ) -> Value {
        // Texts that are not ASCII can be equal and have other bytes.
        guard header.utf8.count <= maximumLength, header.utf8.allSatisfy({ $0 < 0x80 }) else { return read(header) }
        if let value = known.value(for: header) { return value }
        let value = read(header)
        known.keep(value, for: header)
        return value
    }
}

extension Device {
    /// Reads a `User-Agent` of our SDKs, such as `Prelude/1.0 (Apple; iOS 17.4.0)`, or of a common browser.
    ///
    /// Properties that the header does not show keep their defaults.
    init(userAgent: String) {
        self.init()
        let agent = Self.printable(userAgent)
        if agent.hasPrefix("Prelude/") {
            readSDK(agent)
        } else if agent.hasPrefix("okhttp/") {
            // The hosted product's client for Android leaves the header to its HTTP library.
            (model, type, osVersion) = ("Android", "mobile", "Android")
        } else {
            readBrowser(agent)
        }
    }

    /// The printable ASCII characters of the first 512.
    private static func printable(_ text: String) -> String {
        let printable: ClosedRange<UInt8> = 0x20...0x7E
        // Almost always. To copy the characters costs as much as the rest.
        if text.utf8.count <= 512, text.utf8.allSatisfy(printable.contains) { return text }
        let characters = text.unicodeScalars.prefix(512).compactMap { UInt8(exactly: $0.value) }
        return String(decoding: characters.filter(printable.contains), as: UTF8.self)
    }

    private mutating func readSDK(_ agent: String) {
        guard let open = agent.firstIndex(of: "("), let close = agent.lastIndex(of: ")"), open < close else { return }
        let parts = agent[agent.index(after: open)..<close].split(separator: ";").map { part in
            String(part.drop { $0 == " " }.prefix(64))
        }
        model = parts.first ?? ""
        osVersion = parts.count > 1 ? parts[1] : ""
        let system = osVersion.lowercased()
        if system.hasPrefix("ipados") {
            type = "tablet"
        } else if ["ios", "watchos", "android", "visionos"].contains(where: system.hasPrefix) {
            type = "mobile"
        } else if ["macos", "linux", "windows"].contains(where: system.hasPrefix) || model == "Linux" {
            type = "desktop"
        }
    }

    private mutating func readBrowser(_ agent: String) {
        let kinds = [
            ("iPad", "iPad", "tablet"), ("iPhone", "iPhone", "mobile"), ("Android", "Android", "mobile"),
            ("Macintosh", "Mac", "desktop"), ("Windows NT", "Windows PC", "desktop"), ("Linux", "Linux", "desktop"),
        ]
        guard let kind = kinds.first(where: { Self.rest(of: agent, after: $0.0) != nil }) else { return }
        model = kind.1
        type = kind.1 == "Android" && Self.rest(of: agent, after: "Mobile") == nil ? "tablet" : kind.2
        osVersion = Self.version(
            after: ["CPU iPhone OS ", "CPU OS ", "Android ", "Mac OS X ", "Windows NT "], in: agent)
    }

    /// Compares bytes, because each request comes here. `nil`: the agent does not contain the marker.
    private static func rest(of agent: String, after marker: String) -> Substring? {
        let bytes = agent.utf8
        let start = bytes.indices.first { bytes[$0...].starts(with: marker.utf8) }
        return start.map { agent[bytes.index($0, offsetBy: marker.utf8.count)...] }
    }

    private static func version(after markers: [String], in agent: String) -> String {
        for marker in markers {
            guard let rest = rest(of: agent, after: marker) else { continue }
            let digits = rest.prefix { $0.isNumber || $0 == "." || $0 == "_" }
            return String(digits.prefix(16).map { $0 == "_" ? "." : $0 })
        }
        return ""
    }

    /// The platform of an app, as hooks receive it: `ios`, `macos`, `android`, `linux`, `windows` or `unknown`.
    var platform: String {
        let system = osVersion.lowercased()
        let known = [
            ("ios", "ios"), ("ipados", "ios"), ("tvos", "ios"), ("watchos", "ios"), ("visionos", "ios"),
            ("macos", "macos"), ("android", "android"), ("linux", "linux"), ("windows", "windows"),
        ]
        return known.first { system.hasPrefix($0.0) }?.1 ?? (model == "Linux" ? "linux" : "unknown")
    }
}
