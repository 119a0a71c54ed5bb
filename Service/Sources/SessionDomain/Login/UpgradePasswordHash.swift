/// Replaces a hash by a costlier one of the same password, unless the password was changed in the meantime.
package struct UpgradePasswordHash: Intent {
    package let old: String
    package let new: String
    package let userID: String
    package let appID: AppID

    package init(from old: String, to new: String, user id: String, app: AppID) {
        self.old = old
        self.new = new
        userID = id
        appID = app
    }

    package var facts: FactQuery {
        FactQuery(app: appID) {
            $0.user = .id(userID)
            $0.passwordHash = true
        }
    }

    package func decide(_ facts: Facts) -> Decision<Void> {
        guard let user = facts.user, facts.passwordHash == old else { return Decision(()) }
        return Decision((), [.setPasswordHash(new, replacing: old, of: user)])
    }
}
