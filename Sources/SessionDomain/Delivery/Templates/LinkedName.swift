/// A part of a text that mail programs and phones show as a link, although it has no scheme: `example.com`.
enum LinkedName {
    /// Returns the first one.
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

    /// The parts between all characters that a host name cannot have. The braces of a placeholder belong to its word.
    private static func words(of text: String) -> [Substring] {
        text.split { character in
            !character.unicodeScalars.allSatisfy { scalar in
                scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || ".-{}".unicodeScalars.contains(scalar)
            }
        }
    }
}
