internal import SessionDomain

extension FactPlan {
    /// Reads all counters that the budget may have, because only the rows show which device the caller has.
    mutating func addBudget(_ references: RowReferences) {
        guard let selector = references.query.budget else { return }
        let (app, budget) = (references.app, selector.budget)
        switch selector.subject {
        case .identifier(let identifier):
            addEpoch(
                of: budget.device, "identifiers.type = $3 AND identifiers.canonical = $4",
                [app, budget.device?.userID, identifier.type, identifier.canonical])
            addCounters("key = ANY ($2::text[])", [app, TextArray(Self.keys(of: budget, for: identifier))])
        case .ofVerification:
            guard let key = references.verification else { return }
            let next = 3 + key.more.count
            addEpoch(
                of: budget.device,
                """
                (identifiers.type, identifiers.canonical) = (
                    SELECT type, canonical FROM verifications WHERE app_id = $1 AND token_hash = \(key.sql))
                """, key.values(app, budget.device?.userID), user: "$\(next)")
            addCounters(
                """
                key = ANY (ARRAY(
                    SELECT replace(template, $\(next), left(canonical, size))
                    FROM verifications, unnest($\(next + 1)::text[]) AS template,
                        (VALUES (2), (3), (4), (5), (6), (7), (1000000)) AS part (size)
                    WHERE app_id = $1 AND token_hash = \(key.sql)))
                """, key.values(app, Self.placeholder, TextArray(Self.templates(of: budget))))
        }
    }

    /// - Parameter user: The parameter of the device's user.
    private mutating func addEpoch(
        of device: KnownDevice?, _ condition: String, _ values: [(any PostgresValue)?], user: String = "$2"
    ) {
        guard device != nil else { return }
        add(
            """
            SELECT users.login_epoch FROM identifiers
            JOIN users ON users.app_id = identifiers.app_id AND users.id = identifiers.user_id
            WHERE identifiers.app_id = $1 AND identifiers.user_id = \(user) AND \(condition)
            """, values
        ) { $1.epoch = try $0.first { try $0.next() } }
    }

    private mutating func addCounters(_ condition: String, _ values: [(any PostgresValue)?]) {
        add("SELECT \(RateCounter.columns) FROM counters WHERE app_id = $1 AND \(condition)", values) { rows, found in
            let counters = try rows.all { columns -> (String, RateCounter) in
                (try columns.next(), try RateCounter(reading: &columns))
            }
            for (key, counter) in counters { found.counters[key] = counter }
        }
    }

    private static let standings: [KnownDevice.Standing] = [.stranger, .former, .known]

    private static func keys(of budget: CallBudget, for identifier: CanonicalIdentifier) -> [String] {
        Set(standings.flatMap { budget.compared(for: identifier, device: $0).map(\.key.text) }).sorted()
    }

    /// Stands for an identifier that only the server knows yet. A plus and three characters, as the longest calling code: the
    /// keys of some counters contain one, or one and three more digits.
    private static let placeholder = "+\u{2}\u{2}\u{2}"

    /// The keys of the counters of an identifier of each type. The server also makes keys that no counter has.
    private static func templates(of budget: CallBudget) -> [String] {
        let identifiers = IdentifierType.allCases.map {
            CanonicalIdentifier(type: $0, canonical: placeholder, value: placeholder)
        }
        return Set(identifiers.flatMap { keys(of: budget, for: $0) }).sorted()
    }
}
