internal import SessionDomain

extension Migration {
    /// Addresses with the ASCII form of their domain. If another user of the app has that form already, the row stays, and the
    /// user is found by the id only. A row also stays if its domain could be read as ASCII.
    ///
    /// Nodes of the version before do not find the rewritten ones, and would create their users again. So they no longer
    /// start if there are any.
    static let asciiDomains = Migration(
        number: 14, name: "ASCII domains", usableFrom: 10,
        work: .rows { connection in
            var isRewritten = false
            for table in ["identifiers", "verifications"] {
                let query = """
                    SELECT DISTINCT app_id, canonical FROM \(table)
                    WHERE type = 'email_address' AND canonical ~ '@.*[^ -~]'
                    """
                let addresses = try connection.run([Statement(query)])[0].all {
                    (app: try $0.next() as String, old: try $0.next() as String)
                }
                for (app, old) in addresses {
                    guard let new = CanonicalIdentifier.withASCIIDomain(old) else { continue }
                    isRewritten = true
                    // Codes may be several for one address.
                    let isFree = """
                        NOT EXISTS (SELECT 1 FROM identifiers
                        WHERE app_id = $2 AND type = 'email_address' AND canonical = $1)
                        """
                    _ = try connection.run([
                        Statement(
                            """
                            UPDATE \(table) SET canonical = $1
                            WHERE app_id = $2 AND type = 'email_address' AND canonical = $3
                                \(table == "identifiers" ? "AND \(isFree)" : "")
                            """, [new, app, old])
                    ])
                }
            }
            if isRewritten { try connection.run([Migration.needing(14)]) }
        })
}
