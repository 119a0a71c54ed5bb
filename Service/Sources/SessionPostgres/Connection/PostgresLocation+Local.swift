internal import Foundation

extension PostgresLocation {
    /// Whether nothing leaves this machine, also where the environment names the hosts (PostgreSQL documentation, 34.15).
    ///
    /// A service can name any host, and only libpq finds its file. So a service is never local.
    static func isLocal(_ parameters: [String: String], _ environment: [String: String]) -> Bool {
        guard parameters["service"] == nil, environment["PGSERVICE"] == nil else { return false }
        let hosts = list(parameters["host"] ?? environment["PGHOST"] ?? "")
        let addresses = list(parameters["hostaddr"] ?? environment["PGHOSTADDR"] ?? "")
        return (0..<max(hosts.count, addresses.count)).allSatisfy { index in
            // libpq does not look up the name of a host whose address it has.
            let address = index < addresses.count ? addresses[index] : ""
            return isLocal(address.isEmpty && index < hosts.count ? hosts[index] : address)
        }
    }

    /// - Parameter place: A name, an address, or the folder of a socket. Empty: the socket in the folder that libpq knows.
    private static func isLocal(_ place: Substring) -> Bool {
        place.isEmpty || place.hasPrefix("/") || place.hasPrefix("@") || place == "localhost"
            || isLoopback(String(place))
    }

    /// Whether a text is an address of 127.0.0.0/8, or ::1. A name such as `127.example.com` is not.
    private static func isLoopback(_ text: String) -> Bool {
        var (four, six) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, text, &four) == 1 { return UInt32(bigEndian: four.s_addr) >> 24 == 127 }
        guard inet_pton(AF_INET6, text, &six) == 1 else { return false }
        return withUnsafeBytes(of: six) { $0.elementsEqual(repeatElement(0, count: 15) + [1]) }
    }
}
