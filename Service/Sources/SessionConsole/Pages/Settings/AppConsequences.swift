import SessionDomain
import SessionTokens

/// What other settings of an app take from users and operators.
enum AppConsequences {
    /// Empty for a change that takes nothing.
    static func of(_ next: App, replacing old: App) -> [String] {
        var lost: [String] = []
        for host in old.domains where !next.domains.contains(host) {
            lost.append(
                "\(host) no longer leads to the app. Clients that call it can neither sign users in nor refresh, and "
                    + "browsers do not send the cookies of this host to another one.")
        }
        if next.domains.first != old.domains.first {
            let issuer = next.domains.first ?? "the host of the public URL"
            lost.append(
                "New access tokens have another issuer: \(issuer). Backends that do not know it reject them.")
        }
        if next.signingAlgorithm != old.signingAlgorithm {
            lost.append(
                "Later access tokens are signed with \(next.signingAlgorithm.rawValue). Backends that accept only "
                    + "\(old.signingAlgorithm.rawValue) reject them, of all users. No user is signed out.")
        }
        for origin in old.allowedOrigins where !next.allowedOrigins.contains(origin) {
            lost.append(
                "Pages of \(origin) can no longer call the app: users of these pages can neither sign in nor refresh "
                    + "there. Their sessions stay.")
        }
        if old.signUp, !next.signUp {
            lost.append("Persons without an account can no longer sign up. The users of the app notice nothing.")
        }
        if next.eventRetention < old.eventRetention {
            lost.append(
                "Events that are older than \(Show.count(next.eventRetention, "day")) are deleted, not after "
                    + "\(Show.count(old.eventRetention, "day")), also from the audit trail. They cannot be restored.")
        }
        return lost
    }
}
