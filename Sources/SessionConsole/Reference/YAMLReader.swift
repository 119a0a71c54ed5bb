/// What the reader does not know in a document.
struct YAMLError: Error, Equatable {
    let line: Int
    let problem: String
}

/// Reads the part of YAML that `docs/openapi.yaml` uses: maps and lists as blocks and in brackets, plain texts, texts in
/// single quotes, literal blocks, whole numbers, `true` and `false`.
///
/// Everything else is an error, also what other readers understand in different ways, such as `yes` or `2026-01-01`.
@available(service, *)
struct YAMLReader {
    private var scanner: YAMLScanner

    static func read(_ text: String) throws(YAMLError) -> YAMLValue {
        var reader = YAMLReader(scanner: YAMLScanner(text))
        guard let column = reader.scanner.nextColumn() else { throw reader.scanner.error("the document is empty") }
        let value = try reader.block(column)
        guard reader.scanner.nextColumn() == nil else { throw reader.scanner.error("this does not belong to a value") }
        return value
    }

    private mutating func block(_ column: Int) throws(YAMLError) -> YAMLValue {
        scanner.isAtDash ? try list(column) : try map(column)
    }

    private mutating func map(_ column: Int) throws(YAMLError) -> YAMLValue {
        var members: [YAMLValue.Member] = []
        while let next = scanner.nextColumn(), next >= column, !scanner.isAtDash {
            guard next == column else { throw scanner.error("the line is indented too far") }
            let name = scanner.byte == YAMLScanner.quote ? try scanner.quoted() : try scanner.key()
            guard !members.contains(where: { $0.name == name }) else { throw scanner.error("\(name) is repeated") }
            try scanner.colon()
            members.append(YAMLValue.Member(name: name, value: try value(below: column)))
        }
        return .map(members)
    }

    private mutating func list(_ column: Int) throws(YAMLError) -> YAMLValue {
        var elements: [YAMLValue] = []
        while scanner.nextColumn() == column, scanner.isAtDash {
            scanner.skip(1)
            scanner.skipSpaces()
            if scanner.isAtKey {
                elements.append(try map(scanner.column))
            } else {
                elements.append(try value(below: column))
            }
        }
        return .list(elements)
    }

    /// - Parameter column: That of the map or list to which the value belongs.
    private mutating func value(below column: Int) throws(YAMLError) -> YAMLValue {
        scanner.skipSpaces()
        switch scanner.byte {
        case nil, UInt8(ascii: "\n"):
            guard let next = scanner.nextColumn(), next > column || (next == column && scanner.isAtDash) else {
                throw scanner.error("a value is missing")
            }
            return try block(next)
        case UInt8(ascii: "|"): return .text(try scanner.literal(below: column))
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            let value = try bracketed()
            try scanner.endOfLine()
            return value
        case YAMLScanner.quote:
            let text = try scanner.quoted()
            try scanner.endOfLine()
            return .text(text)
        default: return try scanner.scalar(try scanner.plain(below: column))
        }
    }

    private mutating func bracketed() throws(YAMLError) -> YAMLValue {
        scanner.skipBlanks()
        switch scanner.byte {
        case UInt8(ascii: "{"):
            var members: [YAMLValue.Member] = []
            try elements(until: UInt8(ascii: "}")) { (reader: inout YAMLReader) throws(YAMLError) in
                let name = try reader.bracketedText().text
                guard !members.contains(where: { $0.name == name }) else {
                    throw reader.scanner.error("\(name) is repeated")
                }
                reader.scanner.skipBlanks()
                try reader.scanner.colon()
                members.append(YAMLValue.Member(name: name, value: try reader.bracketed()))
            }
            return .map(members)
        case UInt8(ascii: "["):
            var values: [YAMLValue] = []
            try elements(until: UInt8(ascii: "]")) { (reader: inout YAMLReader) throws(YAMLError) in
                values.append(try reader.bracketed())
            }
            return .list(values)
        default:
            let (text, isQuoted) = try bracketedText()
            return isQuoted ? .text(text) : try scanner.scalar(text)
        }
    }

    private mutating func bracketedText() throws(YAMLError) -> (text: String, isQuoted: Bool) {
        scanner.skipBlanks()
        return scanner.byte == YAMLScanner.quote ? (try scanner.quoted(), true) : (try scanner.plainInBrackets(), false)
    }

    private mutating func elements(
        until end: UInt8, _ element: (inout YAMLReader) throws(YAMLError) -> Void
    ) throws(YAMLError) {
        scanner.skip(1)
        scanner.skipBlanks()
        while scanner.byte != end {
            try element(&self)
            scanner.skipBlanks()
            guard scanner.byte == UInt8(ascii: ",") || scanner.byte == end else {
                throw scanner.error("a comma or the closing bracket is missing")
            }
            if scanner.byte != end { scanner.skip(1) }
            scanner.skipBlanks()
        }
        scanner.skip(1)
    }
}
