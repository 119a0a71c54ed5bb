internal import Synchronization

/// The slots for one kind of work, and how many of them each app has.
///
/// An app may have less than twice as many slots as are free. So one app alone gets two thirds, several busy apps get
/// equal shares, and an app without a slot gets one as long as any is free. One or two slots are too few to share: the
/// first app gets them.
package struct SharedSlots: Sendable {
    package let total: Int
    package private(set) var taken = 0
    private var takenByApp: [AppID: Int] = [:]

    package init(total: Int) { self.total = total }

    /// Returns whether the app got a slot.
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
final class AppSlots: Sendable {
    private let shares: Mutex<SharedSlots>
    /// Seconds after which a refused call is worth another try.
    private let patience: Int

    init(total: Int, patience: Int) {
        shares = Mutex(SharedSlots(total: total))
        self.patience = patience
    }

    /// The number of slots that are taken.
    var count: Int { shares.withLock(\.taken) }

    /// - Throws: `Refusal.overloaded` if the app has its share already, or no slot is free.
    func take(_ app: AppID) throws(Refusal) -> Slot {
        guard shares.withLock({ $0.take(app) }) else { throw .overloaded(retryAfter: patience) }
        return Slot(self, app)
    }

    /// The slot of one piece of work. It is free again when nothing has it any more.
    final class Slot: Sendable {
        private let slots: AppSlots
        private let app: AppID

        fileprivate init(_ slots: AppSlots, _ app: AppID) {
            self.slots = slots
            self.app = app
        }

        deinit { slots.shares.withLock { $0.release(app) } }
    }
}

extension AppSlots {
    // Users' and operators' calls together wait in at most half of the slots for requests, and those of one app in a third.
    // The rest is for calls that do not wait.

    /// The slots of users' calls that wait for an endpoint of their app, such as a hook.
    ///
    /// - Parameter requests: The requests that a node works on.
    static func ofUsers(requests: Int) -> AppSlots { AppSlots(total: requests / 8 * 3, patience: 1) }

    /// The slots of operators' calls that wait for an endpoint, or send a test message. Their own listener works on fewer
    /// requests.
    static func ofOperators(requests: Int) -> AppSlots {
        // Three are the fewest that apps can share.
        AppSlots(total: max(3, min(requests, 128) / 8), patience: 5)
    }

    /// The slots of exports, which take none of requests. Each reads events as fast as it can, and must leave the database to
    /// sign-ins and refreshes.
    static func ofExports() -> AppSlots { AppSlots(total: 8, patience: 10) }
}
