import SessionDomain

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
