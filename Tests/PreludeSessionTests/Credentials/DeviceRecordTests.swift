import Foundation
import Testing

@testable import PreludeSession

@Suite("What the SDK learns about the server's clock and nonce")
struct DeviceRecordTests {
    private let received = Date(timeIntervalSince1970: 1_000_000)

    @Test(
        "The clock's error is learned from fast responses, beyond a tolerance of 5 seconds",
        arguments: [
            (known: 0.0, ahead: 3600.0, delay: 0.0, learned: 3600.0), (0, -3600, 9.9, -3600),
            (0, 3600, 10, 0), (0, 5, 0, 0), (0, 5.1, 0, 5.1), (0, -5, 0, 0), (3600, 3604, 0, 3600),
            (3600, 3606, 0, 3606), (3600, 2, 0, 0), (0, 1e11, 0, 0),
        ])
    func clock(known: Double, ahead: Double, delay: Double, learned: Double) {
        var record = DeviceRecord(deviceID: "d", clockOffset: known)
        record.learn(
            date: received.addingTimeInterval(ahead), sentAt: received.addingTimeInterval(-delay), receivedAt: received)
        #expect(abs(record.clockOffset - learned) < 0.001)
    }

    @Test("A response without a date changes no clock")
    func withoutDate() {
        var record = DeviceRecord(deviceID: "d", clockOffset: 60)
        record.learn(date: nil, sentAt: received, receivedAt: received)
        #expect(record.clockOffset == 60)
    }

    @Test("A nonce is kept until the next one, and one of unusual length is ignored")
    func nonce() {
        var record = DeviceRecord(deviceID: "d")
        record.learn(nonce: "n1")
        record.learn(nonce: nil)
        record.learn(nonce: String(repeating: "n", count: 10_000))
        #expect(record.nonce == "n1")
    }

    @Test("A record with an offset of centuries is damaged", arguments: [(1e9, true), (1e10, false), (-1e11, false)])
    func plausibility(offset: Double, isPlausible: Bool) {
        #expect(DeviceRecord(deviceID: "d", clockOffset: offset).isPlausible == isPlausible)
    }
}
