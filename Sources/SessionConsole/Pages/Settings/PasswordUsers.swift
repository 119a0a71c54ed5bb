import SessionDomain
import SessionTokens

/// How many users have a password, counted among the newest ones: a count of all could take minutes.
@available(service, *)
enum PasswordUsers {
    private static let bound = 1000

    static func sentence(_ visit: AppVisit) async throws -> String {
        // A page after a place, because one by offset would count all users.
        let newest = ListPlace(time: visit.service.environment.now() + 86_400, id: "")
        var (next, looked, found): (ListPlace?, Int, Int) = (newest, 0, 0)
        while let place = next, looked < bound {
            let page = try await visit.service.users.users(app: visit.app.id, limit: 100, from: .after(place))
            looked += page.elements.count
            found += page.elements.count { $0.hasPassword }
            next = page.next
        }
        let have = found == 1 ? "has a password." : "have a password."
        return next == nil ? "\(Show.count(found, "user")) \(have)" : "\(found) of the newest \(looked) users \(have)"
    }
}
