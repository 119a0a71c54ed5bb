import SessionDomain

/// What a copy has found in each table, as text.
struct CopySummary {
    private let findings: [DatabaseCopier.Finding]

    init(_ findings: [DatabaseCopier.Finding]) { self.findings = findings }

    /// One line for each table: rows and the start of their digest. Both sides, if they differ.
    var table: String {
        let width = (findings.map(\.table.count) + [5]).max() ?? 5
        let digits = (findings.map { String($0.source.rows).count } + [4]).max() ?? 4
        func line(_ name: String, _ rows: String, _ digest: String) -> String {
            let name = name + String(repeating: " ", count: max(0, width - name.count))
            return name + "  " + String(repeating: " ", count: max(0, digits - rows.count)) + rows + "  " + digest
        }
        func line(_ finding: DatabaseCopier.Finding) -> String {
            let digest = String(finding.source.sha256.prefix(16))
            guard !finding.isEqual else { return line(finding.table, String(finding.source.rows), digest) }
            return line(
                finding.table, String(finding.source.rows),
                "\(digest)  differs: the target has \(finding.target.rows) rows, \(finding.target.sha256.prefix(16))")
        }
        return ([line("table", "rows", "sha256")] + findings.map { line($0) }).joined(separator: "\n")
    }

    /// - Parameters:
    ///   - copying: Milliseconds, as `comparing`.
    static func times(rows: Int, copying: Int64, comparing: Int64) -> String {
        let rate = copying > 0 ? " (\(Int64(rows) * 1000 / copying) rows/s)" : ""
        return
            "Copied \(rows) rows in \(seconds(copying)) s\(rate). Compared both databases in \(seconds(comparing)) s: they "
            + "have the same rows."
    }

    private static func seconds(_ milliseconds: Int64) -> String {
        "\(milliseconds / 1000).\(milliseconds % 1000 / 100)"
    }
}
