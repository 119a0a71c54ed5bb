internal import Foundation

extension Unicode.Scalar {
    /// Whether normalization or a change of case turns this scalar into text with an ASCII character in it, such as the
    /// Kelvin sign, `ſ`, `ı`, `ß`, ligatures, and full-width letters; or removes it.
    ///
    /// A mail system that normalizes more than this service would deliver to another mailbox than the one that is
    /// compared here. The stops that domain names read as a dot count as well (RFC 3490 §3.1).
    var resemblesASCII: Bool {
        if isASCII { return false }
        if properties.isDefaultIgnorableCodePoint || Self.ideographicStops.contains(self) { return true }
        // Most scalars have no other form. These two checks cost little.
        guard properties.changesWhenNFKCCaseFolded || properties.changesWhenCaseMapped else { return false }
        // The lower case of `ẞ` is `ß`, whose upper case is `SS`.
        let lower = properties.lowercaseMapping
        let cases = [lower, lower.uppercased(), properties.uppercaseMapping, properties.titlecaseMapping]
        return ([String(self)] + cases).contains { form in
            form.precomposedStringWithCompatibilityMapping.unicodeScalars.contains(where: \.isASCII)
        }
    }

    private static let ideographicStops: Set<Unicode.Scalar> = ["\u{3002}", "\u{FF61}"]
}
