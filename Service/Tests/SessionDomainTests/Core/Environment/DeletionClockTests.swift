import Testing

@testable import SessionDomain

@Suite("Deletion clock")
struct DeletionClockTests {
    private static let day = 86_400

    /// Rounds of a deletion clock that runs for long enough to delete.
    private struct Rounds {
        private var clock = DeletionClock()
        private var passed = 0

        init() {
            let settling = DeletionClock.settlingTime
            _ = clock.time(now: now - settling, uptime: 7_000_000 - Int64(settling) * 1000)
        }

        /// A round after a number of seconds of uptime, with a system clock that is ahead by a number of seconds. Returns
        /// the time by which rows are deleted, and the reported jump.
        mutating func round(after seconds: Int, ahead: Int = 0) -> (time: Int?, jump: Int?) {
            passed += seconds
            let (time, jump) = clock.time(now: now + passed + ahead, uptime: 7_000_000 + Int64(passed) * 1000)
            return (time.map { Int($0.seconds - now.seconds) }, jump)
        }
    }

    // Proves: R28
    @Test("Nothing is deleted in the first five minutes, and then by the clock as it is")
    func start() {
        var clock = DeletionClock()
        func round(after seconds: Int, ahead: Int) -> (time: Timestamp?, jump: Int?) {
            clock.time(now: now + seconds + ahead, uptime: 7_000_000 + Int64(seconds) * 1000)
        }
        #expect(round(after: 0, ahead: 3600) == (nil, nil))
        #expect(round(after: 60, ahead: 3600) == (nil, nil))
        #expect(round(after: 120, ahead: 0) == (nil, nil))
        #expect(round(after: 180, ahead: 301) == (nil, 301))
        #expect(round(after: 299, ahead: 301) == (nil, nil))
        #expect(round(after: 300, ahead: 301) == (now + 300, nil))
    }

    @Test("Corrections of a few minutes are accepted in each round")
    func smallSteps() {
        var rounds = Rounds()
        #expect(rounds.round(after: 0) == (0, nil))
        #expect(rounds.round(after: 60, ahead: 300) == (360, nil))
        #expect(rounds.round(after: 60, ahead: 600) == (720, nil))
    }

    @Test("After a jump ahead the time continues by uptime, and the jump is reported once")
    func jump() {
        var rounds = Rounds()
        _ = rounds.round(after: 0)
        #expect(rounds.round(after: 60, ahead: 301) == (60, 301))
        #expect(rounds.round(after: 60, ahead: 301) == (120, nil))
        #expect(rounds.round(after: Self.day - 61, ahead: 301) == (60 + Self.day - 1, nil))
    }

    @Test("A clock that stays ahead for a day is accepted")
    func confirmed() {
        var rounds = Rounds()
        _ = rounds.round(after: 0)
        _ = rounds.round(after: 60, ahead: 3 * Self.day)
        #expect(rounds.round(after: Self.day, ahead: 3 * Self.day) == (4 * Self.day + 60, nil))
        #expect(rounds.round(after: 60, ahead: 3 * Self.day) == (4 * Self.day + 120, nil))
    }

    @Test("A clock that is corrected within the day is accepted, and the next jump is reported again")
    func rightAgain() {
        var rounds = Rounds()
        _ = rounds.round(after: 0)
        _ = rounds.round(after: 60, ahead: 3 * Self.day)
        #expect(rounds.round(after: Self.day - 1) == (60 + Self.day - 1, nil))
        #expect(rounds.round(after: 1, ahead: 3 * Self.day) == (60 + Self.day, 3 * Self.day))
    }

    @Test("A second jump ahead restarts the day, and is reported with its own length")
    func twice() {
        var rounds = Rounds()
        _ = rounds.round(after: 0)
        _ = rounds.round(after: 60, ahead: 1000)
        #expect(rounds.round(after: Self.day - 1, ahead: 2000) == (60 + Self.day - 1, 1000))
        #expect(rounds.round(after: Self.day - 1, ahead: 2000).time == 60 + 2 * Self.day - 2)
        #expect(rounds.round(after: 1, ahead: 2000).time == 60 + 2 * Self.day - 1 + 2000)
    }

    @Test("A clock that goes back is accepted at once, because it deletes less")
    func back() {
        var rounds = Rounds()
        _ = rounds.round(after: 0)
        #expect(rounds.round(after: 60, ahead: -3 * Self.day) == (60 - 3 * Self.day, nil))
        #expect(rounds.round(after: 60) == (120 - 3 * Self.day, 3 * Self.day))
    }
}
