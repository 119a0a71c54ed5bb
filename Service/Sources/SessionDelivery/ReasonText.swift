internal import Foundation

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
