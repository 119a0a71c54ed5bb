/// What a server said about an error, besides its message.
///
/// As text, each fact is a word of the suffix ` [code=bad_check_code field=code new-code request=req_1 retry-after=42]`, in
/// this order, with one space between them. Code, field and id have 1 to 64 characters from `A-Z a-z 0-9 _ - .`; seconds are
/// plain decimal digits.
struct ServerErrorFacts: Sendable, Equatable {
    /// The error code; `nil` for an error of the SDK itself, and for a code that is in the error's case.
    let code: String?
    /// The member of the request that the error is about.
    let field: String?
    /// Whether no code that was sent before can be accepted any more.
    let needsNewCode: Bool
    /// The server's id of the request.
    let requestID: String?
    /// Seconds until the next try, 0 to `RetryAfter.maximum`.
    let retryAfter: Int?

    /// Creates facts. A text or a number that cannot be rendered is dropped.
    init(
        code: String? = nil, field: String? = nil, needsNewCode: Bool = false, requestID: String? = nil,
        retryAfter: Int? = nil
    ) {
        self.code = code.flatMap(Self.validWord)
        self.field = field.flatMap(Self.validWord)
        self.needsNewCode = needsNewCode
        self.requestID = requestID.flatMap(Self.validWord)
        self.retryAfter = retryAfter.flatMap { (0...RetryAfter.maximum).contains($0) ? $0 : nil }
    }

    var isEmpty: Bool { self == ServerErrorFacts() }

    /// The facts without the code, for an error whose case has it.
    var withoutCode: Self {
        Self(field: field, needsNewCode: needsNewCode, requestID: requestID, retryAfter: retryAfter)
    }

    /// The suffix of a text.
    var suffix: String {
        let words = [
            code.map { "code=\($0)" }, field.map { "field=\($0)" }, needsNewCode ? "new-code" : nil,
            requestID.map { "request=\($0)" }, retryAfter.map { "retry-after=\($0)" },
        ]
        return " [\(words.compactMap { $0 }.joined(separator: " "))]"
    }

    /// Reads a suffix; `nil` for anything that is not exactly what its facts are rendered as.
    init?(suffix: Substring.UnicodeScalarView) {
        var values: [Substring: String] = [:]
        for word in Substring(suffix.dropFirst(2).dropLast()).split(separator: " ") {
            let name = word.prefix { $0 != "=" }
            values[name] = String(word.dropFirst(name.count + 1))
        }
        self.init(
            code: values["code"], field: values["field"], needsNewCode: values["new-code"] != nil,
            requestID: values["request"], retryAfter: values["retry-after"].flatMap { Int($0) })
        guard suffix.elementsEqual(self.suffix.unicodeScalars) else { return nil }
    }

    /// The word, if it cannot break the format.
    static func validWord(_ word: String) -> String? {
        let isValid =
            (1...64).contains(word.utf8.count)
            && word.unicodeScalars.allSatisfy {
                $0.isASCII
                    && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || "_-.".unicodeScalars.contains($0))
            }
        return isValid ? word : nil
    }
}
