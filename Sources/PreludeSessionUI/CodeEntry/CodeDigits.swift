/// Reads the digits of a code from what a user types or pastes.
enum CodeDigits {
    /// The decimal digits of a text as ASCII, from any script: `１２３ - ٤٥٦` is `123456`. Everything else is dropped.
    ///
    /// - Parameter length: The number of digits to keep.
    static func read(_ text: String, length: Int) -> String {
        let digits = text.unicodeScalars.lazy.compactMap { scalar -> String? in
            guard scalar.properties.generalCategory == .decimalNumber else { return nil }
            return scalar.properties.numericValue.map { String(Int($0)) }
        }
        return digits.prefix(length).joined()
    }
}
