/// Delivers what is due in an outbox. A slow lane does not delay the others.
@available(service, *)
package final class Courier<Box: Outbox>: Sendable {
    private let outbox: Box
    private let environment: ServiceEnvironment
    private let bell = Bell()
    private let workers = Workers<Box.Lane.ID>()

    init(_ outbox: Box, environment: ServiceEnvironment) {
        self.outbox = outbox
        self.environment = environment
    }

    /// Tells the courier that a commit has written something. It does not wait.
    package func wake() { bell.ring() }

    /// How often `wake` was called.
    package var wakeCount: Int { bell.rings }

    /// Delivers what is due until cancelled: at each `wake`, and once a second.
    ///
    /// - Parameter report: Called with each error. The next round retries.
    package func run(report: @escaping @Sendable (any Error) -> Void) async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                let rings = bell.rings
                do {
                    for lane in try await reserve() {
                        group.addTask {
                            do { try await self.work(in: lane) } catch { report(error) }
                        }
                    }
                } catch {
                    report(error)
                }
                guard await rest(afterRings: rings) else { break }
            }
            group.cancelAll()
        }
    }

    /// Delivers what is due now and returns when that is done. A lane that stops goes on in the next call.
    package func deliverDue() async throws {
        var worked: Set<Box.Lane.ID> = []
        while true {
            let lanes = try await reserve(except: worked)
            if lanes.isEmpty { return }
            worked.formUnion(lanes.map(\.id))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for lane in lanes { group.addTask { try await self.work(in: lane) } }
                try await group.waitForAll()
            }
        }
    }

    /// Returns when no delivery of this process is in progress.
    package func settle() async { await workers.settle() }

    /// Reserves places for the parcels that are due, and returns the lane of each.
    private func reserve(except worked: Set<Box.Lane.ID> = []) async throws -> [Box.Lane] {
        let due = try await outbox.due(at: environment.now()).filter { !worked.contains($0.lane.id) }
        return workers.reserve(for: due, width: Box.width, capacity: Box.capacity)
    }

    private func work(in lane: Box.Lane) async throws {
        defer { workers.free(lane.id) }
        while !Task.isCancelled, let parcel = try await outbox.claim(in: lane, at: environment.now()),
            try await outbox.deliver(parcel)
        {}
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
