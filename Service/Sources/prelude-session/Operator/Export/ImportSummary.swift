import SessionDomain

/// What an import has found in each table, as text.
struct ImportSummary {
    private let findings: [DatabaseImport.Finding]

    init(_ findings: [DatabaseImport.Finding]) { self.findings = findings }

    /// One line for each table: rows and the start of their digest. Both sides, if they differ.
    var table: String {
        let width = (findings.map(\.table.count) + [5]).max() ?? 5
        let digits = (findings.map { String($0.file.rows).count } + [4]).max() ?? 4
        func line(_ name: String, _ rows: String, _ digest: String) -> String {
            let name = name + String(repeating: " ", count: max(0, width - name.count))
            return name + "  " + String(repeating: " ", count: max(0, digits - rows.count)) + rows + "  " + digest
        }
        func line(_ finding: DatabaseImport.Finding) -> String {
            let digest = String(finding.file.sha256.prefix(16))
            guard !finding.isEqual else { return line(finding.table, String(finding.file.rows), digest) }
            return line(
                finding.table, String(finding.file.rows),
                "\(digest)  differs: the database has \(finding.target.rows) rows, \(finding.target.sha256.prefix(16))")
        }
        return ([line("table", "rows", "sha256")] + findings.map { line($0) }).joined(separator: "\n")
    }

    static func rate(rows: Int, milliseconds: Int64) -> String {
        let rate = milliseconds > 0 ? " (\(Int64(rows) * 1000 / milliseconds) rows/s)" : ""
        return "\(rows) rows in \(seconds(milliseconds)) s\(rate)"
    }

    static func seconds(_ milliseconds: Int64) -> String { "\(milliseconds / 1000).\(milliseconds % 1000 / 100)" }
}
