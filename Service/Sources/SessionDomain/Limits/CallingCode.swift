/// Country calling codes (ITU-T E.164 §6.2.1).
enum CallingCode {
    private static let oneDigit: Set<Substring> = ["1", "7"]
    private static let twoDigits: Set<Substring> = [
        "20", "27", "30", "31", "32", "33", "34", "36", "39", "40", "41", "43", "44", "45", "46", "47", "48", "49",
        "51",
        "52", "53", "54", "55", "56", "57", "58", "60", "61", "62", "63", "64", "65", "66", "81", "82", "84", "86",
        "90",
        "91", "92", "93", "94", "95", "98",
    ]

    /// Countries whose numbers begin with 0 also when they are called from abroad.
    private static let withLeadingZero: Set<Substring> = ["39", "225", "229", "241", "242", "247", "378"]

    /// Whether 0 behind this code, such as `+49`, is dialled inside the country only (ITU-T E.123 §7.3).
    static func hasTrunkZero(_ code: String) -> Bool {
        of(code + "0000") == code && !withLeadingZero.contains(code.dropFirst())
    }

    /// The calling code of a number in E.164 form, such as `+33`. All other codes have three digits.
    static func of(_ number: String) -> String {
        let digits = number.dropFirst()
        let length =
            if oneDigit.contains(digits.prefix(1)) { 1 } else if twoDigits.contains(digits.prefix(2)) { 2 } else { 3 }
        return "+" + digits.prefix(length)
    }

    /// The range that a number in E.164 form belongs to: the calling code and three more digits, such as `+33612`. Operators
    /// get their numbers in such ranges, so a fraud that one operator pays for stays in few of them.
    static func range(of number: String) -> String { String(number.prefix(of(number).count + 3)) }
}
