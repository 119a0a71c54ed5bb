internal import GRDB
internal import SessionDomain

extension Migration {
    /// Addresses with the ASCII form of their domain. If another user of the app has that form already, the row stays, and the
    /// user is found by the id only. A row also stays if its domain could be read as ASCII.
    static let asciiDomains = Migration(
        number: 14, name: "ASCII domains", sql: "",
        rows: { db in
            for table in ["identifiers", "verifications"] {
                let query = """
                    SELECT DISTINCT app_id, canonical FROM \(table)
                    WHERE type = 'email_address' AND canonical GLOB '*@*[^ -~]*'
                    """
                let change = """
                    UPDATE OR IGNORE \(table) SET canonical = ?
                    WHERE app_id = ? AND type = 'email_address' AND canonical = ?
                    """
                for row in try Row.fetchAll(db, sql: query) {
                    let (app, old): (String, String) = (row[0], row[1])
                    guard let new = CanonicalIdentifier.withASCIIDomain(old) else { continue }
                    try db.execute(sql: change, arguments: [new, app, old])
                }
            }
        })
}
