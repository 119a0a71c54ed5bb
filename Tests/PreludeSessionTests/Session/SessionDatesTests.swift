import Foundation
import SessionWire
import Testing

@testable import PreludeSession

@Suite("Dates of the session list")
struct SessionDatesTests {
    private func view(_ time: String) -> PreludeSessionView {
        PreludeSessionView(
            SessionView(
                id: "ses_1", deviceModel: "", deviceType: "mobile", osVersion: "", countryCode: "", createdAt: time,
                lastSeenAt: time, expiresAt: time))
    }

    @Test(
        "Times are dates, with and without fractions of a second",
        arguments: [
            ("2026-01-01T12:00:00Z", 1_767_268_800.0), ("2026-01-01T12:00:00.5Z", 1_767_268_800.5),
            ("2026-01-01T12:00:00.250Z", 1_767_268_800.25), ("2026-01-01T13:00:00+01:00", 1_767_268_800),
        ])
    func dates(text: String, seconds: Double) throws {
        let view = view(text)
        for date in [view.createdDate, view.lastSeenDate, view.expiryDate] {
            let date = try #require(date)
            #expect(abs(date.timeIntervalSince1970 - seconds) < 0.001)
        }
        #expect(view.createdAt == text)
    }

    @Test("A text that is no time has no date", arguments: ["", "yesterday", "2026-13-01T12:00:00Z", "1767268800"])
    func none(text: String) {
        #expect(view(text).createdDate == nil)
    }
}
