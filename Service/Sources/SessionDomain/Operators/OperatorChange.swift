/// A change of an operator that another operator makes.
///
/// The rights of the one who makes it are checked again in the transaction, and such changes wait for each other. So of two
/// admins who remove each other at the same moment, one stays.
package struct OperatorChange<Inner: Intent>: Intent {
    let change: Inner
    /// Who makes the change, as the request found the account. `nil`: a management key or a command.
    let caller: ConsoleOperator?

    package init(_ change: Inner, by principal: ConsolePrincipal?) {
        self.change = change
        caller = principal?.operator
    }

    package var facts: FactQuery {
        guard let caller else { return change.facts }
        var query = change.facts
        // The row of the operator app is the lock.
        query.settings = true
        query.owners = FactQuery.OwnerSelector(identifiers: [caller.address], externalID: nil)
        return query
    }

    /// - Throws: `Refusal.forbidden` if the caller was removed or suspended, or has other rights, since the request began.
    package func decide(_ facts: Facts) throws -> Decision<Inner.Outcome> {
        if let caller {
            let current = facts.owners.first { $0.id == caller.id }
            guard let current, current.status == .active, let person = ConsoleOperator(current),
                person.role == caller.role, person.appID == caller.appID
            else { throw Refusal.forbidden("your own account was changed at the same moment") }
        }
        return try change.decide(facts)
    }
}
