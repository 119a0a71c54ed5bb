internal import SessionDomain
internal import Testing

@Suite("The form of copied rows")
struct CopyLinesTests {
    private func line(_ fill: (inout CopyLines) -> Void) -> CopyLines {
        var lines = CopyLines()
        fill(&lines)
        lines.endRow()
        return lines
    }

    private func text(_ lines: CopyLines) -> String { String(decoding: lines.bytes, as: UTF8.self) }

    @Test("A value has the text that the server sends for it (PostgreSQL documentation, COPY, Text Format)")
    func values() {
        let row = line {
            $0.append(integer: -7)
            $0.append(boolean: true)
            $0.append(boolean: false)
            $0.append(data: [0x00, 0xAF])
            $0.appendNull()
            $0.append(text: "é".utf8)
            $0.append(text: "".utf8)
        }
        #expect(text(row) == "-7\tt\tf\t\\\\x00af\t\\N\té\t\n")
        #expect(row.rows == 1)
    }

    @Test("What the format uses itself is escaped, and other control characters are not")
    func escapes() {
        let row = line { $0.append(text: "\u{8}\u{C}\n\r\t\u{B}\\\u{1}\u{7F}".utf8) }
        #expect(text(row) == "\\b\\f\\n\\r\\t\\v\\\\\u{1}\u{7F}\n")
    }

    @Test("A row that is read has the values that were written")
    func reading() throws {
        var lines = line {
            $0.append(text: "\u{8}\u{C}\n\r\t\u{B}\\ \\N".utf8)
            $0.appendNull()
            $0.append(text: "".utf8)
        }
        lines.append(integer: 2)
        lines.appendNull()
        lines.appendNull()
        lines.endRow()
        var rows: [[String?]] = []
        try lines.forEachRow { rows.append($0.map { $0.map { String(decoding: $0, as: UTF8.self) } }) }
        #expect(rows == [["\u{8}\u{C}\n\r\t\u{B}\\ \\N", nil, ""], ["2", nil, nil]])
    }

    @Test("The rest of a row can have the form already")
    func rest() {
        var lines = CopyLines()
        lines.append(integer: 3)
        Array("a\t\\N\n".utf8).withUnsafeBytes { lines.appendRest(line: $0) }
        #expect(text(lines) == "3\ta\t\\N\n")
        #expect(lines.rows == 1)
    }

    @Test("An unknown escape and an unfinished row are errors", arguments: ["\\q\n", "a\tb", "\\"])
    func invalid(text: String) {
        var lines = CopyLines()
        Array(text.utf8).withUnsafeBytes { lines.appendRest(line: $0) }
        #expect(throws: StoreError.self) { try lines.forEachRow { _ in } }
    }
}
