internal import Synchronization

/// Delivers what is due in an outbox. A slow lane does not delay the others.
package final class Courier<Box: Outbox>: Sendable {
    let outbox: Box
    private let environment: ServiceEnvironment
    private let bell = Bell()
    private let closing = Bell()
    private let workers = Workers<Box.Lane>(width: Box.width, capacity: Box.capacity)
    private let news = Mutex(News())

    /// What commits of this process have told since the last round.
    private struct News {
        /// The lanes of single parcels.
        var lanes: [Box.Lane] = []
        /// Parcels that their commits have claimed. Each has a place.
        var claimed: [(parcel: Box.Parcel, lane: Box.Lane)] = []
        /// Whether the lanes that have something due must be read.
        var isUnknown = false
        /// Whether rounds follow.
        var isRunning = false
    }

    init(_ outbox: Box, environment: ServiceEnvironment) {
        self.outbox = outbox
        self.environment = environment
    }

    /// Tells the courier that a commit has written something. It does not wait.
    package func wake() {
        news.withLock { $0.isUnknown = true }
        bell.ring()
    }

    /// Tells the courier that a commit has written a parcel of this lane. So it need not read which lanes have something due.
    package func wake(for lane: Box.Lane) {
        // The first round of `run` reads all lanes.
        news.withLock { if $0.isRunning { $0.lanes.append(lane) } }
        bell.ring()
    }

    /// Takes a place for a parcel that a commit is going to write and to claim.
    ///
    /// - Returns: `false` if the courier does not run, or has no place at once.
    func takePlace(in lane: Box.Lane) -> Bool {
        news.withLock(\.isRunning) && !isClosing && workers.takePlace(in: lane)
    }

    /// Returns a place without a delivery. A lane that waits for it gets it at once.
    func returnPlace(in lane: Box.Lane) {
        if workers.free(lane) { wake() }
    }

    /// Delivers a parcel that a commit has claimed, in the place that was taken before.
    func deliver(_ parcel: Box.Parcel, in lane: Box.Lane) {
        let isAccepted = news.withLock { news in
            if news.isRunning { news.claimed.append((parcel, lane)) }
            return news.isRunning
        }
        // After the last round, the parcel waits for the end of its lease.
        guard isAccepted else { return returnPlace(in: lane) }
        bell.ring()
    }

    /// How often the courier was woken.
    package var wakeCount: Int { bell.rings }

    /// Starts nothing more. `run` ends when the running deliveries have ended, and cancels them after the outbox's grace.
    package func finish() {
        closing.ring()
        bell.ring()
    }

    private var isClosing: Bool { closing.rings > 0 }

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
            func deliver(_ claimed: [(parcel: Box.Parcel, lane: Box.Lane)]) {
                for (parcel, lane) in claimed { group.addTask { await self.work(from: lane, with: parcel, report) } }
            }
            defer { deliver(readNews(isLast: true).claimed) }
            while !Task.isCancelled, !isClosing {
                let rings = bell.rings
                let news = readNews()
                deliver(news.claimed)
                for lane in workers.reserve(adding: news.lanes) {
                    group.addTask { await self.work(from: lane, report) }
                }
                // A round without news follows a rest of a second. Commits that come all the time must not keep the courier
                // from what is due by time.
                if news.isUnknown || (news.lanes.isEmpty && news.claimed.isEmpty) || environment.uptime() >= nextRead {
                    nextRead = environment.uptime() + 1000
                    do {
                        for lane in try await reserve() { group.addTask { await self.work(from: lane, report) } }
                    } catch {
                        report(error)
                    }
                }
                guard await rest(afterRings: rings) else { break }
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

    /// Delivers what is due now and returns when that is done. A lane that stops goes on in the next call.
    ///
    /// - Throws: The first error of a delivery, after all of them.
    package func deliverDue() async throws {
        var worked: Set<Box.Lane.ID> = []
        let failure = FirstError()
        while failure.error == nil {
            let lanes = try await reserve(except: worked)
            if lanes.isEmpty { return }
            worked.formUnion(lanes.map(\.id))
            await withDiscardingTaskGroup { group in
                for lane in lanes { group.addTask { await self.work(from: lane, failure.note) } }
            }
        }
        if let error = failure.error { throw error }
    }

    /// Returns when no delivery of this process is in progress.
    package func settle() async { await workers.settle() }

    /// Reserves places for the parcels that are due, and returns the lane of each.
    private func reserve(except worked: Set<Box.Lane.ID> = []) async throws -> [Box.Lane] {
        let due = try await outbox.due(at: environment.now())
        environment.observer.observe(.outboxRead(Box.kind, due: due.reduce(0) { $0 + $1.count }))
        return workers.reserve(for: due.filter { !worked.contains($0.lane.id) })
    }

    /// Makes one delivery, and gives the place to the lane whose turn it is, until there is none.
    ///
    /// - Parameter claimed: The first parcel, if it is claimed.
    private func work(
        from lane: Box.Lane, with claimed: Box.Parcel? = nil, _ report: @Sendable (any Error) -> Void
    ) async {
        var next: Box.Lane? = lane
        if let claimed {
            var goesOn = true
            if outbox.begin(claimed, at: environment.now()) { goesOn = await deliver(claimed, report) }
            next = workers.pass(from: lane, goesOn ? .asBefore : .none)
        }
        while let lane = next {
            guard !Task.isCancelled, !isClosing else {
                workers.free(lane)
                return
            }
            var goesOn = false
            do {
                if let parcel = try await outbox.claim(in: lane, at: environment.now()) {
                    goesOn = await deliver(parcel, report)
                }
            } catch {
                report(error)
            }
            next = workers.pass(from: lane, goesOn ? .some : .none)
        }
    }

    /// - Returns: Whether the lane may go on at once.
    private func deliver(_ parcel: Box.Parcel, _ report: @Sendable (any Error) -> Void) async -> Bool {
        do {
            return try await environment.observer.trace(.delivery(Box.kind)) { _ in try await outbox.deliver(parcel) }
        } catch {
            report(error)
            return false
        }
    }

    /// Waits for a ring, at most a second. Returns `false` when the courier must stop.
    private func rest(afterRings rings: Int) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { (try? await self.environment.sleep(1)) != nil }
            group.addTask {
                await self.bell.wait(beyond: rings)
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
