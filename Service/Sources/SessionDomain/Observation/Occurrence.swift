/// Something that happened in the service.
///
/// No occurrence contains a token, code, password, key, proof, recipient or text of a caller. What observers use as a
/// label of a metric is an enum, or the type or stage of a route.
package enum Occurrence: Sendable {
    /// A condition that belongs in the operator's log.
    case notice(ServiceNotice)
    /// Work in the background has failed. It is tried again.
    case failed(BackgroundWork, any Error)

    /// A response was made.
    case request(ServedRequest)
    /// A request is refused. The reason says more than the response, which must not reveal it.
    case refused(RefusalReason)
    /// A request was rejected because the service has too many requests in work. No route has seen it.
    case requestShed(RequestClass)
    /// A connection has reached a limit, each time.
    case connectionLimit(ConnectionLimit)
    /// A refresh token was presented to an app.
    case refresh(RefreshResult, AppID)
    /// A spent refresh token ended its session.
    case reuse(RefreshTokenReuse)
    /// A login ended. `nil`: the challenge of the login is of an older version and does not name its method.
    case login(LoginMethod?, LoginResult)
    /// A call was refused by this limit, each time.
    case limitReached(LimitName)
    /// A limit of messages was reached. Only the first call at the limit reports it.
    case budgetSpent(LimitName)
    /// The answer of a hook was not used.
    case hookFailed(HookFailure)

    /// A code or notice was queued.
    case messageQueued(OTPLoginConfig.Channel, MessagePurpose)
    /// A route took a message.
    case messageSent(OTPLoginConfig.Channel, MessagePurpose, route: String)
    /// An attempt to send a message failed. Others may follow.
    case messageAttemptFailed(OTPLoginConfig.Channel, route: String, stage: String)
    /// No route took a message.
    case messageFailed(OTPLoginConfig.Channel, MessagePurpose, route: String, stage: String)
    /// The outbox was read. The lanes have this many parcels that are due.
    case outboxRead(OutboxKind, due: Int)
    /// A parcel was claimed for the first time, this many seconds after it was due.
    case outboxClaimed(OutboxKind, lag: Double)

    /// A password hash was computed or compared.
    ///
    /// - Parameters:
    ///   - waited: Seconds in the queue.
    ///   - took: Seconds on the thread.
    case passwordHashed(waited: Double, took: Double)
    /// The queue of password hashes had no place for a caller.
    case passwordHashRefused
    /// Waiting writes were committed, or their commit has failed.
    case committed(CommitBatch)
    /// The queue of writes had no place.
    case writeRefused
    /// A request of the service to another server ended.
    case called(EgressCall)
    /// The collector of traces took this many spans.
    case spansExported(Int)
    /// This many spans were not exported, and are lost.
    case spansDropped(Int)
    /// The current signing keys of all apps, once a minute.
    case keyAges([StoredSigningKey.Purpose: Int64])
}

/// Work whose failure no response reports.
package enum BackgroundWork: String, Sendable, CaseIterable {
    case housekeeping, webhooks, messages
    /// A stronger hash of a right password.
    case hashUpgrade = "hash_upgrade"
}

/// A request that was answered.
package struct ServedRequest: Sendable {
    /// The template of the route, such as `/v1/session/refresh`. It contains no value of the path.
    package let route: String
    package let method: String
    package let status: Int
    package let seconds: Double
    /// The app that the request is about, as far as it was found.
    package let app: AppID?
    /// `nil`: the request was not refused.
    package let reason: RefusalReason?

    package init(
        route: String, method: String, status: Int, seconds: Double, app: AppID? = nil, reason: RefusalReason? = nil
    ) {
        self.route = route
        self.method = method
        self.status = status
        self.seconds = seconds
        self.app = app
        self.reason = reason
    }

    /// Whether a route is one of the frontend API.
    package static func isOfApps(_ route: String) -> Bool { route.hasPrefix("/v1/") }

    /// Whether a route is one of the frontend or of the management API.
    package static func isCall(_ route: String) -> Bool { isOfApps(route) || route.hasPrefix("/v2/") }
}

/// What a presented refresh token resulted in.
package enum RefreshResult: String, Sendable, CaseIterable {
    case rotated
    /// The response was lost: the same successor was returned again.
    case repeated
    /// The stored session was behind the device's token and continues with it.
    case recovered
    case nonceDemanded = "nonce_demanded"
    case refused
    /// A spent token ended the session.
    case reused
    /// The session ended for another reason, because its user is not active.
    case ended
    /// The token is not one of this service, or of another app.
    case invalidToken = "invalid_token"
}

package enum LoginResult: Sendable, Equatable {
    case succeeded
    case failed(LoginFailure)

    /// The name in metrics and logs.
    package var name: String {
        switch self {
        case .succeeded: "succeeded"
        case .failed(let failure): failure.rawValue
        }
    }
}

/// What an outbox contains.
package enum OutboxKind: String, Sendable, CaseIterable {
    case messages, webhooks

    var work: BackgroundWork {
        switch self {
        case .messages: .messages
        case .webhooks: .webhooks
        }
    }
}

/// Writes that shared a transaction.
package struct CommitBatch: Sendable {
    package let writes: Int
    /// Seconds that the first of them waited for the transaction.
    package let waited: Double
    /// Seconds of the transaction, with the sync of the disk.
    package let took: Double
    package let hasFailed: Bool
    /// Writes that wait now.
    package let waiting: Int

    package init(writes: Int, waited: Double, took: Double, hasFailed: Bool, waiting: Int) {
        self.writes = writes
        self.waited = waited
        self.took = took
        self.hasFailed = hasFailed
        self.waiting = waiting
    }
}

/// A request of the service to another server, without its URL.
package struct EgressCall: Sendable {
    package enum Result: String, Sendable, CaseIterable {
        /// A status below 400.
        case answered
        /// A status of 400 or more.
        case errorStatus = "error_status"
        case refusedURL = "refused_url"
        case refusedAddress = "refused_address"
        case cannotResolve = "cannot_resolve"
        case timedOut = "timed_out"
        case answerTooLarge = "answer_too_large"
        case connectionFailed = "connection_failed"
    }

    package let result: Result
    package let seconds: Double

    package init(_ result: Result, seconds: Double) {
        self.result = result
        self.seconds = seconds
    }
}

extension EgressCall.Result {
    package init(_ error: EgressError) {
        self =
            switch error {
            case .refusedURL: .refusedURL
            case .refusedAddress: .refusedAddress
            case .cannotResolve: .cannotResolve
            case .timedOut: .timedOut
            case .answerTooLarge: .answerTooLarge
            case .connectionFailed: .connectionFailed
            }
    }
}
