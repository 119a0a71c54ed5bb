/// Draws the values of a line into a picture of fixed size, which the page stretches.
enum GraphPath {
    static let height = 100

    /// The commands of an SVG path: one step to the right for each value, and a gap where there is none.
    ///
    /// - Parameter top: The value at the upper edge.
    static func commands(_ values: [Double?], top: Double) -> String {
        let heights = values.map { value in value.map { Int((Double(height * 10) * (1 - $0 / top)).rounded()) } }
        var text = ""
        for (x, y) in heights.enumerated() {
            guard let y else { continue }
            let before = x == 0 ? nil : heights[x - 1]
            let after = x + 1 == heights.count ? nil : heights[x + 1]
            if before == nil {
                text += "M\(x) \(tenths(y))"
                // A line without length is a dot.
                if after == nil { text += "h0" }
            } else if before != y || after != y {
                text += "L\(x) \(tenths(y))"
            }
        }
        return text
    }

    private static func tenths(_ value: Int) -> String {
        value % 10 == 0 ? "\(value / 10)" : "\(value / 10).\(value % 10)"
    }
}
