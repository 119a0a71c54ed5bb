/// The scopes of a session's next access token, from its login and from grants. They are computed for each token, so no
/// token carries a scope that was unregistered.
struct EffectiveScopes: Equatable {
    /// Sorted, without duplicates.
    let scopes: [String]
    /// The expiry times of the grants among them.
    let ends: [Timestamp]

    /// - Parameter app: Is copied for few tokens only.
    init(app: @autoclosure () -> App, session: Session, grants: [Grant], now: Timestamp) {
        // Most sessions have neither, and sets cost more than the rest of a token.
        if session.scopes.isEmpty, grants.isEmpty {
            (scopes, ends) = ([], [])
            return
        }
        let app = app()
        let registered = Set(app.scopes)
        let grantable = app.grantableScopes
        // Tokens carry whole seconds. A grant that ends within this second would make a token that has expired already.
        let good = grants.filter {
            $0.covers(session, at: now) && $0.expiresAt.seconds > now.seconds && grantable.contains($0.scope)
        }
        scopes = registered.intersection(session.scopes).union(good.map(\.scope)).sorted()
        ends = good.map(\.expiresAt)
    }
}
