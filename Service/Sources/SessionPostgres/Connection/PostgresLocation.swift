internal import CPostgres
internal import Foundation
package import SessionDomain
internal import SessionSQL

/// A server, as a connection URI of libpq names it (PostgreSQL documentation, 34.1.1.2), with safe defaults.
///
/// libpq also reads the password from the file `passfile` (`PGPASSFILE`, `~/.pgpass`) and from `PGPASSWORD`.
package struct PostgresLocation: Sendable, Equatable, CustomStringConvertible {
    /// The name of the credential of systemd that has the format of `.pgpass`.
    private static let credentialName = "prelude-session-pgpass"

    /// Parameters of libpq.
    let parameters: [String: String]

    /// - Parameters:
    ///   - uri: `postgresql://USER@HOST:PORT/DATABASE?PARAMETER=VALUE`. Several hosts are separated by commas.
    ///   - environment: Environment variables of the process.
    /// - Throws: `StoreError.unavailable` if libpq is missing or cannot read the URI. The reason contains no password.
    package init(
        _ uri: String, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(StoreError) {
        if let reason = pq_load() {
            throw .unavailable("needs libpq, which cannot be loaded: \(String(cString: reason))")
        }
        var parameters = try Self.parse(uri)
        for (name, words) in Self.words {
            guard let value = parameters[name], !words.contains(value) else { continue }
            throw .unavailable("\(name) must be \(words.joined(separator: ", "))")
        }
        for name in Self.numbers {
            guard let value = parameters[name], Int32(value) == nil else { continue }
            throw .unavailable("\(name) must be a whole number")
        }
        if let wanted = parameters["target_session_attrs"], !["read-write", "primary"].contains(wanted) {
            throw .unavailable("target_session_attrs must be read-write or primary: every call may write")
        }
        if parameters["sslmode"] == nil, environment["PGSSLMODE"] == nil {
            parameters["sslmode"] = Self.isLocal(parameters, environment) ? "prefer" : "verify-full"
        }
        if parameters["sslmode"] == "verify-full", parameters["sslrootcert"] == nil, environment["PGSSLROOTCERT"] == nil
        {
            parameters["sslrootcert"] = Self.systemCertificates
        }
        if parameters["passfile"] == nil, let directory = environment["CREDENTIALS_DIRECTORY"] {
            let path = directory + "/" + Self.credentialName
            if FileManager.default.fileExists(atPath: path) { parameters["passfile"] = path }
        }
        self.parameters = parameters
    }

    /// The values of parameters that libpq checks when it connects, which would seem to be a server that is away.
    private static let words = [
        "sslmode": ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"],
        "channel_binding": ["disable", "prefer", "require"], "gssencmode": ["disable", "prefer", "require"],
    ]
    private static let numbers = [
        "connect_timeout", "keepalives", "keepalives_idle", "keepalives_interval", "keepalives_count",
        "tcp_user_timeout",
    ]

    package var hasPassword: Bool { parameters["password"] != nil }

    /// Without the password.
    package var description: String {
        let user = parameters["user"].map { $0 + "@" } ?? ""
        let hosts = (parameters["host"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
        let ports = (parameters["port"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
        let places = hosts.enumerated().map { index, host in
            let port = ports.count == 1 ? ports[0] : index < ports.count ? ports[index] : ""
            return host + (port.isEmpty ? "" : ":\(port)")
        }
        return "postgresql://\(user)\(places.joined(separator: ","))/\(parameters["dbname"] ?? "")"
    }

    private init(parameters: [String: String]) { self.parameters = parameters }

    /// The same server with another password.
    package func with(password: String) -> PostgresLocation {
        PostgresLocation(parameters: parameters.merging(["password": password]) { $1 })
    }

    /// The parameters that have one value for each host.
    private static let ofHosts = ["host", "hostaddr", "port"]

    static func list(_ value: String) -> [Substring] {
        value.split(separator: ",", omittingEmptySubsequences: false)
    }

    /// How many servers the URL names.
    var hostCount: Int { Self.ofHosts.compactMap { parameters[$0].map { Self.list($0).count } }.max() ?? 1 }

    /// The same servers in another order.
    var withFirstHostLast: PostgresLocation {
        var parameters = parameters
        for name in Self.ofHosts {
            guard let value = parameters[name] else { continue }
            let values = Self.list(value)
            parameters[name] = (values.dropFirst() + values.prefix(1)).joined(separator: ",")
        }
        return PostgresLocation(parameters: parameters)
    }

    private static func parse(_ uri: String) throws(StoreError) -> [String: String] {
        var reason: UnsafeMutablePointer<CChar>?
        guard let options = pq_parse(uri, &reason) else {
            // libpq quotes the URI, which may have a password.
            if let reason { pq_free_memory(reason) }
            throw unreadable
        }
        defer { pq_free_options(options) }
        var parameters: [String: String] = [:]
        var index = 0
        while let name = options[index].keyword {
            if let value = options[index].value { parameters[String(cString: name)] = String(cString: value) }
            index += 1
        }
        guard hasOnlyItsParts(uri, port: parameters["port"]) else { throw unreadable }
        return parameters
    }

    private static let unreadable = StoreError.unavailable(
        "cannot be read: write postgresql://USER@HOST:PORT/DATABASE?PARAMETER=VALUE. In a name or a password, percent-encode "
            + "special characters, such as @ as %40 and / as %2F")

    /// Whether no part contains a piece of another one. libpq takes the start of a password with a slash for a port, and its
    /// end for the name of the database, and quotes them.
    private static func hasOnlyItsParts(_ uri: String, port: String?) -> Bool {
        let ports = (port ?? "").split(separator: ",")
        guard ports.allSatisfy({ UInt16($0) != nil }), let scheme = uri.range(of: "://") else { return false }
        let beforeParameters = uri[scheme.upperBound...].prefix { $0 != "?" }
        let authority = beforeParameters.prefix { $0 != "/" }
        return authority.filter { $0 == "@" }.count <= 1 && !beforeParameters[authority.endIndex...].contains("@")
    }

    /// The certificates that the system trusts. libpq before version 16 does not find them itself.
    private static let systemCertificates =
        ["/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/cert.pem", "/etc/pki/tls/certs/ca-bundle.crt"]
        .first { FileManager.default.fileExists(atPath: $0) } ?? "system"
}

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
