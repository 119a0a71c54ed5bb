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
        // A token counts whole seconds: one that ends within this second would be dead on arrival.
        let good = grants.filter {
            $0.covers(session, at: now) && $0.expiresAt.seconds > now.seconds && grantable.contains($0.scope)
        }
        scopes = registered.intersection(session.scopes).union(good.map(\.scope)).sorted()
        ends = good.map(\.expiresAt)
    }
}
