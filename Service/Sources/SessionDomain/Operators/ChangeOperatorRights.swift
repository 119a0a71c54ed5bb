/// Sets role and app of an operator. They apply from the next request on, on every node. Returns `nil` for an unknown operator.
package struct ChangeOperatorRights: Intent {
    package let role: OperatorRole
    package let appID: AppID?
    /// `ConsoleOperator.version` as the operator who makes the change has seen it. `nil`: any.
    package let seen: String?
    package let change: UserChange

    package init(role: OperatorRole, appID: AppID?, of seen: String? = nil, change: UserChange) {
        self.seen = seen
        self.role = role
        self.appID = appID
        self.change = change
    }

    package var facts: FactQuery { change.facts }

    /// - Throws: `Refusal.conflict` if the account has changed since it was seen.
    package func decide(_ facts: Facts) throws -> Decision<User?> {
        guard let user = facts.user, let old = ConsoleOperator(user) else { return Decision(nil) }
        guard [nil, old.version].contains(seen) else {
            throw Refusal.conflict("the account has changed meanwhile; load the page again")
        }
        var next = user
        next.profile = ConsoleOperator.profile(role, app: appID)
        guard next.profile != user.profile else { return Decision(user) }
        next.updatedAt = change.now
        return Decision(
            next,
            [
                .replaceUser(user, with: next),
                .append(change.events.operatorUpdated(old, role: role, app: appID)),
            ])
    }
}
