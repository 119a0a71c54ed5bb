package import CoreMetrics
package import SessionDomain
internal import Synchronization

/// Counts and measures what it observes, through swift-metrics.
///
/// The counters of names that are known exist from the start, so that the first event is an increase. Routes and statuses of
/// requests get their series when they first occur.
package final class MetricsObserver: ServiceObserver {
    private let factory: any MetricsFactory
    private let refreshes: EnumCounters<RefreshResult>
    private let reuses: EnumCounters<RefreshTokenReuse>
    private let background: EnumCounters<BackgroundWork>
    private let egress: EnumCounters<EgressCall.Result>
    private let shed: EnumCounters<RequestClass>
    private let connectionLimits: EnumCounters<ConnectionLimit>
    private let hooks: EnumCounters<HookFailure>
    private let hashRefusals: Counter
    private let hashDuration: Recorder
    private let hashWait: Recorder
    private let commitDuration: Recorder
    private let commitWait: Recorder
    private let commitBatch: Recorder
    private let commitFailures: Counter
    private let writesWaiting: Meter
    private let writeRefusals: Counter
    private let egressDuration: Recorder
    private let spansExported: Counter
    private let spansDropped: Counter
    private let outboxDue: [OutboxKind: Meter]
    private let outboxLag: [OutboxKind: Recorder]
    private let requests: RequestMetrics
    private let named: NamedCounters

    /// - Parameter version: The version of the service, for the build info.
    package init(factory: any MetricsFactory, version: String) {
        self.factory = factory
        func counter(_ metric: MetricDescription) -> Counter { Counter(label: metric.name, factory: factory) }
        func recorder(_ metric: MetricDescription, _ dimensions: [(String, String)] = []) -> Recorder {
            Recorder(label: metric.name, dimensions: dimensions, aggregate: true, factory: factory)
        }
        refreshes = EnumCounters(MetricCatalogue.refreshes, factory)
        reuses = EnumCounters(MetricCatalogue.reuses, factory)
        background = EnumCounters(MetricCatalogue.backgroundErrors, factory)
        egress = EnumCounters(MetricCatalogue.egressCalls, factory)
        hooks = EnumCounters(MetricCatalogue.hookFailures, factory)
        shed = EnumCounters(MetricCatalogue.shedRequests, factory)
        connectionLimits = EnumCounters(MetricCatalogue.connectionLimits, factory)
        hashRefusals = counter(MetricCatalogue.hashRefusals)
        hashDuration = recorder(MetricCatalogue.hashDuration)
        hashWait = recorder(MetricCatalogue.hashWait)
        commitDuration = recorder(MetricCatalogue.commitDuration)
        commitWait = recorder(MetricCatalogue.commitWait)
        commitBatch = recorder(MetricCatalogue.commitBatch)
        commitFailures = counter(MetricCatalogue.commitFailures)
        writesWaiting = Meter(label: MetricCatalogue.writesWaiting.name, factory: factory)
        writeRefusals = counter(MetricCatalogue.writeRefusals)
        egressDuration = recorder(MetricCatalogue.egressDuration)
        spansExported = counter(MetricCatalogue.spansExported)
        spansDropped = counter(MetricCatalogue.spansDropped)
        outboxDue = OutboxKind.each { kind in
            Meter(label: MetricCatalogue.outboxDue.name, dimensions: [("outbox", kind.rawValue)], factory: factory)
        }
        outboxLag = OutboxKind.each { recorder(MetricCatalogue.outboxLag, [("outbox", $0.rawValue)]) }
        requests = RequestMetrics(factory)
        named = NamedCounters(factory, KnownSeries.all)
        Meter(label: MetricCatalogue.buildInfo.name, dimensions: [("version", version)], factory: factory).set(1)
        for outbox in outboxDue.values { outbox.set(0) }
        writesWaiting.set(0)
    }

    package func observe(_ occurrence: Occurrence) {
        switch occurrence {
        case .request(let request): requests.count(request)
        case .refresh(let result, _): refreshes.increment(result)
        case .committed(let batch):
            commitBatch.record(batch.writes)
            commitWait.record(batch.waited)
            commitDuration.record(batch.took)
            writesWaiting.set(batch.waiting)
            if batch.hasFailed { commitFailures.increment() }
        case .outboxRead(let kind, let due): outboxDue[kind]?.set(due)
        case .outboxClaimed(let kind, let lag): outboxLag[kind]?.record(lag)
        case .reuse(let reuse): reuses.increment(reuse)
        case .failed(let work, _): background.increment(work)
        case .hookFailed(let failure): hooks.increment(failure)
        case .passwordHashed(let waited, let took):
            hashWait.record(waited)
            hashDuration.record(took)
        case .passwordHashRefused: hashRefusals.increment()
        case .writeRefused: writeRefusals.increment()
        case .called(let call):
            egress.increment(call.result)
            egressDuration.record(call.seconds)
        case .spansExported(let count): spansExported.increment(by: count)
        case .spansDropped(let count): spansDropped.increment(by: count)
        case .keyAges(let ages):
            for (purpose, age) in ages {
                Meter(
                    label: MetricCatalogue.keyAge.name, dimensions: [("purpose", purpose.rawValue)], factory: factory
                ).set(age)
            }
        case .requestShed(let requestClass): shed.increment(requestClass)
        case .connectionLimit(let limit): connectionLimits.increment(limit)
        case .notice, .refused, .login, .limitReached, .budgetSpent, .messageQueued, .messageSent,
            .messageAttemptFailed, .messageFailed:
            count(occurrence)
        }
    }

    /// Occurrences that several names describe.
    private func count(_ occurrence: Occurrence) {
        switch occurrence {
        case .notice(let notice): named.increment(MetricCatalogue.notices, [notice.kind.rawValue])
        case .refused(let reason):
            named.increment(MetricCatalogue.refusals, [reason.name])
            if reason.isAboutProof { named.increment(MetricCatalogue.rejectedProofs, [reason.name]) }
        case .login(let method, let result):
            named.increment(MetricCatalogue.logins, [method?.rawValue ?? KnownSeries.unknownMethod, result.name])
        case .limitReached(let limit): named.increment(MetricCatalogue.limits, [limit.rawValue])
        case .budgetSpent(let limit): named.increment(MetricCatalogue.budgets, [limit.rawValue])
        case .messageQueued(let channel, let purpose):
            named.increment(MetricCatalogue.messagesQueued, [channel.rawValue, purpose.rawValue])
        case .messageSent(let channel, let purpose, let route):
            named.increment(MetricCatalogue.messagesSent, [channel.rawValue, purpose.rawValue, route])
        case .messageAttemptFailed(let channel, let route, let stage):
            named.increment(MetricCatalogue.attemptsFailed, [channel.rawValue, route, stage])
        case .messageFailed(let channel, let purpose, let route, let stage):
            named.increment(MetricCatalogue.messagesFailed, [channel.rawValue, purpose.rawValue, route, stage])
        default: break
        }
    }
}

extension OutboxKind {
    fileprivate static func each<Value>(_ make: (OutboxKind) -> Value) -> [OutboxKind: Value] {
        Dictionary(uniqueKeysWithValues: allCases.map { ($0, make($0)) })
    }
}

/// A counter for each case of an enum, made once.
struct EnumCounters<Key: RawRepresentable<String> & CaseIterable & Hashable & Sendable>: Sendable {
    private let counters: [Key: Counter]

    init(_ metric: MetricDescription, _ factory: any MetricsFactory) {
        let pairs = Key.allCases.map { key in
            let dimensions = Array(zip(metric.labels, [key.rawValue]))
            return (key, Counter(label: metric.name, dimensions: dimensions, factory: factory))
        }
        counters = Dictionary(uniqueKeysWithValues: pairs)
    }

    func increment(_ key: Key) { counters[key]?.increment() }
}

/// Counters by names that the source code contains. Not for calls that succeed.
final class NamedCounters: Sendable {
    private struct Key: Hashable {
        let metric: String
        let values: [String]
    }

    private let factory: any MetricsFactory
    private let counters = Mutex<[Key: Counter]>([:])

    /// - Parameter known: The series that exist from the start, with the values of their labels.
    init(_ factory: any MetricsFactory, _ known: [(metric: MetricDescription, values: [String])]) {
        self.factory = factory
        for series in known { _ = counter(series.metric, series.values) }
    }

    func increment(_ metric: MetricDescription, _ values: [String]) {
        counter(metric, values).increment()
    }

    private func counter(_ metric: MetricDescription, _ values: [String]) -> Counter {
        counters.withLock { counters in
            let key = Key(metric: metric.name, values: values)
            if let counter = counters[key] { return counter }
            let counter = Counter(
                label: metric.name, dimensions: Array(zip(metric.labels, values)), factory: factory)
            counters[key] = counter
            return counter
        }
    }
}

/// The counter and the histogram of each route, found with one look-up.
final class RequestMetrics: Sendable {
    private struct Key: Hashable {
        let route: String
        let method: String
        let status: Int
    }

    private struct Series {
        let counter: Counter
        let duration: Recorder
    }

    private let factory: any MetricsFactory
    private let series = Mutex<[Key: Series]>([:])

    private static let methods: Set = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

    init(_ factory: any MetricsFactory) { self.factory = factory }

    func count(_ request: ServedRequest) {
        // A caller can invent methods.
        let method = Self.methods.contains(request.method) ? request.method : "other"
        let key = Key(route: request.route, method: method, status: request.status)
        let series = series.withLock { known in
            if let series = known[key] { return series }
            let dimensions = [("route", key.route), ("method", method), ("status", String(key.status))]
            let new = Series(
                counter: Counter(label: MetricCatalogue.requests.name, dimensions: dimensions, factory: factory),
                duration: Recorder(
                    label: MetricCatalogue.requestDuration.name, dimensions: [("route", key.route)], aggregate: true,
                    factory: factory))
            known[key] = new
            return new
        }
        series.counter.increment()
        series.duration.record(request.seconds)
    }
}

/// Reads what the graphs of the console show from the metrics of this process.
package struct ActivityReader: Sendable {
    private let registry: MetricsRegistry
    /// The routes of calls that begin a login.
    private let loginStarts: Set<String>

    package init(registry: MetricsRegistry, loginStarts: Set<String>) {
        self.registry = registry
        self.loginStarts = loginStarts
    }

    /// All amounts since the start of the process.
    package func totals() -> ActivityAmounts {
        var amounts = ActivityAmounts()
        addCalls(to: &amounts)
        for (labels, count) in registry.counts(of: MetricCatalogue.logins) {
            amounts[labels.last == LoginResult.succeeded.name ? .loginsSucceeded : .loginsFailed] += count
        }
        for (labels, count) in registry.counts(of: MetricCatalogue.refreshes) {
            if let kind = labels.first.flatMap(RefreshResult.init(rawValue:)).flatMap({ ActivityCount($0) }) {
                amounts[kind] += count
            }
        }
        addMessages(to: &amounts)
        return amounts
    }

    private func addCalls(to amounts: inout ActivityAmounts) {
        for (labels, count) in registry.counts(of: MetricCatalogue.requests) where ServedRequest.isCall(labels[0]) {
            if let kind = ActivityCount(status: Int(labels[2]) ?? 0) {
                amounts[kind] += count
            } else if labels[1] == "POST", loginStarts.contains(labels[0]) {
                // Browsers ask with OPTIONS whether they may send the call.
                amounts[.loginsStarted] += count
            }
        }
        let demands = registry.counts(of: MetricCatalogue.refusals)[[RefusalReason.proof(.nonceRequired).name]] ?? 0
        amounts[.callsRefused] = max(0, amounts[.callsRefused] - demands)
        // No route has seen them.
        amounts[.callsLimited] += registry.counts(of: MetricCatalogue.shedRequests).values.reduce(0, +)
        for (labels, buckets) in registry.buckets(of: MetricCatalogue.requestDuration)
        where ServedRequest.isOfApps(labels[0]) {
            for (index, count) in buckets.enumerated() { amounts.latency.counts[index] += count }
        }
    }

    private func addMessages(to amounts: inout ActivityAmounts) {
        let channel = OTPLoginConfig.Channel.sms.rawValue
        for (labels, count) in registry.counts(of: MetricCatalogue.messagesSent) {
            amounts[labels.first == channel ? .smsSent : .mailsSent] += count
        }
        for (labels, count) in registry.counts(of: MetricCatalogue.messagesFailed) {
            amounts[labels.first == channel ? .smsFailed : .mailsFailed] += count
        }
    }
}
