extension CopyLines {
    /// Passes the values of each row, without escapes. NULL is `nil`.
    ///
    /// - Throws: `StoreError.unavailable` for bytes in another format, and what `receive` throws.
    package func forEachRow(_ receive: ([[UInt8]?]) throws -> Void) throws {
        var (row, value): ([[UInt8]?], [UInt8]) = ([], [])
        var isNull = false
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\t"), UInt8(ascii: "\n"):
                row.append(isNull ? nil : value)
                (value, isNull) = ([], false)
                if byte == UInt8(ascii: "\n") {
                    try receive(row)
                    row = []
                }
            case UInt8(ascii: "\\"):
                guard index < bytes.endIndex else { throw Self.unreadable }
                if bytes[index] == UInt8(ascii: "N") {
                    isNull = true
                } else {
                    guard let character = Self.characters[bytes[index]] else { throw Self.unreadable }
                    value.append(character)
                }
                index += 1
            default: value.append(byte)
            }
        }
        guard row.isEmpty, value.isEmpty, !isNull else { throw Self.unreadable }
    }

    /// What the letter after a backslash stands for.
    private static let characters: [UInt8: UInt8] = [
        UInt8(ascii: "b"): 8, UInt8(ascii: "f"): 12, UInt8(ascii: "n"): 10, UInt8(ascii: "r"): 13, UInt8(ascii: "t"): 9,
        UInt8(ascii: "v"): 11, UInt8(ascii: "\\"): UInt8(ascii: "\\"),
    ]

    private static var unreadable: StoreError { .unavailable("a copied row cannot be read") }
}
