internal import Foundation

/// A name that operators choose, such as that of an app or of a management key.
enum DisplayName {
    /// Returns the name without surrounding spaces.
    ///
    /// A name is shown in terminals, where control and formatting characters could change what is read around it.
    ///
    /// - Throws: `Refusal.invalidField` for an empty or too long name, and for one with such characters.
    static func checked(_ name: String) throws(Refusal) -> String {
        let name = name.trimmingCharacters(in: .whitespacesAndNewlines)
        guard (1...100).contains(name.unicodeScalars.count), !name.unicodeScalars.contains(where: isInvisible) else {
            throw .invalidField("name", "must have 1 to 100 characters, without control or formatting characters")
        }
        return name
    }

    /// Whether a text can be shown and entered on one line, and a form keeps it: without control and formatting characters, and
    /// without spaces at its ends.
    static func isOneLine(_ text: String) -> Bool {
        !text.unicodeScalars.contains(where: isInvisible)
            && text == text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: true
        default: false
        }
    }
}

/// Finds the known name that an unknown one was meant to be.
package enum SimilarName {
    private static let maximumLength = 64

    /// Returns the known name with the fewest edits, if these are few, or else the shortest one of which one begins the other:
    /// `user` is near to `user_id`.
    package static func of(_ unknown: String, in known: Set<String>) -> String? {
        let names = known.sorted()
        let nearest = names.map { ($0, distance(unknown, $0)) }.min { $0.1 < $1.1 }
        if let (name, edits) = nearest, edits <= max(2, name.count / 3), edits < name.count { return name }
        // Fewer characters begin too many names.
        return names.filter { min($0.utf8.count, unknown.utf8.count) >= 3 }
            .filter { $0.hasPrefix(unknown) || unknown.hasPrefix($0) }.min { $0.utf8.count < $1.utf8.count }
    }

    /// The number of Unicode scalars to insert, remove or replace to get from one name to another one. One character can be as
    /// long as a body.
    package static func distance(_ first: String, _ second: String) -> Int {
        let first = Array(first.unicodeScalars.prefix(maximumLength))
        let second = Array(second.unicodeScalars.prefix(maximumLength))
        var row = Array(0...second.count)
        for (index, scalar) in first.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for place in second.indices {
                let cost = min(row[place] + 1, row[place + 1] + 1, diagonal + (second[place] == scalar ? 0 : 1))
                (diagonal, row[place + 1]) = (row[place + 1], cost)
            }
        }
        return row[second.count]
    }
}

/// Names of JSON members in error messages.
package enum MemberName {
    /// Returns the name if it is short and plain, otherwise a placeholder.
    ///
    /// The caller chose the name, and it may contain a secret that belongs in a value.
    package static func shown(_ name: String) -> String { isPlain(name) ? name : "[?]" }

    /// Whether the name consists of 1 to 64 letters, digits and `. - _ : / $`.
    package static func isPlain(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
                    UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "$"):
                    true
                default: false
                }
            }
    }
}
