/// A condition that belongs in the operator's log although no call has failed.
package enum ServiceNotice: Sendable, Equatable, CustomStringConvertible {
    /// The creation time of these keys was in the future. Their waiting time starts again now.
    case keysRescheduled(app: AppID, keyIDs: [String])

    /// The system clock advanced more than the elapsed time, by this many seconds.
    case clockJumped(seconds: Int)

    /// The system clock was set by this many seconds. Negative: back.
    case clockWasSet(seconds: Int)

    /// Signing keys in the database are sealed with a master key that this process does not have.
    case masterKeyMissing(id: String)

    /// Calls are refused by this limit until a time in RFC 3339. One notice for each counter and hour.
    case limitReached(LimitName, app: AppID, callingCode: String?, until: String)

    /// Devices presented refresh tokens that are newer than their sessions in the database. The number since the start.
    case sessionsRecovered(count: Int)

    /// A route for messages fails. It is tried with each further message, and reported again only after it has worked.
    case routeFailed(app: AppID, channel: OTPLoginConfig.Channel, failure: MessageFailure)

    /// A route for messages works again.
    case routeRecovered(app: AppID, channel: OTPLoginConfig.Channel, route: String)

    /// The store has failed this many times since the last notice. There is one notice per second at most.
    case storeFailed(StoreError, count: Int)

    /// The store works again, after this many failures in these seconds.
    case storeRecovered(failures: Int, seconds: Int)

    /// The service is not ready, or ready again. One line for each reason, none when all is well.
    case readinessChanged(Readiness)

    /// The TLS certificate expires soon, or is not valid.
    case certificate(CertificateWatch.Finding)

    /// Spans of traces were lost. The number since the last notice. There is one notice per minute at most.
    case spansDropped(count: Int, reason: String)

    /// A trusted proxy sends requests that do not say from which address they are. There is one notice per minute at most.
    case clientAddressMissing(HiddenClients)

    /// Whether something fails already, so that the log must have an error.
    package var isError: Bool {
        switch self {
        case .certificate(.expired), .certificate(.notYetValid): true
        default: false
        }
    }

    /// What a notice is about: its name in metrics.
    package enum Kind: String, Sendable, CaseIterable {
        case keysRescheduled = "keys_rescheduled"
        case clockJumped = "clock_jumped"
        case clockWasSet = "clock_was_set"
        case masterKeyMissing = "master_key_missing"
        case limitReached = "limit_reached"
        case sessionsRecovered = "sessions_recovered"
        case routeFailed = "route_failed"
        case routeRecovered = "route_recovered"
        case storeFailed = "store_failed"
        case storeRecovered = "store_recovered"
        case readinessChanged = "readiness_changed"
        case certificate
        case spansDropped = "spans_dropped"
        case clientAddressMissing = "client_address_missing"
    }

    package var kind: Kind {
        switch self {
        case .keysRescheduled: .keysRescheduled
        case .clockJumped: .clockJumped
        case .clockWasSet: .clockWasSet
        case .masterKeyMissing: .masterKeyMissing
        case .limitReached: .limitReached
        case .sessionsRecovered: .sessionsRecovered
        case .routeFailed: .routeFailed
        case .routeRecovered: .routeRecovered
        case .storeFailed: .storeFailed
        case .storeRecovered: .storeRecovered
        case .readinessChanged: .readinessChanged
        case .certificate: .certificate
        case .spansDropped: .spansDropped
        case .clientAddressMissing: .clientAddressMissing
        }
    }

    package var description: String {
        switch self {
        case .storeFailed(let error, let count):
            "the database failed \(count == 1 ? "once" : "\(count) times") since the last such line: \(error.reason). Calls that "
                + "write get 503 with Retry-After until it works again, and no session ends by it"
        case .storeRecovered(let failures, let seconds):
            "the database works again, after \(failures) failures in \(seconds) seconds"
        case .readinessChanged(let readiness): readiness.description
        case .certificate(let finding): finding.description
        case .spansDropped(let count, let reason):
            "\(count) spans of traces were not exported and are lost: \(reason). Calls are not affected"
        case .clientAddressMissing(let clients): clients.description
        case .keysRescheduled(let app, let keyIDs):
            "signing keys of app \(app) were created by a clock that was ahead; their times were corrected: "
                + "\(keyIDs.joined(separator: ", ")). Check that the clocks of all nodes are synchronized"
        case .clockJumped(let seconds):
            "the clock advanced by \(seconds) seconds more than the elapsed time. Tokens and codes expire by this clock, but "
                + "expired rows are not deleted by it until it has stayed there for a day: check the clock of this machine"
        case .clockWasSet(let seconds):
            "the system clock was set \(seconds < 0 ? "back" : "ahead") by \(abs(seconds)) seconds. While it is wrong, codes, "
                + "access tokens and sessions end too early or too late: compare it with NTP"
        case .limitReached(.sendsToCallingCode, let app, let callingCode, let until):
            "app \(app) has sent as many codes to \(callingCode ?? "a country") as its limits allow. It sends no more to "
                + "unknown devices until \(until): check for abuse, or raise limits.calling_code_sends_per_day"
        case .limitReached(.sendsToNumberRange, let app, let callingCode, let until):
            "app \(app) has sent as many codes to a range of numbers of \(callingCode ?? "a country") as its limits allow. It "
                + "sends no more to unknown devices there until \(until): check for abuse, or raise "
                + "limits.number_range_sends_per_day"
        case .limitReached(.sendsOfApp, let app, _, let until):
            "app \(app) has sent as many codes as its limits allow. It sends no more to unknown devices until \(until): "
                + "check for abuse, or raise limits.app_sends_per_day"
        case .limitReached(let limit, let app, _, let until):
            "app \(app) refuses calls by its limit \(limit.rawValue) until \(until); the setting is \(limit.setting)"
        case .sessionsRecovered(let count):
            "refresh tokens were newer than their sessions in the database, \(count) since the start of this process; the "
                + "sessions continue. Was the database restored from a backup? Then sessions that were revoked since the "
                + "backup are live again"
        case .routeFailed(let app, let channel, let failure):
            "messages of app \(app) are not sent by \(channel.rawValue): \(failure.route.map { "\($0): " } ?? "")"
                + "\(failure.stage): \(failure.reason)\(failure.reason.hasSuffix(".") ? "" : ".") They are tried again until "
                + "they expire. `prelude-session delivery test "
                + "--app \(app)` shows the remedy"
        case .routeRecovered(let app, let channel, let route):
            "messages of app \(app) are sent by \(channel.rawValue) again: \(route) has taken one"
        case .masterKeyMissing(let id):
            "signing keys in the database are sealed under the master key \(id.debugDescription), which this process does not "
                + "have. It continues with the keys that it opened before and uses no others: add that master key to the "
                + "master keys of this process, and restart it"
        }
    }
}
