/// The source address of a request, as the trusted edge reports it.
package struct SourceAddress: Sendable, Equatable {
    package let ip: String
    /// Whether no limit applies: in development mode, loopback is exempt.
    package let isExempt: Bool

    package init(ip: String, isExempt: Bool = false) {
        self.ip = ip
        self.isExempt = isExempt
    }

    /// The networks whose requests are counted for limits.
    ///
    /// An IPv4 address counts as itself, as does text that is no address. An IPv6 address counts with its /64 network,
    /// which is one customer, and with its /48 network, which is the most that one site usually gets (RFC 6177).
    var networks: [SourceNetwork] {
        guard let bytes = IPNetwork.bytes(of: ip) else { return [SourceNetwork(.text(ip))] }
        let prefix = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        guard bytes.count == 16 else { return [SourceNetwork(.address(UInt32(prefix)))] }
        return [
            SourceNetwork(.customer(prefix)),
            SourceNetwork(.site(prefix >> 16), widening: SourceNetwork.siteWidening),
        ]
    }
}

/// A network whose calls the store counts together.
package struct CountedNetwork: Sendable, Equatable {
    /// A keyed digest of the network, so that the database has no address.
    package let digest: String
    /// How many times the limit of an address the network gets.
    let widening: Int

    package init(digest: String, widening: Int = 1) {
        self.digest = digest
        self.widening = widening
    }
}

/// A network whose requests are counted together.
struct SourceNetwork: Sendable, Equatable {
    /// How many times the limit of a customer a site gets. A site can have 65 536 customers' networks; a mobile operator
    /// gives one to each phone.
    static let siteWidening = 16

    enum Key: Sendable, Hashable {
        /// An IPv4 address.
        case address(UInt32)
        /// The /64 network of an IPv6 address.
        case customer(UInt64)
        /// The /48 network of an IPv6 address.
        case site(UInt64)
        case text(String)
    }

    let key: Key
    let widening: Int

    init(_ key: Key, widening: Int = 1) {
        self.key = key
        self.widening = widening
    }

    /// The network as text that no other network has.
    var text: String {
        switch key {
        case .address(let number): "4/\(number)"
        case .customer(let number): "64/\(number)"
        case .site(let number): "48/\(number)"
        case .text(let text): "text/\(text)"
        }
    }
}

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
