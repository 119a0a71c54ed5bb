/// A server's error as text: the message, followed by a suffix with the facts. It is the one place that writes and reads it.
///
/// The cases of `PreludeSessionError` carry one `String` each, for source compatibility, so the text is the only thing that
/// travels with an error:
///
///     too many tries [code=rate_limited request=req_1 retry-after=42]
///
/// The suffix is a strict format, see `ServerErrorFacts`. Anything else is part of the message. A message that itself ends in
/// such a suffix gets an empty one, ` []`, so a server's text is never read as facts. For every value of this type,
/// `ServerErrorText(text: details.text) == details`.
struct ServerErrorText: Sendable, Equatable {
    let message: String
    let facts: ServerErrorFacts

    init(message: String, facts: ServerErrorFacts = ServerErrorFacts()) {
        self.message = message
        self.facts = facts
    }

    /// Reads the text of an error. A text without a suffix is a message without facts.
    init(text: String) { self = Self.split(text) ?? Self(message: text) }

    /// The text that an error carries.
    var text: String {
        !facts.isEmpty || Self.split(message) != nil ? message + facts.suffix : message
    }

    /// The same about a member of the request.
    func about(field: String) -> Self {
        Self(
            message: message,
            facts: ServerErrorFacts(
                code: facts.code, field: field, needsNewCode: facts.needsNewCode, requestID: facts.requestID,
                retryAfter: facts.retryAfter))
    }

    /// Message and facts of a text with a suffix; `nil` for a text without one.
    ///
    /// An empty suffix counts only behind one with facts: only such a message is rendered with it.
    private static func split(_ text: String) -> Self? {
        let scalars = text.unicodeScalars[...]
        guard let suffix = suffixStart(in: scalars), let facts = ServerErrorFacts(suffix: scalars[suffix...]) else {
            return nil
        }
        let details = Self(message: String(scalars[..<suffix]), facts: facts)
        guard facts.isEmpty else { return details }
        var rest = scalars[..<suffix]
        while rest.suffix(3).elementsEqual(" []".unicodeScalars) { rest = rest.dropLast(3) }
        guard let inner = suffixStart(in: rest), let innermost = ServerErrorFacts(suffix: rest[inner...]) else {
            return nil
        }
        return innermost.isEmpty ? nil : details
    }

    /// Where a suffix would start: one scalar before the last bracket.
    ///
    /// It is scalars that are compared: a message may end in a scalar that forms one `Character` with the space after it.
    private static func suffixStart(in scalars: Substring.UnicodeScalarView) -> String.Index? {
        guard let bracket = scalars.lastIndex(of: "["), bracket > scalars.startIndex else { return nil }
        return scalars.index(before: bracket)
    }
}
