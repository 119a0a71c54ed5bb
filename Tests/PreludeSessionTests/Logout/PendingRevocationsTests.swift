import Foundation
import Testing

@testable import PreludeSession

@Suite("Sessions that the server must still revoke")
struct PendingRevocationsTests {
    private let now = Date(timeIntervalSince1970: 1_000_000)

    private func entry(_ number: Int) -> PendingRevocations.Entry { .init(refreshToken: "r-\(number)", expiresAt: nil) }

    @Test("A full queue drops its oldest entry")
    func capacity() {
        var pending = PendingRevocations()
        for number in 0...PendingRevocations.capacity { pending.add(entry(number)) }
        #expect(pending.entries.count == PendingRevocations.capacity)
        #expect(pending.entries.first == entry(1))
        pending.remove(entry(1))
        #expect(pending.entries.first == entry(2))
    }

    @Test(
        "An entry expires with its refresh token", arguments: [(nil, false), (-1.0, true), (0.0, false), (1.0, false)])
    func expiry(seconds: Double?, isExpired: Bool) {
        let expiresAt = seconds.map { now.addingTimeInterval($0) }
        #expect(PendingRevocations.Entry(refreshToken: "r", expiresAt: expiresAt).isExpired(at: now) == isExpired)
    }
}
