internal import Synchronization

/// Tells the operator once a day that the messages of an app, or those to a country, have reached their limit.
@available(service, *)
final class SendNotices: Sendable {
    private let observer: any ServiceObserver
    /// The end of the window that was reported last, per app and country.
    private let reported = Mutex<[String: Timestamp]>([:])

    init(observer: any ServiceObserver) { self.observer = observer }

    func report(_ limit: ReachedLimit, app: AppID, now: Timestamp) {
        let callingCode: String?
        switch limit.counter {
        case .sendsOfApp: callingCode = nil
        case .sendsToCallingCode(let code): callingCode = code
        default: return
        }
        // A limit of 0 has no window: its end moves with each call.
        let isNew = reported.withLock { reported in
            let key = "\(app)\(callingCode ?? "")"
            if let until = reported[key], until > now { return false }
            reported[key] = limit.until
            return true
        }
        if isNew {
            observer.observe(.notice(.sendLimitReached(app: app, callingCode: callingCode, until: limit.until)))
        }
    }
}
