/// Finds the name that a misspelled one was meant to be.
enum NearestName {
    /// Returns the most similar name, or `nil` if none is similar: at most a third of the characters differ.
    static func of(_ name: String, in names: some Sequence<some StringProtocol>) -> String? {
        let written = name.lowercased()
        let nearest = names.map { (String($0), distance(written, $0.lowercased())) }
            .min { ($0.1, $0.0) < ($1.1, $1.0) }
        guard let (found, edits) = nearest, edits * 3 <= max(written.count, found.count) else { return nil }
        return found
    }

    /// The number of characters to insert, delete, replace or swap with their neighbour (optimal string alignment).
    static func distance(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first), Array(second))
        // Rows of the table of distances between prefixes: of two characters less, of one less, and the current one.
        var (beforePrevious, previous) = ([Int](), Array(0...second.count))
        for row in first.indices {
            var current = [row + 1]
            for column in second.indices {
                let replaced = previous[column] + (first[row] == second[column] ? 0 : 1)
                var best = min(replaced, previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
                    best = min(best, beforePrevious[column - 1] + 1)
                }
                current.append(best)
            }
            (beforePrevious, previous) = (previous, current)
        }
        return previous[second.count]
    }
}
