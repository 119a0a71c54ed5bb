/// Texts of the description as HTML: paragraphs, lists, and code between backticks.
enum APIText {
    static func method(_ method: String) -> HTML { H.span(.class("badge method \(method.lowercased())")) { method } }

    static func inline(_ text: String) -> HTML {
        HTML(
            joining: text.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { index, part in
                index % 2 == 1 ? H.code { String(part) } : HTML(escaping: part)
            })
    }

    /// Paragraphs are separated by empty lines. Lines that begin with a dash are a list.
    static func paragraphs(_ text: String) -> HTML {
        HTML(
            joining: text.split(separator: "\n\n").map { paragraph in
                guard paragraph.hasPrefix("- ") else { return H.p { inline(joined(paragraph)) } }
                return H.ul(.class("bullets")) {
                    for item in ("\n" + paragraph).split(separator: "\n- ") {
                        H.li { inline(joined(item)) }
                    }
                }
            })
    }

    private static func joined(_ lines: some StringProtocol) -> String {
        lines.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
