/// An array of texts, for `ANY` and `ALL`.
struct TextArray: PostgresValue {
    let texts: [String]

    init(_ texts: [String]) { self.texts = texts }

    /// Each text in quotes, with a backslash before quotes and backslashes.
    var postgresText: String {
        let quoted = texts.map { text in
            var escaped = "\""
            for character in text.unicodeScalars {
                if character == "\"" || character == "\\" { escaped.unicodeScalars.append("\\") }
                escaped.unicodeScalars.append(character)
            }
            return escaped + "\""
        }
        return "{" + quoted.joined(separator: ",") + "}"
    }

    /// Arrays are only sent.
    init?(postgresText text: String) { nil }
}
