/// The facts of a server's error, and the one place where they become an error's text and are read back.
///
/// The cases of `PreludeSessionError` carry one `String` each, for source compatibility, so the text is the only thing that
/// travels with an error. It is the message, followed by a suffix with the facts:
///
///     too many tries [request=req_1 retry-after=42]
///
/// The suffix is a strict format: `request` before `retry-after`, one space between them, an id of 1 to 64 characters from
/// `A-Z a-z 0-9 _ -`, seconds as plain decimal digits. Anything else is part of the message. A message that itself ends in
/// such a suffix gets an empty one, ` []`, so a server's text is never read as facts. For every value of this type,
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
    /// An empty suffix counts only behind one with facts: only such a message is rendered with it.
    private static func split(_ text: String) -> Self? {
        let scalars = text.unicodeScalars[...]
        guard let suffix = suffixStart(in: scalars) else { return nil }
        let details = Self(message: String(scalars[..<suffix]), facts: scalars[suffix...])
        // Only what these facts are rendered as is a suffix.
        guard scalars[suffix...].elementsEqual(details.suffix.unicodeScalars) else { return nil }
        guard details.requestID == nil, details.retryAfter == nil else { return details }
        var rest = scalars[..<suffix]
        while rest.suffix(3).elementsEqual(" []".unicodeScalars) { rest = rest.dropLast(3) }
        guard let inner = suffixStart(in: rest) else { return nil }
        let innermost = Self(message: "", facts: rest[inner...])
        let hasFacts = innermost.requestID != nil || innermost.retryAfter != nil
        return hasFacts && rest[inner...].elementsEqual(innermost.suffix.unicodeScalars) ? details : nil
    }

    /// Where a suffix would start: one scalar before the last bracket.
    ///
    /// It is scalars that are compared: a message may end in a scalar that forms one `Character` with the space after it.
    private static func suffixStart(in scalars: Substring.UnicodeScalarView) -> String.Index? {
        guard let bracket = scalars.lastIndex(of: "["), bracket > scalars.startIndex else { return nil }
        return scalars.index(before: bracket)
    }

    /// - Parameter facts: A suffix, if its format is right.
    private init(message: String, facts: Substring.UnicodeScalarView) {
        var requestID: String?
        var retryAfter: Int?
        for fact in facts.dropFirst(2).dropLast().split(separator: " ").map(String.init) {
            if fact.hasPrefix("request=") { requestID = String(fact.dropFirst("request=".count)) }
            if fact.hasPrefix("retry-after=") { retryAfter = Int(fact.dropFirst("retry-after=".count)) }
        }
        self.init(message: message, requestID: requestID, retryAfter: retryAfter)
    }
}
