internal import Foundation
internal import SessionDomain

/// Says which addresses may be connected to. What it has not judged is never connected to.
struct AddressPolicy: Sendable {
    let allowedNetworks: [IPNetwork]

    /// The first address that is public or explicitly allowed.
    func firstAcceptable(_ addresses: [String], of host: String) throws(EgressError) -> String {
        guard let first = addresses.first else { throw .cannotResolve("\(host) has no address.") }
        if let acceptable = addresses.first(where: { objection(to: $0) == nil }) { return acceptable }
        throw .refusedAddress(
            "\(host) leads to \(first), which is \(objection(to: first) ?? "refused"). "
                + "Only networks that the configuration allows may be called besides public ones.")
    }

    /// Why an address must not be connected to; `nil` when it may.
    func objection(to address: String) -> String? {
        guard IPNetwork.isAddress(address) else { return "not an address" }
        if allowedNetworks.contains(where: { $0.contains(address) }) { return nil }
        // Behind a translator it is the embedded address that is reached (RFC 6052 §2.1).
        return Self.purpose(of: Self.embeddedIPv4(in: address) ?? address)
    }

    private static func purpose(of address: String) -> String? {
        SpecialNetwork.all.first { $0.network.contains(address) }?.purpose
    }

    private static let translated = IPNetwork("64:ff9b::/96")

    private static func embeddedIPv4(in address: String) -> String? {
        guard let translated, translated.contains(address) else { return nil }
        var six = in6_addr()
        guard inet_pton(AF_INET6, address, &six) == 1 else { return nil }
        return withUnsafeBytes(of: &six) { $0.suffix(4).map(String.init).joined(separator: ".") }
    }
}
