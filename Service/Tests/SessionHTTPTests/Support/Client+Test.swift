import HTTPTypes
import SessionDomain

@testable import SessionHTTP

extension Client {
    /// A client behind the proxies 10.0.0.0/8 and fd00::/8, or with a direct connection.
    static func test(
        _ headers: HTTPFields, authority: String? = "app.example", peer: String = "10.0.0.1",
        clientAddressHeader: HTTPField.Name? = nil, countryHeader: HTTPField.Name? = nil,
        exemptsLoopback: Bool = false
    ) throws(Refusal) -> Client {
        try Client(
            headers: headers, authority: authority, peerAddress: peer,
            options: EdgeOptions(
                trustedProxies: ["10.0.0.0/8", "fd00::/8"].compactMap { IPNetwork($0) },
                clientAddressHeader: clientAddressHeader, countryHeader: countryHeader,
                exemptsLoopback: exemptsLoopback))
    }
}
