/// Compares secrets in constant time: the time depends on their length only.
public enum ConstantTime {
    /// Whether both sequences hold the same bytes. Different lengths return `false` immediately.
    public static func equal(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for (one, other) in zip(left, right) { difference |= one ^ other }
        return difference == 0
    }

    /// Compares the UTF-8 forms of two strings.
    public static func equal(_ left: String, _ right: String) -> Bool {
        var (left, right) = (left, right)
        // Views of strings would compute an index for each byte.
        return left.withUTF8 { left in right.withUTF8 { right in equal(left, right) } }
    }
}
