internal import SessionDomain

/// All metrics of the service. The registry exports no others, so no library can add labels without bounds.
///
/// No label is an id, an address or a text of a caller, and no metric has the app as a label: a service may have thousands
/// of apps. Events are the source for figures of one app.
package enum MetricCatalogue {
    private static let latency = MetricDescription.Kind.histogram(buckets: LatencyCounts.bounds)
    private static let quick = MetricDescription.Kind.histogram(
        buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5])
    private static let sizes = MetricDescription.Kind.histogram(buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256])
    private static let lag = MetricDescription.Kind.histogram(
        buckets: [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600])

    package static let requests = MetricDescription(
        "prelude_session_http_requests_total", .counter, labels: ["route", "method", "status"],
        "Requests that were answered, by the template of their route.")
    package static let requestDuration = MetricDescription(
        "prelude_session_http_request_duration_seconds", latency, labels: ["route"],
        "Time from the head of a request to its response.")
    package static let refusals = MetricDescription(
        "prelude_session_refusals_total", .counter, labels: ["reason"], "Requests that were refused, by reason.")
    package static let rejectedProofs = MetricDescription(
        "prelude_session_dpop_proofs_rejected_total", .counter, labels: ["reason"],
        "DPoP proofs that were rejected or missing, by reason.")
    package static let refreshes = MetricDescription(
        "prelude_session_refreshes_total", .counter, labels: ["result"], "Presented refresh tokens, by result.")
    package static let reuses = MetricDescription(
        "prelude_session_refresh_token_reuses_total", .counter, labels: ["reason"],
        "Sessions that a spent refresh token ended, by reason.")
    package static let logins = MetricDescription(
        "prelude_session_logins_total", .counter, labels: ["method", "outcome"],
        "Logins that succeeded or failed, by method and outcome.")
    package static let limits = MetricDescription(
        "prelude_session_limits_reached_total", .counter, labels: ["limit"], "Calls that a limit refused.")
    package static let budgets = MetricDescription(
        "prelude_session_message_budgets_spent_total", .counter, labels: ["limit"],
        "Limits of messages that were reached, once for each window.")
    package static let hookFailures = MetricDescription(
        "prelude_session_hook_failures_total", .counter, labels: ["reason"], "Answers of hooks that were not used.")

    package static let messagesQueued = MetricDescription(
        "prelude_session_messages_queued_total", .counter, labels: ["channel", "purpose"],
        "Codes and notices that were queued.")
    package static let messagesSent = MetricDescription(
        "prelude_session_messages_sent_total", .counter, labels: ["channel", "purpose", "route"],
        "Messages that a route took.")
    package static let messagesFailed = MetricDescription(
        "prelude_session_messages_failed_total", .counter, labels: ["channel", "purpose", "route", "stage"],
        "Messages that no route took.")
    package static let attemptsFailed = MetricDescription(
        "prelude_session_message_attempts_failed_total", .counter, labels: ["channel", "route", "stage"],
        "Attempts to send a message that failed. Others may follow.")
    package static let outboxDue = MetricDescription(
        "prelude_session_outbox_due", .gauge, labels: ["outbox"], "Items that were due at the last look.")
    package static let outboxLag = MetricDescription(
        "prelude_session_outbox_lag_seconds", lag, labels: ["outbox"],
        "Time from the commit of an item to its first attempt.")

    package static let hashDuration = MetricDescription(
        "prelude_session_password_hash_duration_seconds", latency, "Time of a password hash on its thread.")
    package static let hashWait = MetricDescription(
        "prelude_session_password_hash_wait_seconds", latency, "Time of a password hash in the queue.")
    package static let hashRefusals = MetricDescription(
        "prelude_session_password_hash_refused_total", .counter, "Calls for which the queue of hashes had no place.")
    package static let commitDuration = MetricDescription(
        "prelude_session_commit_duration_seconds", quick, "Time of a transaction, with the sync of the disk.")
    package static let commitWait = MetricDescription(
        "prelude_session_commit_wait_seconds", quick, "Time that the first write of a transaction waited for it.")
    package static let commitBatch = MetricDescription(
        "prelude_session_commit_batch_writes", sizes, "Writes that shared a transaction.")
    package static let commitFailures = MetricDescription(
        "prelude_session_commit_failures_total", .counter, "Transactions that failed.")
    package static let writesWaiting = MetricDescription(
        "prelude_session_writes_waiting", .gauge, "Writes that waited after the last transaction.")
    package static let writeRefusals = MetricDescription(
        "prelude_session_writes_refused_total", .counter, "Writes for which the queue had no place.")
    package static let egressCalls = MetricDescription(
        "prelude_session_egress_requests_total", .counter, labels: ["result"],
        "Requests of the service to hooks, webhooks, gateways and key sets.")
    package static let egressDuration = MetricDescription(
        "prelude_session_egress_request_duration_seconds", latency, "Time of a request of the service.")
    package static let spansExported = MetricDescription(
        "prelude_session_spans_exported_total", .counter, "Spans of traces that the collector took.")
    package static let spansDropped = MetricDescription(
        "prelude_session_spans_dropped_total", .counter, "Spans of traces that were lost.")

    package static let keyAge = MetricDescription(
        "prelude_session_signing_key_age_seconds", .gauge, labels: ["purpose"],
        "Age of the oldest current signing key of all apps.")
    package static let notices = MetricDescription(
        "prelude_session_notices_total", .counter, labels: ["notice"], "Warnings to the operator.")
    package static let backgroundErrors = MetricDescription(
        "prelude_session_background_errors_total", .counter, labels: ["work"],
        "Rounds of work in the background, and upgrades of password hashes, that failed.")
    package static let shedRequests = MetricDescription(
        "prelude_session_requests_shed_total", .counter, labels: ["class"],
        "Requests that were rejected because too many were in work.")
    package static let connectionLimits = MetricDescription(
        "prelude_session_connection_limits_total", .counter, labels: ["limit"],
        "Limits that connections have reached.")
    package static let connectionsOpen = MetricDescription(
        "prelude_session_connections_open", .gauge, labels: ["listener"], "Open connections.")
    package static let requestsInWork = MetricDescription(
        "prelude_session_requests_in_work", .gauge, labels: ["class"], "Requests that the service works on.")
    package static let ready = MetricDescription(
        "prelude_session_ready", .gauge, "1 if load balancers may send requests to this node, or 0.")
    package static let healthCheckOK = MetricDescription(
        "prelude_session_health_check_ok", .gauge, labels: ["check"], "1 if the check has found nothing, or 0.")
    package static let databaseLogBytes = MetricDescription(
        "prelude_session_database_log_bytes", .gauge, "Size of the log of the database, the file -wal.")
    package static let droppedLines = MetricDescription(
        "prelude_session_log_lines_dropped_total", .counter, "Lines of the log that could not be written.")
    package static let buildInfo = MetricDescription(
        "prelude_session_build_info", .gauge, labels: ["version"], "1, with the version of the service.")

    package static let all = [
        requests, requestDuration, refusals, rejectedProofs, refreshes, reuses, logins, limits, budgets, hookFailures,
        messagesQueued, messagesSent, messagesFailed, attemptsFailed, outboxDue, outboxLag, hashDuration, hashWait,
        hashRefusals, commitDuration, commitWait, commitBatch, commitFailures, writesWaiting, writeRefusals,
        egressCalls, egressDuration, spansExported, spansDropped, keyAge, notices, backgroundErrors, shedRequests,
        connectionLimits, connectionsOpen, requestsInWork, ready, healthCheckOK, databaseLogBytes, droppedLines,
        buildInfo,
    ]
}

/// A metric that the service exports: what `docs/observability.md` lists.
package struct MetricDescription: Sendable {
    package enum Kind: Sendable, Equatable {
        case counter, gauge
        /// - Parameter buckets: The upper bounds, without infinity.
        case histogram(buckets: [Double])

        package var name: String {
            switch self {
            case .counter: "counter"
            case .gauge: "gauge"
            case .histogram: "histogram"
            }
        }
    }

    package let name: String
    package let kind: Kind
    package let labels: [String]
    package let help: String

    package init(_ name: String, _ kind: Kind, labels: [String] = [], _ help: String) {
        self.name = name
        self.kind = kind
        self.labels = labels
        self.help = help
    }
}
