/// Links in texts of operators that messages to users contain: templates, the name of the app, senders.
///
/// Users learn from links in such messages to follow those of a thief. So no message has one.
enum LinkedName {
    /// Why a text must not be in a message. `nil`: it has no link.
    static func problem(in text: String) -> String? {
        let lower = text.lowercased()
        guard !["://", "www.", "mailto:", "tel:+"].contains(where: lower.contains) else {
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
        return text.unicodeScalars.split { ".:/".unicodeScalars.contains($0) }.map { String($0) }
            .joined(separator: " ")
    }

    /// A sender of an earlier version, as messages show it.
    static func removed(fromSender sender: String, isMail: Bool) -> String {
        guard isMail, let address = MailAddress(sender) else { return removed(from: sender) }
        return address.name.map { "\(removed(from: $0)) <\(address.address)>" } ?? sender
    }

    /// Returns the first part that is shown as a link although it has no scheme: `example.com`.
    ///
    /// The last label has two letters or more, and the one before it two characters or more. So "e.g." and "9.30" are none.
    static func first(in text: String) -> String? {
        words(of: text).first { word in
            let labels = word.split(separator: ".", omittingEmptySubsequences: false)
            return zip(labels, labels.dropFirst()).contains { host, domain in
                host.unicodeScalars.count >= 2 && domain.unicodeScalars.count >= 2
                    && domain.unicodeScalars.allSatisfy(\.properties.isAlphabetic)
            }
        }.map(String.init)
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
