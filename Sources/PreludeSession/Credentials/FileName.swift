/// Names of files and folders for texts of any content.
enum FileName {
    /// The name of a record's or a lock's file. Different records have different files.
    ///
    /// Letters, digits, `.`, `-` and `+` stay, and `:` becomes `_`, as in earlier versions. Any other byte becomes `%` and two
    /// hexadecimal digits, also `_` itself. A dot at the start does, too, because temporary files start with one.
    static func record(_ name: String) -> String {
        name.utf8.enumerated().map { index, byte in
            switch byte {
            case UInt8(ascii: ".") where index == 0: escaped(byte)
            case UInt8(ascii: ":"): "_"
            case _ where isLetterOrDigit(byte) || ".-+".utf8.contains(byte): String(Unicode.Scalar(byte))
            default: escaped(byte)
            }
        }.joined()
    }

    /// The name of a folder for an app or a service. Apps with names of letters, digits, `.`, `-`, `_` and `+` have folders of
    /// their own.
    static func folder(_ name: String) -> String {
        let characters = name.unicodeScalars.map { scalar in
            scalar.isASCII && (isLetterOrDigit(UInt8(scalar.value)) || ".-_+".unicodeScalars.contains(scalar))
                ? Character(scalar) : "_"
        }
        return characters.first == "." ? "_" + String(characters.dropFirst()) : String(characters)
    }

    /// The byte as in RFC 3986 §2.1: `%` and two hexadecimal digits.
    static func escaped(_ byte: UInt8) -> String {
        "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }

    static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
