import PreludeSession
import PreludeSessionTesting
import SessionDomain
import Synchronization
import Testing

@Suite("The service's clock jumps ahead", .eachStore)
struct HousekeepingClockStory {
    private static let decade = 3650 * 86_400

    /// The remaining rounds, each with the clock error in seconds, and the notices so far.
    private final class Rounds: ServiceObserver {
        private let clockErrors: Mutex<ArraySlice<Int>>
        private let notices = Mutex<[ServiceNotice]>([])

        init(clockErrors: [Int]) { self.clockErrors = Mutex(clockErrors[...]) }

        var clockError: Int { clockErrors.withLock(\.first) ?? 0 }
        var recorded: [ServiceNotice] { notices.withLock { $0 } }

        func observe(_ occurrence: Occurrence) {
            switch occurrence {
            case .notice(let notice): notices.withLock { $0.append(notice) }
            case .failed(_, let error): Issue.record(error)
            default: break
            }
        }

        func end() throws {
            let isLast = clockErrors.withLock { errors in
                errors = errors.dropFirst()
                return errors.isEmpty
            }
            if isLast { throw CancellationError() }
        }
    }

    /// Runs housekeeping.
    ///
    /// - Parameters:
    ///   - clockErrors: The clock error in each round, in seconds.
    ///   - seconds: The real time between two rounds.
    /// - Returns: The notices to the operator.
    private func runHousekeeping(
        _ world: ServiceWorld, clockErrors: [Int], seconds: Int = 300
    ) async throws -> [ServiceNotice] {
        let (clock, rounds) = (world.clock, Rounds(clockErrors: clockErrors))
        let node = world.node {
            $0.observer = rounds
            $0.now = { clock.timestamp + rounds.clockError }
            $0.uptime = { clock.timestamp.milliseconds }
            $0.sleep = { _ in
                clock.advance(seconds: seconds)
                try rounds.end()
            }
        }
        await node.service.runHousekeeping()
        return rounds.recorded
    }

    @Test("Sessions and events survive a clock that was ahead for a while")
    func sessions() async throws {
        let world = try await ServiceWorld()
        let client = try await world.signedIn()
        let events = try await world.service.store.events(app: world.appID, limit: 10, offset: 0)
        #expect(!events.isEmpty)
        let notices = try await runHousekeeping(world, clockErrors: [0, Self.decade, Self.decade, 0])
        #expect(notices.contains(.clockJumped(seconds: Self.decade)))
        try await client.invalidateSession()
        try await client.refresh()
        let kept = try await world.service.store.events(app: world.appID, limit: 100, offset: 0)
        #expect(events.allSatisfy(kept.contains))
    }

    @Test("Data that expired by the elapsed time is deleted even if the clock is ahead")
    func goesOn() async throws {
        let world = try await ServiceWorld()
        _ = try await world.signedIn()
        let events = try await world.service.store.events(app: world.appID, limit: 10, offset: 0)
        _ = try await runHousekeeping(world, clockErrors: [0, Self.decade], seconds: 40 * 86_400)
        let kept = try await world.service.store.events(app: world.appID, limit: 100, offset: 0)
        #expect(!events.contains(where: kept.contains))
    }
}
