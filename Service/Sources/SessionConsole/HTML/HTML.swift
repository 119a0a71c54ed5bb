/// A piece of HTML.
///
/// A text is escaped when it becomes HTML. Only this file can make HTML of a text as it is, so no page can show a text of a
/// user or an operator as markup.
struct HTML: Sendable, Equatable {
    let text: String

    private init(raw text: String) { self.text = text }

    static let empty = HTML(raw: "")

    /// A text between tags, or in the value of an attribute.
    init(escaping text: some StringProtocol) {
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        self.init(raw: escaped)
    }

    init(joining parts: [HTML]) { self.init(raw: parts.map(\.text).joined()) }

    /// An element with a start tag, content and an end tag.
    ///
    /// - Parameter name: Written in the source code, as the names of attributes are, so neither needs escaping.
    static func element(_ name: StaticString, _ attributes: [Attribute], _ content: HTML) -> HTML {
        HTML(raw: "<\(name)\(written(attributes))>\(content.text)</\(name)>")
    }

    /// An element without content and end tag, such as `input`.
    static func void(_ name: StaticString, _ attributes: [Attribute]) -> HTML {
        HTML(raw: "<\(name)\(written(attributes))>")
    }

    /// The content of the first element with a name and a class. `nil` if there is none.
    func first(_ name: StaticString, class style: String) -> HTML? {
        guard let start = text.firstRange(of: "<\(name) class=\"\(style)\""),
            let tag = text[start.upperBound...].firstIndex(of: ">"),
            let end = text[tag...].firstRange(of: "</\(name)>")
        else { return nil }
        return HTML(raw: String(text[text.index(after: tag)..<end.lowerBound]))
    }

    /// A whole page.
    static func document(_ content: HTML) -> String { "<!doctype html>\n" + content.text + "\n" }

    private static func written(_ attributes: [Attribute]) -> String {
        attributes.map { attribute in
            attribute.value.map { " \(attribute.name)=\"\(HTML(escaping: $0).text)\"" } ?? " \(attribute.name)"
        }.joined()
    }
}

/// Builds HTML of elements and texts in the order in which they are written.
@resultBuilder
enum HTMLBuilder {
    static func buildExpression(_ text: String) -> HTML { HTML(escaping: text) }
    static func buildExpression(_ html: HTML) -> HTML { html }
    static func buildExpression(_ html: HTML?) -> HTML { html ?? .empty }
    static func buildExpression(_ parts: [HTML]) -> HTML { HTML(joining: parts) }
    static func buildBlock(_ parts: HTML...) -> HTML { HTML(joining: parts) }
    static func buildOptional(_ part: HTML?) -> HTML { part ?? .empty }
    static func buildEither(first part: HTML) -> HTML { part }
    static func buildEither(second part: HTML) -> HTML { part }
    static func buildArray(_ parts: [HTML]) -> HTML { HTML(joining: parts) }
}
