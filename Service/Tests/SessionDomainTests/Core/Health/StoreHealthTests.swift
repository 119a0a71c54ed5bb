import SessionDomain
import Synchronization
import Testing

@Suite("The health of a store")
struct StoreHealthTests {
    /// A clock that the test sets, and the notices.
    private final class Surroundings: Sendable {
        let uptime = Mutex<Int64>(0)
        let observer = RecordingObserver()

        func advance(_ milliseconds: Int64) { uptime.withLock { $0 += milliseconds } }
    }

    private let surroundings = Surroundings()
    private let health: StoreHealth
    private let full = StoreError.unavailable("SQLite 13: database or disk is full")

    init() {
        health = StoreHealth(
            uptime: { [surroundings] in surroundings.uptime.withLock { $0 } },
            observer: surroundings.observer)
    }

    @Test("The first failure is reported at once, further ones once per second with their number")
    func lines() {
        for _ in 1...1000 { health.failedTransaction(full) }
        #expect(notices == [.storeFailed(full, count: 1)])
        surroundings.advance(999)
        health.failedTransaction(full)
        #expect(notices.count == 1)
        surroundings.advance(1)
        health.failedTransaction(full)
        #expect(notices.last == .storeFailed(full, count: 1001))
        #expect(health.failures == 1002)
    }

    @Test("The first committed transaction ends the failure, and is reported with its length")
    func recovery() {
        health.committed()
        for _ in 1...3 { health.failedTransaction(full) }
        #expect(health.isFailing)
        surroundings.advance(4200)
        health.committed()
        #expect(!health.isFailing)
        #expect(notices.last == .storeRecovered(failures: 3, seconds: 4))
        health.committed()
        #expect(notices.count == 2)
        // A second failure in the same second has its line later.
        surroundings.advance(1000)
        health.failedTransaction(full)
        #expect(notices.last == .storeFailed(full, count: 1))
    }

    @Test("A store that fails and works in turn has one line of each kind per second, and the last one is a recovery")
    func flapping() {
        for _ in 1...20 {
            health.failedTransaction(full)
            surroundings.advance(50)
            health.committed()
            surroundings.advance(50)
        }
        #expect(
            notices == [
                .storeFailed(full, count: 1), .storeRecovered(failures: 1, seconds: 0),
                .storeFailed(full, count: 10), .storeRecovered(failures: 10, seconds: 0),
            ])
        surroundings.advance(1000)
        health.committed()
        #expect(notices.last == .storeRecovered(failures: 9, seconds: 1) && !health.isFailing)
    }

    @Test("A read that failed earlier is no part of a later outage")
    func readBeforeOutage() {
        health.failed(full)
        surroundings.advance(3_600_000)
        health.committed()
        health.failedTransaction(full)
        surroundings.advance(2000)
        health.committed()
        #expect(notices.last == .storeRecovered(failures: 1, seconds: 2))
    }

    @Test("A failed read is counted and reported, and says nothing about writing")
    func reads() {
        health.failed(.damaged("page 7"))
        #expect(!health.isFailing && health.failures == 1)
        #expect(notices == [.storeFailed(.damaged("page 7"), count: 1)])
    }

    @Test("A full queue is load and no failure of the store")
    func load() {
        health.failedTransaction(.overloaded)
        #expect(!health.isFailing && health.failures == 0 && notices.isEmpty)
    }

    @Test("The age is that of the last transaction, whether it worked or not")
    func age() {
        #expect(health.age == nil)
        health.committed()
        surroundings.advance(700)
        #expect(health.age == 700)
        health.failedTransaction(full)
        #expect(health.age == 0)
    }

    private var notices: [ServiceNotice] { surroundings.observer.notices }
}
