internal import Synchronization

/// Delivers what is due in an outbox. A slow lane does not delay the others.
@available(service, *)
package final class Courier<Box: Outbox>: Sendable {
    let outbox: Box
    private let environment: ServiceEnvironment
    private let bell = Bell()
    private let closing = Bell()
    private let workers = Workers<Box.Lane>(width: Box.width, capacity: Box.capacity)

    init(_ outbox: Box, environment: ServiceEnvironment) {
        self.outbox = outbox
        self.environment = environment
    }

    /// Tells the courier that a commit has written something. It does not wait.
    package func wake() { bell.ring() }

    /// How often `wake` was called.
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
            while !Task.isCancelled, !isClosing {
                let rings = bell.rings
                do {
                    for lane in try await reserve() { group.addTask { await self.work(from: lane, report) } }
                } catch {
                    report(error)
                }
                guard await rest(afterRings: rings) else { break }
            }
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
    private func work(from lane: Box.Lane, _ report: @Sendable (any Error) -> Void) async {
        var next: Box.Lane? = lane
        while let lane = next {
            guard !Task.isCancelled, !isClosing else { return workers.free(lane) }
            var goesOn = false
            do {
                if let parcel = try await outbox.claim(in: lane, at: environment.now()) {
                    goesOn = try await environment.observer.trace(.delivery(Box.kind)) { _ in
                        try await outbox.deliver(parcel)
                    }
                }
            } catch {
                report(error)
            }
            next = workers.pass(from: lane, goesOn: goesOn)
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
@available(service, *)
private final class FirstError: Sendable {
    private let kept = Mutex<(any Error)?>(nil)

    var error: (any Error)? { kept.withLock { $0 } }

    func note(_ error: any Error) { kept.withLock { $0 = $0 ?? error } }
}
