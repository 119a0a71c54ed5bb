/// The names of credential spaces. Each space has its own records, locks and device key in a store.
enum CredentialSpace {
    private static let maximumLength = 64

    /// The end of the endpoint's name in stored names, such as `+work`. Empty without a space, so that records of
    /// earlier versions keep their names.
    ///
    /// `EndpointName` escapes `+` in hosts, so no other endpoint has the same names. Upper-case letters are rejected, because
    /// some file systems do not distinguish them.
    ///
    /// - Throws: `PreludeSessionError.invalidConfiguration` for an invalid name.
    static func suffix(_ name: String?) throws(PreludeSessionError) -> String {
        guard let name else { return "" }
        guard (1...maximumLength).contains(name.utf8.count), name.utf8.allSatisfy(isAllowed) else {
            throw .invalidConfiguration(
                "credentialSpace must have 1 to \(maximumLength) lower-case letters, digits, - and _")
        }
        return "+" + name
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
