internal import Foundation

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
