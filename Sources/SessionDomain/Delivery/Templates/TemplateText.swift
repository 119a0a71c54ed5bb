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
    init(_ text: String) throws(Problem) {
        var (parts, rest) = ([Part](), Substring(text))
        while let open = rest.firstIndex(ofPair: "{{") {
            let before = rest[..<open]
            guard before.firstIndex(ofPair: "}}") == nil else { throw .unclosed }
            let name = rest[rest.index(open, offsetBy: 2)...]
            guard let close = name.firstIndex(ofPair: "}}") else { throw .unclosed }
            guard let variable = TemplateVariable(rawValue: String(name[..<close])) else {
                throw .unknown(String(name[..<close]))
            }
            if !before.isEmpty { parts.append(.text(String(before))) }
            parts.append(.variable(variable))
            rest = name[name.index(close, offsetBy: 2)...]
        }
        guard rest.firstIndex(ofPair: "}}") == nil else { throw .unclosed }
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

extension Substring {
    /// Where a pair of characters begins first.
    fileprivate func firstIndex(ofPair pair: String) -> Index? {
        var rest = self
        while let index = rest.firstIndex(of: pair[pair.startIndex]) {
            if self[index...].hasPrefix(pair) { return index }
            rest = self[self.index(after: index)...]
        }
        return nil
    }
}
