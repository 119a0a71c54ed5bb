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
                "Events that are older than \(Format.count(next.eventRetention, "day")) are deleted, not after "
                    + "\(Format.count(old.eventRetention, "day")), also from the audit trail. They cannot be restored.")
        }
        return lost
    }
}

/// Says how many users a change concerns.
enum AffectedUsers {
    /// How many users a change of the whole app can concern.
    static func all(_ console: ConsoleAppContext) async throws -> String {
        let counts = try await console.service.users.counts(app: console.app.id)
        return counts.isComplete
            ? "The app has \(Format.count(counts[.active], "active user"))."
            : "The app has \(UserCounts.bound) users or more."
    }

    /// How many users have a scope by a step-up, and what happens to them when its grants end.
    static func granted(_ scope: String, _ console: ConsoleAppContext) async throws -> [String] {
        sentences(scope, try await users(with: scope, console))
    }

    /// The same for scopes whose grants end. Empty if no user has one of them.
    static func losing(_ scopes: Set<String>, _ console: ConsoleAppContext) async throws -> [String] {
        var found: [String] = []
        for scope in scopes.sorted() {
            let users = try await users(with: scope, console)
            if users.count > 0 || !users.isComplete { found += sentences(scope, users) }
        }
        return found
    }

    private static func users(with scope: String, _ console: ConsoleAppContext) async throws -> CountedUsers {
        try await console.service.store.grantedUsers(
            of: scope, app: console.app.id, at: console.service.environment.now(), among: CountedUsers.bound)
    }

    static func sentences(_ scope: String, _ users: CountedUsers) -> [String] {
        // A login can grant a scope that the service itself requires. It is stored like the grant of a step-up.
        let origin = ReservedScope.isReserved(scope) ? "by a login or a step-up" : "by a step-up"
        let held =
            switch (users.count, users.isComplete) {
            case (0, false):
                "Of \(CountedUsers.bound) grants of the app, none is of the scope \(scope). The others are not counted. "
                    + "Users with one of those lose it at their next access token."
            case (1, false):
                "At least 1 user has the scope \(scope) \(origin) now, and loses it at the next access token."
            case (let count, false):
                "At least \(count) users have the scope \(scope) \(origin) now, and lose it at their next access token."
            case (0, true): "No user has the scope \(scope) \(origin) now."
            case (1, true): "1 user has the scope \(scope) \(origin) now, and loses it at the next access token."
            case (let count, true):
                "\(count) users have the scope \(scope) \(origin) now, and lose it at their next access token."
            }
        return [held, "Step-ups for \(scope) that have begun end."]
    }

    /// How many users have an identifier, such as “1 user has a phone number.”
    static func with(
        _ type: IdentifierType, in ranges: [Range<String>], _ what: String, _ console: ConsoleAppContext
    ) async throws -> String {
        sentence(
            try await console.service.store.users(
                with: type, in: ranges, app: console.app.id, among: CountedUsers.bound),
            have: what)
    }

    /// How many users sign in with something, such as “At least 40 users have a password.”
    static func with(_ means: SignInMeans, _ what: String, _ console: ConsoleAppContext) async throws -> String {
        sentence(
            try await console.service.store.users(with: means, app: console.app.id, amongNewest: CountedUsers.bound),
            have: what)
    }

    static func sentence(_ users: CountedUsers, have what: String) -> String {
        guard users.count > 0 || users.isComplete else {
            return "No user has \(what) among the \(CountedUsers.bound) that were counted. There are more."
        }
        let counted = "\(Format.count(users.count, "user")) \(users.count == 1 ? "has" : "have") \(what)."
        return users.isComplete ? counted : "At least " + counted
    }

    /// How many users lose a way to sign in, because no code goes to a channel any more, and how many of them have no other.
    ///
    /// - Parameter next: The settings after the change.
    static func losing(_ channel: OTPLoginConfig.Channel, in next: App, _ console: ConsoleAppContext) async throws
        -> [String]
    {
        // One at most: there are two channels.
        let others = next.openChannels.subtracting([channel])
        let means = SignInMeans(
            identifier: channel.identifierType, missing: others.first?.identifierType,
            password: next.acceptsPasswords ? false : nil)
        let what = channel == .sms ? "a phone number" : "an e-mail address"
        let passkeys = next.acceptsPasskeys ? " but perhaps a passkey" : ""
        return [
            try await with(channel.identifierType, in: [""..<"\u{10FFFF}"], what, console),
            try await with(means, what + " and no other way to sign in" + passkeys, console),
        ]
    }
}

extension App {
    /// The channels whose logins with a code are not closed by a limit of 0.
    fileprivate var openChannels: Set<OTPLoginConfig.Channel> {
        guard otpLimits.allowsCodeLogins else { return [] }
        return Set(otpLogins.map(\.channel)).filter { $0 != .sms || otpLimits.callingCodeSendsPerDay > 0 }
    }

    /// Whether a right password can be accepted.
    fileprivate var acceptsPasswords: Bool {
        guard let login = passwordLogin, login.enabled else { return false }
        return otpLimits.allowsPasswords
    }
}
