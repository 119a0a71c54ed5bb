/// A text with variables, split into its parts.
struct TemplateText: Sendable, Equatable {
    enum Part: Sendable, Equatable {
        case text(String)
        case variable(TemplateVariable)
    }

    enum Problem: Error, Equatable {
        /// `{{` without `}}`, or the reverse.
        case unclosed
        /// The name as it was written.
        case unknown(String)
    }

    let parts: [Part]

    var variables: Set<TemplateVariable> {
        Set(parts.compactMap { if case .variable(let variable) = $0 { variable } else { nil } })
    }

    /// Splits a text. A variable is `{{name}}`, without spaces; single braces are text.
    ///
    /// By scalar: a brace with a joiner after it, as some languages write it, is one character.
    init(_ text: String) throws(Problem) {
        var (parts, rest) = ([Part](), Substring(text).unicodeScalars)
        while let open = rest.firstPair(of: "{") {
            let before = rest[..<open]
            guard before.firstPair(of: "}") == nil else { throw .unclosed }
            let after = rest[rest.index(open, offsetBy: 2)...]
            guard let close = after.firstPair(of: "}") else { throw .unclosed }
            let name = String(after[..<close])
            guard let variable = TemplateVariable(rawValue: name) else { throw .unknown(name) }
            if !before.isEmpty { parts.append(.text(String(before))) }
            parts.append(.variable(variable))
            rest = after[after.index(close, offsetBy: 2)...]
        }
        guard rest.firstPair(of: "}") == nil else { throw .unclosed }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        self.parts = parts
    }

    /// The text with a value for each variable.
    func filled(_ value: (TemplateVariable) -> String) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .variable(let variable): value(variable)
            }
        }.joined()
    }
}

extension Substring.UnicodeScalarView {
    /// Where a scalar is first followed by itself.
    fileprivate func firstPair(of scalar: Unicode.Scalar) -> Index? {
        zip(indices, indices.dropFirst()).first { self[$0] == scalar && self[$1] == scalar }?.0
    }
}
