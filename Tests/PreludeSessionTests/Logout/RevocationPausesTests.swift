import Foundation
import Testing

@testable import PreludeSession

@Suite("Pauses between revocations")
struct RevocationPausesTests {
    private let now = Date(timeIntervalSince1970: 1_000_000)

    private func entry(_ number: Int) -> PendingRevocations.Entry { .init(refreshToken: "r-\(number)", expiresAt: nil) }

    @Test("A pause is about one revocation, lasts for its time, and for an hour at most", arguments: [30, 1_000_000])
    func duration(seconds: Int) {
        var pauses = RevocationPauses()
        pauses.start(entry(1), seconds: seconds, now: now)
        let end = now.addingTimeInterval(Double(min(seconds, 3600)))
        #expect(pauses.isPaused(entry(1), now: now))
        #expect(pauses.isPaused(entry(1), now: end.addingTimeInterval(-1)))
        #expect(!pauses.isPaused(entry(1), now: end))
        #expect(!pauses.isPaused(entry(2), now: now))
    }

    @Test("A clock that is set back ends a pause")
    func setBack() {
        var pauses = RevocationPauses()
        pauses.start(entry(1), seconds: 30, now: now)
        #expect(!pauses.isPaused(entry(1), now: now.addingTimeInterval(-1)))
    }

    @Test("There are as many pauses as revocations in a full queue")
    func capacity() {
        var pauses = RevocationPauses()
        for number in 0...PendingRevocations.capacity { pauses.start(entry(number), seconds: 30, now: now) }
        #expect(!pauses.isPaused(entry(0), now: now))
        #expect(pauses.isPaused(entry(1), now: now))
    }
}
