internal import Dispatch

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
    /// The outbox was read. The queues have this many items that are due.
    case outboxRead(OutboxKind, due: Int)
    /// An item was claimed for the first time, this many seconds after it was due.
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

extension Decision {
    /// What a store reports after it has committed the changes of this decision.
    package var occurrences: [Occurrence] {
        guard isCommitted else { return [] }
        return changes.compactMap { change in
            switch change {
            case .append(let event): event.occurrence
            // A message that must not be sent is no message for metrics.
            case .insertMessage(let message):
                message.content.withheld == nil ? .messageQueued(message.channel, message.content.purpose) : nil
            default: nil
            }
        }
    }
}

extension Occurrence {
    static func limitReached(_ limit: LimitName, of app: AppID, callingCode: String?, until: Timestamp) -> Occurrence {
        .notice(.limitReached(limit, app: app, callingCode: callingCode, until: until.rfc3339))
    }
}

/// A limit of connections that a client has reached: a name for logs and metrics.
package enum ConnectionLimit: String, Sendable, CaseIterable {
    /// There were too many connections: the one that waited longest for its client was closed.
    case closedWaiting = "closed_waiting"
    /// All connections were busy: a request was rejected, because only health checks are answered on its connection.
    case onlyHealthChecks = "only_health_checks"
    /// All connections were busy, also those for health checks: a new one was closed at once.
    case refused
    /// A new connection could not be accepted: the process has no free file descriptor, or the system no memory.
    case notAccepted = "not_accepted"
    /// The TLS handshake took too long.
    case slowHandshake = "slow_handshake"
    /// A client broke the rules or limits of HTTP/2.
    case brokenHTTP2 = "broken_http2"
    /// The headers of a request took too long.
    case slowHeader = "slow_header"
    /// The body of a request took too long.
    case slowBody = "slow_body"
    /// A client did not read its response.
    case slowReader = "slow_reader"
}

/// Receives what happens in the service, and makes logs, metrics and traces of it.
///
/// The rules and the edges call it; exporters implement it, so the rules know none of them. A call is synchronous, on the
/// task or thread whose work it reports. An observer returns within microseconds and waits for nothing.
package protocol ServiceObserver: Sendable {
    func observe(_ occurrence: Occurrence)

    /// Nanoseconds since an arbitrary point, for the durations in occurrences. Setting the system clock has no effect.
    func instant() -> UInt64

    /// Makes spans of the work. `nil`: traces are off.
    var tracer: (any WorkTracer)? { get }
}

extension ServiceObserver {
    package func instant() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

    package var tracer: (any WorkTracer)? { nil }

    /// Seconds since an instant of this observer.
    package func seconds(since start: UInt64) -> Double {
        let now = instant()
        return now > start ? Double(now - start) / 1_000_000_000 : 0
    }
}

/// Ignores everything, and measures nothing.
package struct NoObserver: ServiceObserver {
    package init() {}

    package func observe(_ occurrence: Occurrence) {}

    package func instant() -> UInt64 { 0 }
}

/// Several observers. Each receives every occurrence, in the order of the list.
package struct Observers: ServiceObserver {
    private let observers: [any ServiceObserver]
    package let tracer: (any WorkTracer)?

    package init(_ observers: [any ServiceObserver], tracer: (any WorkTracer)? = nil) {
        self.observers = observers
        self.tracer = tracer
    }

    package func observe(_ occurrence: Occurrence) {
        for observer in observers { observer.observe(occurrence) }
    }
}

/// Makes spans of the service's work.
///
/// The rules and the edges say what they do; an exporter implements this, so they know no format and no library of traces.
package protocol WorkTracer: Sendable {
    /// Does work in a span of its own. Work inside it is part of the same trace, also in child tasks.
    ///
    /// - Parameter body: Receives the span. `nil`: the work is part of no trace.
    func trace<Value, Failure: Error>(
        _ work: TracedWork, isolation: isolated (any Actor)?,
        _ body: ((any WorkSpan)?) async throws(Failure) -> Value
    ) async throws(Failure) -> Value
}

/// One piece of work in a trace.
package protocol WorkSpan: Sendable {
    /// The id of the trace, in 32 hexadecimal digits. `nil`: the trace is not recorded, and no caller has begun it.
    var traceID: String? { get }
    /// The value of `traceparent` in a request that this work sends (W3C Trace Context §3.2).
    var traceparent: String { get }

    func note(_ detail: WorkDetail)

    /// Removes the span: its work is not worth a trace, such as a health check.
    func discard()
}

extension ServiceObserver {
    /// Does work in a span of its own if traces are on. If they are off, this only calls the body.
    package func trace<Value, Failure: Error>(
        _ work: @autoclosure () -> TracedWork, isolation: isolated (any Actor)? = #isolation,
        _ body: ((any WorkSpan)?) async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard let tracer else { return try await body(nil) }
        return try await tracer.trace(work(), isolation: isolation, body)
    }
}

/// Work that a trace shows as one span.
package enum TracedWork: Sendable {
    /// A request of a caller. It begins a trace, or continues that of the caller.
    ///
    /// - Parameters:
    ///   - traceparents: The values of the header `traceparent`, as the caller has sent them (W3C Trace Context §3.2).
    ///   - isTrusted: Whether a trusted proxy has sent them. Otherwise they do not decide whether the trace is recorded.
    case request(traceparents: [String], isTrusted: Bool)
    /// The delivery of an item. It begins a trace.
    case delivery(OutboxKind)
    /// A request of the service to another server.
    case egress(method: String)
    /// An attempt to send a message.
    case messageAttempt(OTPLoginConfig.Channel, route: String)
    /// A call that reads, decides and writes.
    case intent(any Intent.Type)
    /// The transaction that a write shares with others, with the time that it waits for it.
    case commit
    /// A password hash, with the time that it waits for a thread.
    case passwordHash

    /// Whether the work begins a trace when it is part of none. Other work is traced only as part of a trace, so that each
    /// look into an outbox is not a trace of its own.
    package var beginsTrace: Bool {
        switch self {
        case .request, .delivery, .egress: true
        case .messageAttempt, .intent, .commit, .passwordHash: false
        }
    }
}

/// What a span shows about its work. No detail is a token, code, password, key, recipient, path or query.
package enum WorkDetail: Sendable {
    /// - Parameter route: The template of the route. It contains no value of the path.
    case answered(method: String, route: String, status: Int, code: String?)
    case requestID(String)
    case app(AppID)
    /// The name of the server that is called.
    case host(String)
    case status(Int)
    /// Writes that shared the transaction, and the seconds that the first of them waited for it.
    case batch(writes: Int, waited: Double)
    /// Seconds in the queue.
    case waited(Double)
    /// The work has failed.
    ///
    /// - Parameter name: A name that the source code contains.
    case failed(_ name: String)
}
