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
