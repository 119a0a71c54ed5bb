import SessionDomain
import SessionTokens

/// Counts users among the newest ones: a count of all could take minutes.
@available(service, *)
struct NewestUsers {
    private static let bound = 1000

    let users: [User]
    /// Whether these are all users of the app.
    let isComplete: Bool

    init(_ visit: AppVisit) async throws {
        // A page after a place, because one by offset would count all users.
        let newest = ListPlace(time: visit.service.environment.now() + 86_400, id: "")
        var (next, users): (ListPlace?, [User]) = (newest, [])
        while let place = next, users.count < Self.bound {
            let page = try await visit.service.users.users(app: visit.app.id, limit: 100, from: .after(place))
            users += page.elements
            next = page.next
        }
        self.users = users
        isComplete = next == nil
    }

    /// A sentence such as “1 user has a password.”, or “40 of the newest 1000 users have a password.”
    func sentence(have what: String, where has: (User) -> Bool) -> String {
        let found = users.count(where: has)
        let have = (found == 1 ? "has " : "have ") + what + "."
        return isComplete
            ? "\(Show.count(found, "user")) \(have)" : "\(found) of the newest \(users.count) users \(have)"
    }
}
