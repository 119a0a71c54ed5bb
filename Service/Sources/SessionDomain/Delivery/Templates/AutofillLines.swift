/// The last lines of an SMS with a code, by which devices find the code and its app.
///
/// - iOS and browsers read the last line, `@host #code`, and offer the code only to this host and its apps (WICG,
///   “Origin-bound one-time codes delivered via SMS”).
/// - Android's SMS Retriever searches the message for the app's hash, in at most 140 bytes. If both are set, the hash comes
///   first, because only the last line can be bound to a host.
struct AutofillLines: Sendable {
    /// Bytes of a message that the SMS Retriever reads.
    static let maximumAndroidBytes = 140

    let host: String?
    let androidAppHash: String?
    let code: String

    /// Begins with an empty line. Empty if nothing is set.
    var text: String {
        let lines = [androidAppHash, host.map { "@\($0) #\(code)" }].compactMap { $0 }
        return lines.isEmpty ? "" : "\n\n" + lines.joined(separator: "\n")
    }

    /// Whether a text is a hash of the SMS Retriever: 11 characters of Base64.
    static func isAndroidAppHash(_ text: String) -> Bool {
        text.utf8.count == 11
            && text.unicodeScalars.allSatisfy { scalar in
                scalar.isASCII
                    && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "+"
                        || scalar == "/")
            }
    }
}
