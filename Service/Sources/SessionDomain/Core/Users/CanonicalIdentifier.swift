internal import Foundation

/// The kinds of identifiers. The raw values are those of the wire.
package enum IdentifierType: String, Sendable, Codable, CaseIterable {
    case phoneNumber = "phone_number"
    case emailAddress = "email_address"
}

/// An identifier in its canonical form, in which it is compared, limited and stored, with the form that was typed.
package struct CanonicalIdentifier: Sendable, Hashable, Codable {
    package let type: IdentifierType
    /// E.164 for a phone number; trimmed, NFC and lower case for an e-mail address, with the ASCII form of its domain.
    package let canonical: String
    /// As typed, trimmed, with the form of the domain that people read. Messages are sent to it, and it is shown.
    package let value: String

    /// `type:canonical`, unique within an app.
    package var key: String { type.rawValue + ":" + canonical }

    package static func == (left: CanonicalIdentifier, right: CanonicalIdentifier) -> Bool {
        left.type == right.type && left.canonical == right.canonical
    }

    /// Whether both are equal and were typed alike. A code proves only the address that it was sent to, letter by letter.
    package func isStored(as other: CanonicalIdentifier) -> Bool {
        self == other && value.unicodeScalars.elementsEqual(other.value.unicodeScalars)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        hasher.combine(canonical)
    }

    /// Restores a stored identifier.
    package init(type: IdentifierType, canonical: String, value: String) {
        self.type = type
        self.canonical = canonical
        self.value = value
    }

    /// Canonicalizes a typed identifier.
    ///
    /// - Parameter isSearched: Whether it is only searched for. Earlier versions stored addresses with characters that can
    ///   be read as ASCII, and such that mail servers reject. These can still be found and removed, but no longer added.
    package init(
        type: String, value: String, field: String = "identifier", isSearched: Bool = false
    ) throws(Refusal) {
        guard let type = IdentifierType(rawValue: type) else {
            throw .invalidField("\(field).type", "must be phone_number or email_address")
        }
        switch type {
        case .phoneNumber: self = try Self.phoneNumber(value, field: field)
        case .emailAddress: self = try Self.emailAddress(value, field: field, isSearched: isSearched)
        }
    }

    /// Canonicalizes what an operator has typed in one field: a text with `@` is an e-mail address, any other one is a
    /// phone number.
    ///
    /// - Parameter isSearched: As above.
    /// - Throws: `Refusal.invalidField` with the name of the field, also for what is no identifier.
    package init(typed value: String, ofField field: String, isSearched: Bool = false) throws(Refusal) {
        try self.init(value.contains("@") ? .emailAddress : .phoneNumber, value, ofField: field, isSearched: isSearched)
    }

    /// Canonicalizes a field of a form.
    ///
    /// - Throws: `Refusal.invalidField` with the name of the field, also for what is no identifier.
    package init(
        _ type: IdentifierType, _ value: String, ofField field: String, isSearched: Bool = false
    ) throws(Refusal) {
        do {
            try self.init(type: type.rawValue, value: value, field: field, isSearched: isSearched)
        } catch {
            guard case .invalidIdentifier(let message) = error else { throw error }
            throw .invalidField(field, String(message.dropFirst(field.count + 1)))
        }
    }

    /// E.164: a plus and 7 to 15 digits, the first not 0. Common separators are removed, and so is the trunk prefix that
    /// people write behind the calling code, `+49 (0) 170 …`: it is dialled inside the country only (ITU-T E.123 §7.3).
    private static func phoneNumber(_ text: String, field: String) throws(Refusal) -> CanonicalIdentifier {
        // The length is checked first: a stranger can send 64 KiB.
        let bounded = text.utf8.count <= 64 ? text : ""
        let compact = bounded.unicodeScalars.filter { !" -.\u{A0}".unicodeScalars.contains($0) }
        let number = Self.withoutTrunkPrefix(String(String.UnicodeScalarView(compact)))
            .filter { $0 != "(" && $0 != ")" }
        let digits = number.utf8.dropFirst()
        guard number.utf8.first == UInt8(ascii: "+"), (7...15).contains(digits.count),
            digits.allSatisfy({ (0x30...0x39).contains($0) }), digits.first != UInt8(ascii: "0")
        else { throw .invalidIdentifier("\(field) is not a phone number in E.164 form, such as +14155551234") }
        return CanonicalIdentifier(type: .phoneNumber, canonical: number, value: number)
    }

    /// Removes `(0)` behind the calling code of a country, from a number without other separators than parentheses.
    private static func withoutTrunkPrefix(_ number: String) -> String {
        guard let prefix = number.range(of: "(0)") else { return number }
        let code = number[..<prefix.lowerBound].filter { $0 != "(" && $0 != ")" }
        return CallingCode.hasTrunkZero(code) ? code + number[prefix.upperBound...] : number
    }

    private static func emailAddress(
        _ text: String, field: String, isSearched: Bool
    ) throws(Refusal) -> CanonicalIdentifier {
        let typed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        // The length is checked before the text is composed: a stranger can send 64 KiB.
        guard isEmailAddress(typed), isSearched || isDeliverable(typed) else {
            throw .invalidIdentifier("\(field) is not an e-mail address")
        }
        let composed = typed.precomposedStringWithCanonicalMapping
        // Composition can make a character that is rejected, so both forms are checked.
        if !isSearched,
            let scalar = (typed.unicodeScalars + composed.unicodeScalars).first(where: \.resemblesASCII)
        {
            let number = String(scalar.value, radix: 16, uppercase: true)
            throw .invalidIdentifier("\(field) contains U+\(number), which can be read as an ASCII character")
        }
        let lowered = composed.lowercased().precomposedStringWithCanonicalMapping
        let canonical = withASCIIDomain(lowered) ?? (isSearched ? lowered : "")
        // Some letters take more bytes in lower case, and domains in ASCII. The limits apply to the stored form as well.
        guard isEmailAddress(canonical) else { throw .invalidIdentifier("\(field) is not an e-mail address") }
        return CanonicalIdentifier(type: .emailAddress, canonical: canonical, value: withReadableDomain(typed))
    }

    /// An address in lower case with the ASCII form of its domain. `nil` for a domain that has none, or that could be read
    /// as ASCII: the form of `ｅｘａｍｐｌｅ.com` is `example.com`, which is another domain.
    ///
    /// Earlier versions stored the domain as it was typed, so the stores convert theirs once.
    package static func withASCIIDomain(_ address: String) -> String? {
        withDomain(address) { typed in
            typed.unicodeScalars.contains(where: \.resemblesASCII) ? nil : MailDomain.ascii(typed)
        }
    }

    private static func withReadableDomain(_ address: String) -> String {
        withDomain(address, MailDomain.shown) ?? address
    }

    private static func withDomain(_ address: String, _ form: (_ typed: String) -> String?) -> String? {
        guard let at = address.unicodeScalars.lastIndex(of: "@"),
            let domain = form(String(address[address.unicodeScalars.index(after: at)...]))
        else { return nil }
        return address[...at] + domain
    }

    /// One `@` with something before it and a domain with a dot after it; at most 254 bytes (RFC 5321 §4.5.3.1.3).
    private static func isEmailAddress(_ text: String) -> Bool {
        guard text.utf8.count <= 254, text.unicodeScalars.allSatisfy(isAddressScalar) else { return false }
        // By scalar: a character can be a separator with a combining mark, which other software takes for a separator.
        let parts = text.unicodeScalars.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, isLocalPart(parts[0]) else { return false }
        let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        return labels.count >= 2 && labels.allSatisfy(isLabel)
    }

    /// Whether mail servers accept the form: no dot at the begin or the end of the local part, and not two in a row; and a
    /// top-level domain that is not a number (RFC 5321 §4.1.2, RFC 3696 §2). Earlier versions accepted both.
    private static func isDeliverable(_ text: String) -> Bool {
        guard let at = text.unicodeScalars.lastIndex(of: "@") else { return false }
        let local = text.unicodeScalars[..<at].split(separator: ".", omittingEmptySubsequences: false)
        let topLevel = text.unicodeScalars[at...].reversed().prefix { $0 != "." }
        return local.allSatisfy { !$0.isEmpty } && !topLevel.allSatisfy { ("0"..."9").contains($0) }
    }

    private static func isLocalPart(_ part: Substring.UnicodeScalarView) -> Bool {
        (1...64).contains(Substring(part).utf8.count)
            && part.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { $0.first?.isMark != true }
    }

    /// A label of a domain: letters and digits of any language, and hyphens between them (RFC 5890 §2.3.2.3).
    private static func isLabel(_ label: Substring.UnicodeScalarView) -> Bool {
        guard (1...63).contains(Substring(label).utf8.count), label.first != "-", label.last != "-",
            label.first?.isMark == false
        else { return false }
        return !label.contains {
            "!#$%&'*+/=?^`{|}~".unicodeScalars.contains($0) || $0.properties.generalCategory == .enclosingMark
        }
    }

    private static func isAddressScalar(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .spaceSeparator:
            false
        default: !"<>()[],;:\\\"".unicodeScalars.contains(scalar)
        }
    }
}

extension Unicode.Scalar {
    /// Whether the scalar changes the character before it, such as an accent.
    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .spacingMark: true
        default: false
        }
    }
}

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

extension CanonicalIdentifier {
    /// The identifier as events show it: enough to recognize one's own, too little to contact a stranger.
    ///
    /// Of an e-mail address the first character and the domain are shown, `m***@example.com`; of a phone number the first
    /// two and the last two digits, `+33•••••89`. An identifier that no user has is masked in the same way.
    package var masked: String {
        switch type {
        case .emailAddress:
            let parts = canonical.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let first = parts[0].first else { return "***" }
            // The number of stars says nothing about the length. One character alone would be the whole name.
            let domain = MailDomain.readable(String(parts[1])) ?? String(parts[1])
            return (parts[0].count > 1 ? String(first) : "") + "***@" + domain
        case .phoneNumber:
            guard canonical.count >= 8 else { return "+•••" }
            return canonical.prefix(3) + String(repeating: "•", count: canonical.count - 5) + canonical.suffix(2)
        }
    }
}

extension CanonicalIdentifier {
    /// What the place of a forgotten identifier begins with. Of a phone number, the calling code stays: the limits of a
    /// verification depend on it.
    package var pseudonymPrefix: String {
        switch type {
        case .emailAddress: "deleted@"
        case .phoneNumber: CallingCode.of(canonical) + "/"
        }
    }

    /// Whether a phone number begins with a prefix. A forgotten one has only its calling code: it may have begun with each
    /// prefix of the country, and was checked before it was forgotten.
    func mayBegin(with prefix: String) -> Bool {
        guard let end = canonical.firstIndex(of: "/") else { return canonical.hasPrefix(prefix) }
        let code = canonical[..<end]
        return code.hasPrefix(prefix) || prefix.hasPrefix(code)
    }
}

/// The two forms of an international domain (UTS #46, as Foundation reads URLs): one for machines, one for people.
package enum MailDomain {
    /// Returns the ASCII form of a domain: `xn--bcher-kva.de` for `bücher.de` (RFC 5891 §4). `nil` for text that is no name.
    package static func ascii(_ domain: String) -> String? {
        guard domain.utf8.contains(where: { $0 >= 0x80 }) else { return domain.isEmpty ? nil : domain.lowercased() }
        guard #available(macOS 13, iOS 16, tvOS 16, watchOS 9, *),
            let ascii = URLComponents(string: "https://\(domain)")?.encodedHost
        else { return nil }
        return ascii.utf8.allSatisfy { $0 < 0x80 && $0 != UInt8(ascii: "%") } ? ascii.lowercased() : nil
    }

    /// Returns the form that people read: `bücher.de` for `xn--bcher-kva.de`. `nil` for a domain that has no other form, or
    /// whose other form has another ASCII form or could be read as another domain.
    package static func readable(_ domain: String) -> String? {
        let lowered = domain.lowercased()
        guard lowered.hasPrefix("xn--") || lowered.contains(".xn--"),
            let host = URLComponents(string: "https://\(lowered)")?.host, host != lowered, ascii(host) == lowered,
            !host.unicodeScalars.contains(where: \.resemblesASCII), hasClearLabels(host)
        else { return nil }
        return host
    }

    /// Returns the form in which a typed domain is shown: as typed, unless it is in `xn--` form, or its letters could be read
    /// as those of another domain. Then it is the readable or the ASCII form.
    static func shown(_ typed: String) -> String {
        guard typed.utf8.contains(where: { $0 >= 0x80 }) else { return readable(typed) ?? typed }
        guard let ascii = ascii(typed), readable(ascii) == nil else { return typed }
        return ascii
    }

    /// Whether the letters of each label are of one script, or of those that are written together in East Asia, also with
    /// Latin (UTS #39 §5.2, "highly restrictive"), and no label looks wholly Latin without being so.
    ///
    /// The last label may look so: top-level domains are assigned with care.
    private static func hasClearLabels(_ domain: String) -> Bool {
        let labels = domain.split(separator: ".")
        return labels.indices.allSatisfy { index in
            let label = String(labels[index])
            guard label.utf8.contains(where: { $0 >= 0x80 }) else { return true }
            let isLast = index == labels.indices.last
            return consists(label, of: scripts) && (isLast || !consists(label, of: lookalikes))
        }
    }

    private static func consists(_ label: String, of sets: NSRegularExpression?) -> Bool {
        sets?.firstMatch(in: label, range: NSRange(label.startIndex..., in: label)) != nil
    }

    /// Matches a text whose characters are all of one of these sets, or digits and hyphens.
    private static func expression(_ sets: [String]) -> NSRegularExpression? {
        let words = sets.map { "[0-9\\-\($0)]+" }
        return try? NSRegularExpression(pattern: "\\A(?:\(words.joined(separator: "|")))\\z")
    }

    /// One script, of those in common use (UAX #31, table 5).
    private static let scripts: NSRegularExpression? = {
        let together = [
            ["Latn"], ["Latn", "Hani", "Hira", "Kana"], ["Latn", "Hani", "Bopo"], ["Latn", "Hani", "Hang"],
        ]
        let alone = [
            "Arab", "Armn", "Beng", "Cyrl", "Deva", "Ethi", "Geor", "Grek", "Gujr", "Guru", "Hebr", "Khmr", "Knda",
            "Laoo", "Mlym", "Mymr", "Orya", "Sinh", "Taml", "Telu", "Thaa", "Thai", "Tibt",
        ]
        return expression((together + alone.map { [$0] }).map { names in names.map { "\\p{scx=\($0)}" }.joined() })
    }()

    /// Letters of Cyrillic, Greek and Armenian that look like Latin ones (UTS #39 §4, whole-script confusables).
    private static let lookalikes = expression(["асԁегһіјӏопрԛѕуѵԝѡхь", "αγινορσυ", "գզհյոսցօ"])
}
