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
