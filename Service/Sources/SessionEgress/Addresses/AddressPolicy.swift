internal import SessionDomain

/// Decides which addresses may be connected to.
struct AddressPolicy: Sendable {
    let allowedNetworks: [IPNetwork]

    /// Returns the first address that is public or explicitly allowed.
    ///
    /// - Throws: `.cannotResolve` when there is no address, `.refusedAddress` when none is allowed.
    func firstAllowed(_ addresses: [String], of host: String) throws(EgressError) -> String {
        guard let first = addresses.first else { throw .cannotResolve("\(host) has no address.") }
        if let allowed = addresses.first(where: { rejectionReason(for: $0) == nil }) { return allowed }
        throw .refusedAddress(
            "\(host) resolves to \(first), which is \(rejectionReason(for: first) ?? "rejected"). "
                + "Only public addresses and the networks that the configuration allows may be called.")
    }

    /// Returns why an address must not be connected to, or `nil` if it may be.
    func rejectionReason(for address: String) -> String? {
        guard let address = IPNetwork.bytes(of: address) else { return "not an address" }
        if allowedNetworks.contains(where: { $0.contains(address) }) { return nil }
        // A translator forwards to the embedded address (RFC 6052 §2.1).
        return Self.purpose(of: Self.isTranslated(address) ? Array(address.suffix(4)) : address)
    }

    private static func purpose(of address: [UInt8]) -> String? {
        SpecialNetwork.all.first { $0.network.contains(address) }?.purpose
    }

    private static let translated = IPNetwork("64:ff9b::/96")

    private static func isTranslated(_ address: [UInt8]) -> Bool { translated?.contains(address) ?? false }
}
