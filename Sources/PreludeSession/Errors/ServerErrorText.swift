/// The facts of a server's error, and the one place where they become an error's text and are read back.
///
/// The cases of `PreludeSessionError` carry one `String` each, for source compatibility, so the text is the only thing that
/// travels with an error. It is the message, followed by a suffix with the facts:
///
///     too many tries [request=req_1 retry-after=42]
///
/// The suffix is a strict format: `request` before `retry-after`, one space between them, an id of 1 to 64 characters from
/// `A-Z a-z 0-9 _ -`, seconds as plain decimal digits. Anything else is part of the message. A message that itself ends in
/// such a suffix gets an empty one, ` []`, so a server's text is never read as facts: for every value of this type,
/// `ServerErrorText(text: details.text) == details`.
struct ServerErrorText: Sendable, Equatable {
    let message: String
    /// The server's id of the request; `nil` if it sent none, or one that is not 1 to 64 characters of the set above.
    let requestID: String?
    /// Seconds until the next try, 0 to `RetryAfter.maximum`.
    let retryAfter: Int?

    init(message: String, requestID: String? = nil, retryAfter: Int? = nil) {
        self.message = message
        self.requestID = requestID.flatMap(Self.validID)
        self.retryAfter = retryAfter.flatMap { (0...RetryAfter.maximum).contains($0) ? $0 : nil }
    }

    /// Reads the text of an error. A text without a suffix is a message without facts.
    init(text: String) { self = Self.split(text) ?? Self(message: text) }

    /// The text that an error carries.
    var text: String {
        let hasFacts = requestID != nil || retryAfter != nil
        return hasFacts || Self.split(message) != nil ? message + suffix : message
    }

    private var suffix: String {
        let facts = [requestID.map { "request=\($0)" }, retryAfter.map { "retry-after=\($0)" }]
        return " [\(facts.compactMap { $0 }.joined(separator: " "))]"
    }

    /// The id, if it cannot break the format.
    static func validID(_ id: String) -> String? {
        let isValid =
            (1...64).contains(id.utf8.count)
            && id.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "_" || $0 == "-")
            }
        return isValid ? id : nil
    }

    /// Message and facts of a text with a suffix; `nil` for a text without one.
    ///
    /// It compares scalars: a message may end in a scalar that forms one `Character` with the space after it.
    private static func split(_ text: String) -> Self? {
        let scalars = text.unicodeScalars
        guard let bracket = scalars.lastIndex(of: "["), bracket > scalars.startIndex else { return nil }
        let start = scalars.index(before: bracket)
        var requestID: String?
        var retryAfter: Int?
        for fact in scalars[bracket...].dropFirst().dropLast().split(separator: " ").map(String.init) {
            if fact.hasPrefix("request=") { requestID = String(fact.dropFirst("request=".count)) }
            if fact.hasPrefix("retry-after=") { retryAfter = Int(fact.dropFirst("retry-after=".count)) }
        }
        let details = Self(message: String(scalars[..<start]), requestID: requestID, retryAfter: retryAfter)
        // Only what these facts are rendered as is a suffix.
        return scalars[start...].elementsEqual(details.suffix.unicodeScalars) ? details : nil
    }
}
