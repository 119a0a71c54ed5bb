internal import SessionDomain
internal import Testing

@testable import SessionPostgres

@Suite("Jobs that wait for a connection")
struct WaitingJobsTests {
    /// The instant names the job.
    private func job(_ name: UInt64, _ key: String?) -> PoolJob {
        PoolJob(
            queuedAt: name, work: .read { _ throws(PostgresFailure) in {} }, sharingKey: key, fail: { _ in }, span: nil)
    }

    private func batches(of keys: [String?], limit: Int = 64) -> [[UInt64]] {
        var waiting = WaitingJobs()
        for (name, key) in keys.enumerated() { waiting.append(job(UInt64(name), key)) }
        var batches: [[UInt64]] = []
        while waiting.count > 0 { batches.append(waiting.next(limit: limit).map(\.queuedAt)) }
        #expect(waiting.next(limit: limit).isEmpty)
        return batches
    }

    @Test("Jobs without a key run alone, in their order")
    func alone() { #expect(batches(of: [nil, nil, nil]) == [[0], [1], [2]]) }

    @Test("Jobs with different keys share a transaction, across those that cannot")
    func together() { #expect(batches(of: ["a", nil, "b", nil, "c"]) == [[0, 2, 4], [1], [3]]) }

    @Test("A job stays behind one with the same key, and keeps its place")
    func sameKey() { #expect(batches(of: ["a", "a", "b", "a", "c"]) == [[0, 2, 4], [1], [3]]) }

    @Test("A batch is in the order of its keys, so that all nodes lock in the same order")
    func order() { #expect(batches(of: ["c", "a", "b"]) == [[1, 2, 0]]) }

    @Test("A batch is not larger than its limit", arguments: 1...5)
    func limit(limit: Int) {
        let keys = (0..<5).map { "\($0)" }
        let expected = stride(from: 0, to: 5, by: limit).map { start in
            (start..<min(start + limit, 5)).map { UInt64($0) }
        }
        #expect(batches(of: keys, limit: limit) == expected)
    }

    @Test("Of the same key, nothing overtakes, whatever the limit", arguments: 1...4)
    func overtaking(limit: Int) {
        let keys: [String?] = ["a", "b", "a", nil, "b", "c", "a", "b", nil, "c"]
        let order = batches(of: keys, limit: limit).flatMap(\.self)
        #expect(order.sorted() == Array(0..<10))
        for key in ["a", "b", "c", nil] {
            let names = order.filter { keys[Int($0)] == key }
            #expect(names == names.sorted())
        }
    }

    @Test("Each job alone can use a connection, and all that share use one")
    func groups() {
        var waiting = WaitingJobs()
        #expect(waiting.groups == 0)
        for (name, key) in ["a", "b", nil, "c", nil].enumerated() { waiting.append(job(UInt64(name), key)) }
        #expect(waiting.groups == 3)
    }

    @Test("A job that has waited for a lock shares no transaction, and is left out while enough of them run")
    func lockWaits() throws {
        var waiting = WaitingJobs()
        for (name, key) in [(0, nil), (1, "a")] as [(UInt64, String?)] {
            waiting.append(try #require(job(name, key).afterLockWait(now: 0)))
        }
        for (name, key) in [(2, "b"), (3, nil), (4, "c")] as [(UInt64, String?)] { waiting.append(job(name, key)) }
        #expect(waiting.next(limit: 64, mayWait: false).map(\.queuedAt) == [2, 4])
        #expect(waiting.next(limit: 64, mayWait: false).map(\.queuedAt) == [3])
        #expect(waiting.next(limit: 64, mayWait: false).isEmpty)
        #expect(waiting.next(limit: 64).map(\.queuedAt) == [0])
        #expect(waiting.next(limit: 64).map(\.queuedAt) == [1])
    }

    @Test("A job waits for a lock until its deadline, or until it has had all its attempts")
    func lastLockWait() {
        var job = job(0, nil)
        job.deadline = 500
        #expect(job.afterLockWait(now: 499) != nil)
        #expect(job.afterLockWait(now: 500) == nil)
        var attempts = 1
        while let next = job.afterLockWait(now: 0) { (job, attempts) = (next, attempts + 1) }
        #expect(attempts == GuardFailures.maximumAttempts)
    }

    @Test("Jobs whose deadline has passed are removed, wherever they stand, and the others keep their order")
    func expired() {
        var waiting = WaitingJobs()
        #expect(waiting.firstDeadline == nil)
        for (name, deadline) in [(0, 500), (1, 300), (2, 300), (3, 400)] as [(UInt64, Int64)] {
            var job = job(name, nil)
            job.deadline = deadline
            waiting.append(job)
        }
        #expect(waiting.firstDeadline == 300)
        #expect(waiting.removeExpired(at: 299).isEmpty)
        #expect(waiting.removeExpired(at: 300).map(\.queuedAt) == [1, 2])
        #expect(waiting.firstDeadline == 400)
        #expect(waiting.next(limit: 1).map(\.queuedAt) == [0])
        #expect(waiting.removeExpired(at: 1000).map(\.queuedAt) == [3])
        #expect(waiting.count == 0)
    }
}
