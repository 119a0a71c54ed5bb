/// What a session's access tokens carry now: by its login, and by grants. Built anew for each token, so that a scope
/// that was unregistered is in none.
struct EffectiveScopes: Equatable {
    /// Sorted, each once.
    let scopes: [String]
    /// When the grants among them end.
    let ends: [Timestamp]

    init(app: App, session: Session, grants: [Grant], now: Timestamp) {
        let registered = Set(app.scopes)
        let grantable = app.grantableScopes
        let good = grants.filter { $0.covers(session, at: now) && grantable.contains($0.scope) }
        scopes = registered.intersection(session.scopes).union(good.map(\.scope)).sorted()
        ends = good.compactMap(\.expiresAt)
    }
}
