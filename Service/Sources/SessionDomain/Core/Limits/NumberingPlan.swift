/// What the beginning of a phone number says (ITU-T E.164 and the national numbering plans).
enum NumberingPlan {
    /// The country of a number, ISO 3166-1 alpha-2. `nil` where several countries share the calling code, such as `+1`.
    static func country(of number: String) -> String? { countries[CallingCode.of(number).dropFirst()] }

    /// Whether numbers that begin so are of mobile phones only. `nil`: the beginning does not tell, or the plan is not here.
    static func isMobile(_ number: String) -> Bool? {
        let code = CallingCode.of(number)
        guard let prefixes = mobile[code.dropFirst()] else { return nil }
        return prefixes.contains { number.dropFirst(code.count).hasPrefix($0) }
    }

    /// The calling codes of one country each.
    private static let countries = table(
        """
        20EG 211SS 213DZ 216TN 218LY 220GM 221SN 222MR 223ML 224GN 225CI 226BF 227NE 228TG 229BJ 230MU 231LR 232SL 233GH
        234NG 235TD 236CF 237CM 238CV 239ST 240GQ 241GA 242CG 243CD 244AO 245GW 248SC 249SD 250RW 251ET 252SO 253DJ 254KE
        255TZ 256UG 257BI 258MZ 260ZM 261MG 263ZW 264NA 265MW 266LS 267BW 268SZ 269KM 27ZA 291ER 297AW 298FO 299GL 30GR
        31NL 32BE 33FR 34ES 350GI 351PT 352LU 353IE 354IS 355AL 356MT 357CY 359BG 36HU 370LT 371LV 372EE 373MD 374AM 375BY
        376AD 377MC 378SM 380UA 381RS 382ME 385HR 386SI 387BA 389MK 40RO 41CH 420CZ 421SK 423LI 43AT 45DK 46SE 48PL 49DE
        500FK 501BZ 502GT 503SV 504HN 505NI 506CR 507PA 508PM 509HT 51PE 52MX 53CU 54AR 55BR 56CL 57CO 58VE 591BO 592GY
        593EC 594GF 595PY 596MQ 597SR 598UY 60MY 62ID 63PH 64NZ 65SG 66TH 670TL 673BN 674NR 675PG 676TO 677SB 678VU 679FJ
        680PW 681WF 682CK 683NU 685WS 686KI 687NC 688TV 689PF 690TK 691FM 692MH 81JP 82KR 84VN 850KP 852HK 853MO 855KH
        856LA 86CN 880BD 886TW 90TR 91IN 92PK 93AF 94LK 95MM 960MV 961LB 962JO 963SY 964IQ 965KW 966SA 967YE 968OM 970PS
        971AE 972IL 973BH 974QA 975BT 976MN 977NP 98IR 992TJ 993TM 994AZ 995GE 996KG 998UZ
        """)

    /// The first digits of mobile numbers after the calling code, where all numbers that begin so are mobile.
    private static let mobile: [Substring: [String]] = [
        "20": ["10", "11", "12", "15"], "213": ["5", "6", "7"], "216": ["2", "4", "5", "9"], "221": ["7"],
        "233": ["2", "5"], "250": ["7"], "251": ["9"], "254": ["1", "7"], "255": ["6", "7"], "256": ["7"],
        "30": ["69"], "31": ["61", "62", "63", "64", "65", "68"], "32": ["45", "46", "47", "48", "49"],
        "33": ["6", "7"],
        "34": ["6", "71", "72", "73", "74"], "351": ["91", "92", "93", "96"], "352": ["6"],
        "359": ["87", "88", "89", "98"],
        "36": ["20", "30", "31", "50", "70"], "370": ["6"], "371": ["2"], "380": ["50", "63", "66", "67", "68", "9"],
        "381": ["6"], "385": ["9"], "40": ["7"], "41": ["75", "76", "77", "78", "79"],
        "46": ["70", "72", "73", "76", "79"],
        "48": ["45", "50", "51", "53", "57", "60", "66", "69", "72", "73", "78", "79", "88"], "57": ["3"], "593": ["9"],
        "60": ["1"], "63": ["9"], "64": ["21", "22", "27", "29"], "65": ["8", "9"], "66": ["8", "9"],
        "81": ["70", "90"],
        "82": ["10"], "84": ["3", "5", "8", "9"], "86": ["13", "15", "18", "19"], "880": ["1"],
        "886": ["90", "91", "92", "93", "95", "96", "97", "98"], "92": ["3"], "94": ["7"], "966": ["5"], "971": ["5"],
        "972": ["5"],
    ]

    private static func table(_ text: String) -> [Substring: String] {
        let pairs = text.split(whereSeparator: \.isWhitespace).map { entry in
            (entry.dropLast(2), String(entry.suffix(2)))
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }
}

/// Ranges of phone numbers in the order of their text.
enum NumberRanges {
    /// The digits of the shortest number that `CanonicalIdentifier` accepts.
    private static let leastDigits = 7

    /// The numbers that begin with an old prefix and with none of the new ones. No prefix stands for all numbers.
    ///
    /// - Parameters:
    ///   - old: Prefixes of digits after a `+`, the first not 0.
    ///   - new: As `old`.
    static func closed(from old: [String], to new: [String]) -> [Range<String>] {
        let longer = old.filter { prefix in old.contains { $0 != prefix && prefix.hasPrefix($0) } }
        let open = old.isEmpty ? [all] : Set(old).subtracting(longer).sorted().map(range)
        let left = (new.isEmpty ? [all] : new.map(range)).reduce(open) { left, kept in
            left.flatMap { subtract(kept, from: $0) }
        }
        return left.compactMap(shortened)
    }

    /// No number begins with 0.
    private static let all = "+1"..<"+:"

    /// The numbers that begin with a prefix. In ASCII, a colon follows the digits.
    private static func range(_ prefix: String) -> Range<String> { prefix..<prefix + ":" }

    /// What is before a range, and what is after it.
    private static func subtract(_ kept: Range<String>, from range: Range<String>) -> [Range<String>] {
        let before = (range.lowerBound, min(range.upperBound, kept.lowerBound))
        let after = (max(range.lowerBound, kept.upperBound), range.upperBound)
        return [before, after].filter { $0.0 < $0.1 }.map { $0.0..<$0.1 }
    }

    /// The same numbers, from a first text of digits on. `nil` if there are none: `+10` to `+19` together leave nothing of `+1`.
    private static func shortened(_ range: Range<String>) -> Range<String>? {
        var first = range.lowerBound
        if first.last == ":" {
            // The next text of digits has one more in its last place: 2 after 19.
            first.removeLast()
            while first.last == "9" { first.removeLast() }
            guard let digit = first.last?.wholeNumberValue else { return nil }
            first = first.dropLast() + String(digit + 1)
        }
        let end = range.upperBound
        guard first < end else { return nil }
        // Between a text and the same with more zeros, there are only shorter ones with zeros.
        let isTooShort =
            end.utf8.count <= leastDigits + 1 && end.hasPrefix(first)
            && end.dropFirst(first.count).allSatisfy { $0 == "0" }
        return isTooShort ? nil : first..<end
    }
}

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
