internal import Foundation

/// Links in texts of operators that messages to users contain: templates, the name of the app, senders.
///
/// Users learn from links in such messages to follow those of a thief. So no message has one.
enum LinkedName {
    /// Why a text must not be in a message. `nil`: it has no link.
    static func problem(in text: String) -> String? {
        let lower = readable(text).lowercased()
        let hasScheme = ["mailto:", "tel:", "sms:", "localhost:"].contains { scheme in
            // A hotel is none.
            lower.components(separatedBy: scheme).dropLast().contains {
                $0.unicodeScalars.last?.properties.isAlphabetic != true
            }
        }
        guard !hasScheme, !["://", "www.", "]/", "=?"].contains(where: lower.contains) else {
            return "must not contain links"
        }
        return first(in: text).map {
            "must not contain \($0): mail programs and phones make a link of it. Write it without the full stop, or with a "
                + "space behind it"
        }
    }

    /// Why a text must not be the sender of messages. `nil`: it may. The address of a mail is none of its text.
    static func problem(inSender sender: String, isMail: Bool) -> String? {
        guard isMail, let address = MailAddress(sender) else { return problem(in: sender) }
        return address.name.flatMap(problem)
    }

    /// A text of an earlier version, as messages show it: without the characters that make a link of it.
    static func removed(from text: String) -> String {
        guard problem(in: text) != nil else { return text }
        return readable(text).unicodeScalars.split { ".:/?".unicodeScalars.contains($0) }.map { String($0) }
            .joined(separator: " ")
    }

    /// A sender of an earlier version, as messages show it.
    static func removed(fromSender sender: String, isMail: Bool) -> String {
        guard isMail, let address = MailAddress(sender) else { return removed(from: sender) }
        return address.name.map { "\(removed(from: $0)) <\(address.address)>" } ?? sender
    }

    /// Returns the first part that is shown as a link although it has no scheme: `example.com`.
    ///
    /// The last label has two letters or more, or is encoded. So "e.g." and "9.30" are none. Four numbers are an address.
    static func first(in text: String) -> String? {
        words(of: readable(text)).first { word in
            let labels = word.split(separator: ".", omittingEmptySubsequences: false)
            if labels.count == 4, labels.allSatisfy({ UInt8($0) != nil }) { return true }
            return zip(labels, labels.dropFirst()).contains { host, domain in
                // One letter is a host before the last label only: "p.ej." is none.
                guard host.unicodeScalars.count >= 2 || !host.isEmpty && domain.endIndex == word.endIndex else {
                    return false
                }
                return domain.lowercased().hasPrefix("xn--")
                    || domain.unicodeScalars.count >= 2
                        && domain.unicodeScalars.allSatisfy(\.properties.isAlphabetic)
            }
        }.map(String.init)
    }

    /// A text as programs read it that look for links: full-width letters as others, without invisible characters. The full
    /// stop of Chinese and Japanese is one of a host only between ASCII letters and digits.
    private static func readable(_ text: String) -> String {
        let scalars = Array(text.precomposedStringWithCompatibilityMapping.unicodeScalars)
            .filter { !$0.properties.isDefaultIgnorableCodePoint }
        func isOfHost(_ index: Int) -> Bool {
            guard scalars.indices.contains(index), scalars[index].isASCII else { return false }
            return scalars[index].properties.isAlphabetic || scalars[index].properties.numericType != nil
        }
        var plain = String.UnicodeScalarView()
        for (index, scalar) in scalars.enumerated() {
            let isStop = scalar == "\u{3002}" && isOfHost(index - 1) && isOfHost(index + 1)
            plain.append(isStop ? "." : scalar)
        }
        return String(plain).precomposedStringWithCompatibilityMapping
    }

    /// The parts between all characters that a host name cannot have. A placeholder belongs to its word.
    private static func words(of text: String) -> [Substring] {
        text.split { character in
            !character.unicodeScalars.allSatisfy { scalar in
                scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                    || ".-_{}".unicodeScalars.contains(scalar)
            }
        }
    }
}
