import SessionDomain

/// The questions to a budget, with what a store found.
extension CallBudget {
    func reached(_ rows: FoundRows, for identifier: CanonicalIdentifier) -> ReachedLimit? {
        reached(at: identifier, device: rows.deviceStanding, rows.failures)
    }

    func withholds(_ rows: FoundRows, for identifier: CanonicalIdentifier) -> ReachedLimit? {
        withholds(at: identifier, device: rows.deviceStanding, hasUser: rows.user != nil, rows.failures)
    }

    func counted(_ rows: FoundRows, for identifier: CanonicalIdentifier, app: AppID) -> [Change] {
        counted(at: identifier, device: rows.deviceStanding, hasUser: rows.user != nil, rows.failures, app: app)
    }
}
