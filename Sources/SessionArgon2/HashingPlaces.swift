internal import SessionDomain

/// The places of a hashing queue, and how many of them each app has.
///
/// An app may have less than twice as many places as are free. So one app alone gets two thirds, several busy apps get
/// equal shares, and an app without a place gets one as long as any is free. One or two places are too few to share: the
/// first app gets them.
struct HashingPlaces {
    let total: Int
    private(set) var taken = 0
    private var takenByApp: [AppID: Int] = [:]

    init(total: Int) { self.total = total }

    /// Returns whether the app got a place.
    mutating func take(_ app: AppID) -> Bool {
        let own = takenByApp[app] ?? 0
        guard own < 2 * (total - taken) else { return false }
        takenByApp[app] = own + 1
        taken += 1
        return true
    }

    mutating func release(_ app: AppID) {
        guard let own = takenByApp[app] else { return }
        takenByApp[app] = own > 1 ? own - 1 : nil
        taken -= 1
    }
}
