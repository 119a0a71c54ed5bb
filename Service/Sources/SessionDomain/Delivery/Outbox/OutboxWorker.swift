internal import Synchronization

/// Rows that a commit wrote and that are delivered later, in queues that do not wait for each other.
///
/// An item is claimed with a lease: other workers do not see it until the lease ends. If the process ends before the
/// result is stored, the item is due again at the end of the lease. So each item is delivered at least once.
package protocol Outbox: Sendable {
    /// What is delivered one after the other, or `width` at a time.
    associatedtype Queue: Identifiable & Sendable where Queue.ID: Sendable
    associatedtype Item: Sendable

    /// The name in logs and metrics.
    static var kind: OutboxKind { get }
    /// The number of deliveries of one queue at the same time.
    static var width: Int { get }
    /// The number of deliveries of all queues at the same time.
    static var capacity: Int { get }
    /// Seconds that running deliveries get to end when the worker finishes.
    static var grace: Int { get }

    /// The queues that have something due, longest due first, with the number of items.
    func due(at now: Timestamp) async throws -> [(queue: Queue, count: Int)]
    /// Claims the next item of a queue. `nil` if nothing is due.
    func claim(in queue: Queue, at now: Timestamp) async throws -> Item?
    /// Notes an item that its commit has claimed.
    ///
    /// - Returns: Whether it may be delivered. `false` if it is being delivered.
    func begin(_ item: Item, at now: Timestamp) -> Bool
    /// Makes one attempt and stores its result.
    ///
    /// - Returns: Whether the queue may go on at once.
    func deliver(_ item: Item) async throws -> Bool
}

extension Outbox {
    package func begin(_ item: Item, at now: Timestamp) -> Bool { true }
}

/// Delivers what is due in an outbox. A slow queue does not delay the others.
package final class OutboxWorker<Box: Outbox>: Sendable {
    let outbox: Box
    private let environment: ServiceEnvironment
    private let wakeUp = WakeUpSignal()
    private let closing = WakeUpSignal()
    private let slots = DeliverySlots<Box.Queue>(width: Box.width, capacity: Box.capacity)
    private let news = Mutex(News())

    /// What commits of this process have told since the last round.
    private struct News {
        /// The queues of single items.
        var queues: [Box.Queue] = []
        /// Items that their commits have claimed. Each has a slot.
        var claimed: [(item: Box.Item, queue: Box.Queue)] = []
        /// Whether the queues that have something due must be read.
        var isUnknown = false
        /// Whether rounds follow.
        var isRunning = false
    }

    init(_ outbox: Box, environment: ServiceEnvironment) {
        self.outbox = outbox
        self.environment = environment
    }

    /// Tells the worker that a commit has written something. It does not wait.
    package func wake() {
        news.withLock { $0.isUnknown = true }
        wakeUp.send()
    }

    /// Tells the worker that a commit has written an item of this queue. So it need not read which queues have something due.
    package func wake(for queue: Box.Queue) {
        // The first round of `run` reads all queues.
        news.withLock { if $0.isRunning { $0.queues.append(queue) } }
        wakeUp.send()
    }

    /// Takes a slot for an item that a commit is going to write and to claim.
    ///
    /// - Returns: `false` if the worker does not run, or has no slot at once.
    func takeSlot(in queue: Box.Queue) -> Bool {
        news.withLock(\.isRunning) && !isClosing && slots.takeSlot(in: queue)
    }

    /// Returns a slot without a delivery. A queue that waits for it gets it at once.
    func returnSlot(in queue: Box.Queue) {
        if slots.free(queue) { wake() }
    }

    /// Delivers an item that a commit has claimed, in the slot that was taken before.
    func deliver(_ item: Box.Item, in queue: Box.Queue) {
        let isAccepted = news.withLock { news in
            if news.isRunning { news.claimed.append((item, queue)) }
            return news.isRunning
        }
        // After the last round, the item waits for the end of its lease.
        guard isAccepted else { return returnSlot(in: queue) }
        wakeUp.send()
    }

    /// How often the worker was woken.
    package var wakeCount: Int { wakeUp.count }

    /// Starts nothing more. `run` ends when the running deliveries have ended, and cancels them after the outbox's grace.
    package func finish() {
        closing.send()
        wakeUp.send()
    }

    private var isClosing: Bool { closing.count > 0 }

    /// Delivers what is due until `finish` or until cancelled: at each `wake`, and once a second. An error is observed, and
    /// the next round retries.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.runRounds() }
            group.addTask {
                await self.closing.wait(beyond: 0)
                guard !Task.isCancelled else { return }
                try? await self.environment.sleep(Box.grace)
            }
            await group.next()
            group.cancelAll()
        }
    }

    /// Returns when no round follows and the deliveries have ended.
    private func runRounds() async {
        let report = { @Sendable (error: any Error) in
            if !(error is CancellationError) { self.environment.observer.observe(.failed(Box.kind.work, error)) }
        }
        await withDiscardingTaskGroup { group in
            var nextRead = Int64.min
            func deliver(_ claimed: [(item: Box.Item, queue: Box.Queue)]) {
                for (item, queue) in claimed { group.addTask { await self.work(from: queue, with: item, report) } }
            }
            defer { deliver(readNews(isLast: true).claimed) }
            while !Task.isCancelled, !isClosing {
                let seen = wakeUp.count
                let news = readNews()
                deliver(news.claimed)
                for queue in slots.reserve(adding: news.queues) {
                    group.addTask { await self.work(from: queue, report) }
                }
                // A round without news follows a rest of a second. Commits that come all the time must not keep the worker
                // from what is due by time.
                if news.isUnknown || (news.queues.isEmpty && news.claimed.isEmpty) || environment.uptime() >= nextRead {
                    nextRead = environment.uptime() + 1000
                    do {
                        for queue in try await reserve() { group.addTask { await self.work(from: queue, report) } }
                    } catch {
                        report(error)
                    }
                }
                guard await rest(after: seen) else { break }
            }
        }
    }

    private func readNews(isLast: Bool = false) -> News {
        news.withLock { news in
            defer {
                news = News()
                news.isRunning = !isLast
            }
            return news
        }
    }

    /// Delivers what is due now and returns when that is done. A queue that stops goes on in the next call.
    ///
    /// - Throws: The first error of a delivery, after all of them.
    package func deliverDue() async throws {
        var worked: Set<Box.Queue.ID> = []
        let failure = FirstError()
        while failure.error == nil {
            let queues = try await reserve(except: worked)
            if queues.isEmpty { return }
            worked.formUnion(queues.map(\.id))
            await withDiscardingTaskGroup { group in
                for queue in queues { group.addTask { await self.work(from: queue, failure.note) } }
            }
        }
        if let error = failure.error { throw error }
    }

    /// Returns when no delivery of this process is in progress.
    package func settle() async { await slots.settle() }

    /// Reserves slots for the items that are due, and returns the queue of each.
    private func reserve(except worked: Set<Box.Queue.ID> = []) async throws -> [Box.Queue] {
        let due = try await outbox.due(at: environment.now())
        environment.observer.observe(.outboxRead(Box.kind, due: due.reduce(0) { $0 + $1.count }))
        return slots.reserve(for: due.filter { !worked.contains($0.queue.id) })
    }

    /// Makes one delivery, and gives the slot to the queue whose turn it is, until there is none.
    ///
    /// - Parameter claimed: The first item, if it is claimed.
    private func work(
        from queue: Box.Queue, with claimed: Box.Item? = nil, _ report: @Sendable (any Error) -> Void
    ) async {
        var next: Box.Queue? = queue
        if let claimed {
            var goesOn = true
            if outbox.begin(claimed, at: environment.now()) { goesOn = await deliver(claimed, report) }
            next = slots.pass(from: queue, goesOn ? .asBefore : .none)
        }
        while let queue = next {
            guard !Task.isCancelled, !isClosing else {
                slots.free(queue)
                return
            }
            var goesOn = false
            do {
                if let item = try await outbox.claim(in: queue, at: environment.now()) {
                    goesOn = await deliver(item, report)
                }
            } catch {
                report(error)
            }
            next = slots.pass(from: queue, goesOn ? .some : .none)
        }
    }

    /// - Returns: Whether the queue may go on at once.
    private func deliver(_ item: Box.Item, _ report: @Sendable (any Error) -> Void) async -> Bool {
        do {
            return try await environment.observer.trace(.delivery(Box.kind)) { _ in try await outbox.deliver(item) }
        } catch {
            report(error)
            return false
        }
    }

    /// Waits for a signal, at most a second. Returns `false` when the worker must stop.
    private func rest(after count: Int) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { (try? await self.environment.sleep(1)) != nil }
            group.addTask {
                await self.wakeUp.wait(beyond: count)
                return true
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }
}

/// The first error of several deliveries.
private final class FirstError: Sendable {
    private let kept = Mutex<(any Error)?>(nil)

    var error: (any Error)? { kept.withLock { $0 } }

    func note(_ error: any Error) { kept.withLock { $0 = $0 ?? error } }
}

/// Wakes one task that sleeps. A signal that comes before the task waits is not lost, because signals are counted.
private final class WakeUpSignal: Sendable {
    private struct State {
        var count = 0
        var sleeper: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// The number of signals so far.
    var count: Int { state.withLock(\.count) }

    func send() { wake { $0.count += 1 } }

    /// Returns after more than `count` signals, or when the task is cancelled.
    func wait(beyond count: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isAwake = state.withLock { state in
                    guard state.count <= count, !Task.isCancelled else { return true }
                    state.sleeper = continuation
                    return false
                }
                if isAwake { continuation.resume() }
            }
        } onCancel: {
            wake { _ in }
        }
    }

    private func wake(_ change: (inout State) -> Void) {
        let sleeper = state.withLock { state in
            change(&state)
            defer { state.sleeper = nil }
            return state.sleeper
        }
        sleeper?.resume()
    }
}

/// Waiting times between attempts: the first one, then twice as long each time, up to a maximum. In seconds.
struct Backoff: Sendable {
    let first: Int
    let maximum: Int

    /// Seconds to wait after this many failed attempts, at least one.
    func delay(after attempts: Int) -> Int { min(maximum, first << min(max(attempts - 1, 0), 20)) }
}
