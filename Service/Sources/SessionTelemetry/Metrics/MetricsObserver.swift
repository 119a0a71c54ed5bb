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
