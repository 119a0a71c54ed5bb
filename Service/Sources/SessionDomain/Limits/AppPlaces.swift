internal import Synchronization

/// The places for one kind of work, and how many of them each app has.
///
/// An app may have less than twice as many places as are free. So one app alone gets two thirds, several busy apps get
/// equal shares, and an app without a place gets one as long as any is free. One or two places are too few to share: the
/// first app gets them.
package struct AppShares: Sendable {
    package let total: Int
    package private(set) var taken = 0
    private var takenByApp: [AppID: Int] = [:]

    package init(total: Int) { self.total = total }

    /// Returns whether the app got a place.
    package mutating func take(_ app: AppID) -> Bool {
        let own = takenByApp[app] ?? 0
        guard own < 2 * (total - taken) else { return false }
        takenByApp[app] = own + 1
        taken += 1
        return true
    }

    package mutating func release(_ app: AppID) {
        guard let own = takenByApp[app] else { return }
        takenByApp[app] = own > 1 ? own - 1 : nil
        taken -= 1
    }
}

/// Bounds work of apps that holds a request for seconds, such as a call to an endpoint of an app, with a share for each app.
/// What one app waits for must not reject the requests of others.
final class AppPlaces: Sendable {
    private let shares: Mutex<AppShares>
    /// Seconds after which a refused call is worth another try.
    private let patience: Int

    init(total: Int, patience: Int) {
        shares = Mutex(AppShares(total: total))
        self.patience = patience
    }

    /// The number of places that are taken.
    var count: Int { shares.withLock(\.taken) }

    /// - Throws: `Refusal.overloaded` if the app has its share already, or no place is free.
    func take(_ app: AppID) throws(Refusal) -> Place {
        guard shares.withLock({ $0.take(app) }) else { throw .overloaded(retryAfter: patience) }
        return Place(self, app)
    }

    /// The place of one piece of work. It is free again when nothing has it any more.
    final class Place: Sendable {
        private let places: AppPlaces
        private let app: AppID

        fileprivate init(_ places: AppPlaces, _ app: AppID) {
            self.places = places
            self.app = app
        }

        deinit { places.shares.withLock { $0.release(app) } }
    }
}

extension AppPlaces {
    // Users' and operators' calls together wait in at most half of the places for requests, and those of one app in a third.
    // The rest is for calls that do not wait.

    /// The places of users' calls that wait for an endpoint of their app, such as a hook.
    ///
    /// - Parameter requests: The requests that a node works on.
    static func ofUsers(requests: Int) -> AppPlaces { AppPlaces(total: requests / 8 * 3, patience: 1) }

    /// The places of operators' calls that wait for an endpoint, or send a test message. Their own listener works on fewer
    /// requests.
    static func ofOperators(requests: Int) -> AppPlaces {
        // Three are the fewest that apps can share.
        AppPlaces(total: max(3, min(requests, 128) / 8), patience: 5)
    }

    /// The places of exports, which take none of requests. Each reads events as fast as it can, and must leave the database to
    /// sign-ins and refreshes.
    static func ofExports() -> AppPlaces { AppPlaces(total: 8, patience: 10) }
}
