/// What is known about the client of a request, for hooks and claims. Unknown values are empty.
package struct ClientFacts: Sendable, Equatable {
    package var ip: String
    package var userAgent: String
    /// `ios`, `macos`, `android`, `linux`, `windows`, `web` or `unknown`.
    package var platform: String
    /// ISO 3166-1 alpha-2.
    package var countryCode: String
    /// Language tags in order of preference (RFC 5646).
    package var locales: [String]

    package init(
        ip: String = "", userAgent: String = "", platform: String = "unknown", countryCode: String = "",
        locales: [String] = []
    ) {
        self.ip = ip
        self.userAgent = userAgent
        self.platform = platform
        self.countryCode = countryCode
        self.locales = locales
    }
}
