internal import Foundation
internal import SessionDomain

/// Makes text of a server or gateway fit for events and logs: one short line, without secrets, the code and the recipient.
struct ReasonText: Sendable {
    static let maximumLength = 200
    static let hidden = "(hidden)"
    /// Of a longer secret, a text that begins with this number of its characters is hidden: replies are cut.
    private static let recognized = 24

    /// Texts that must not be shown.
    private let secrets: [String]
    private let code: String?

    /// - Parameter secrets: Texts that are hidden, in any case and also in base64, from their beginning on. Empty ones are
    ///   ignored.
    init(hiding secrets: [String], code: String?) {
        let plain = secrets.filter { !$0.isEmpty }
        self.secrets = plain + plain.map { Data($0.utf8).base64EncodedString() }
        self.code = code
    }

    func clean(_ text: String) -> String {
        var clean = text
        for secret in secrets where HiddenText.mayOccur(secret.prefix(Self.recognized).utf8, in: clean.utf8) {
            clean = clean.replacingOccurrences(of: secret, with: Self.hidden, options: .caseInsensitive)
            guard secret.count > Self.recognized else { continue }
            clean = clean.replacingOccurrences(
                of: NSRegularExpression.escapedPattern(for: String(secret.prefix(Self.recognized))) + #"[\w+/=.~-]*"#,
                with: Self.hidden, options: [.regularExpression, .caseInsensitive])
        }
        let scalars = withoutCode(clean).unicodeScalars.map {
            $0.properties.isNoncharacterCodePoint || isHidden($0) ? " " : $0
        }
        let words = String(String.UnicodeScalarView(scalars)).split(separator: " ").joined(separator: " ")
        return String(words.prefix(Self.maximumLength))
    }

    private func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// Hides the code, also if single characters separate its digits.
    private func withoutCode(_ text: String) -> String {
        guard let code, !code.isEmpty, HiddenText.mayOccur(spaced: code.utf8, in: text.utf8) else { return text }
        let digits = code.map { NSRegularExpression.escapedPattern(for: String($0)) }
        return text.replacingOccurrences(
            of: digits.joined(separator: "[^0-9A-Za-z]?"), with: Self.hidden, options: .regularExpression)
    }
}

/// Whether a text can contain what must be hidden, for the most frequent texts: short ids of messages in ASCII.
///
/// The searches of `ReasonText` are regular expressions of Foundation. They took half a million instructions for the id that
/// a gateway returns with each message.
enum HiddenText {
    /// Whether a text may contain the beginning of another one, in any case. `true` if one of them is not ASCII.
    static func mayOccur(_ beginning: Substring.UTF8View, in text: String.UTF8View) -> Bool {
        guard beginning.allSatisfy({ $0 < 0x80 }), text.allSatisfy({ $0 < 0x80 }) else { return true }
        let (sought, text) = (beginning.map(lowercased), text.map(lowercased))
        guard sought.count <= text.count else { return false }
        return (0...(text.count - sought.count)).contains { text[$0...].starts(with: sought) }
    }

    /// Whether a text may contain these digits, with at most one other character between two of them. `true` if they are not
    /// digits, or the text is not ASCII.
    static func mayOccur(spaced sought: String.UTF8View, in text: String.UTF8View) -> Bool {
        guard sought.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains), text.allSatisfy({ $0 < 0x80 })
        else { return true }
        let (sought, text) = (Array(sought), Array(text))
        return text.indices.contains { start in
            var place = start
            for (index, byte) in sought.enumerated() {
                if index > 0, place < text.count, text[place] != byte { place += 1 }
                guard place < text.count, text[place] == byte else { return false }
                place += 1
            }
            return true
        }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

extension SendingFailure {
    /// The stage and the cleaned reason of a call that got no answer.
    init(_ error: EgressError, text: ReasonText, finding: Finding? = nil) {
        let failure = SendingFailure(error)
        self.init(failure.stage, text.clean(failure.reason), finding: finding)
    }
}
