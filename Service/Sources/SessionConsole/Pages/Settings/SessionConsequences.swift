import SessionDomain

/// What another policy of sessions takes from users.
enum SessionConsequences {
    /// Empty for a policy under which no session ends earlier, and every client can do what it could.
    static func of(_ next: SessionPolicy, replacing old: SessionPolicy) -> [String] {
        var lost: [String] = []
        if next.deviceKey == .required, old.deviceKey != .required {
            lost.append(
                "Clients without a key, such as browsers that use the cookie alone, can neither sign in nor refresh: "
                    + "their users are signed out when the access token ends, within "
                    + "\(Show.duration(next.accessTokenLifetime)).")
            lost.append("Such a session continues if you set the key back to optional before the session ends.")
        }
        if next.accessTokenBinding == .dpop, old.accessTokenBinding != .dpop {
            lost.append(
                "Every call needs a proof: a client without a key, and a backend that checks no proofs, stop working.")
        }
        if next.idleLifetime < old.idleLifetime {
            lost.append(
                "A session ends when it is unused for \(Show.duration(next.idleLifetime)), not "
                    + "\(Show.duration(old.idleLifetime)). This begins at its next refresh.")
        }
        if next.absoluteLifetime < old.absoluteLifetime {
            lost.append(
                "Sessions that begin from now on end after \(Show.duration(next.absoluteLifetime)), not "
                    + "\(Show.duration(old.absoluteLifetime)).")
        }
        if next.maximumSessions < old.maximumSessions {
            lost.append(
                "At the next login of a user with more than \(Show.count(next.maximumSessions, "session")), those that "
                    + "were unused longest end.")
        }
        return lost
    }
}
