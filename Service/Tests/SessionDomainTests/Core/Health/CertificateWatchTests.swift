import Testing

@testable import SessionDomain

@Suite("Dates of the TLS certificate")
struct CertificateWatchTests {
    private static let day = 86_400
    private static let start = Timestamp(seconds: 1_800_000_000)

    /// A certificate as public authorities issue them: valid for 90 days less one second.
    private static func watch(days: Int = 90) -> CertificateWatch {
        CertificateWatch(validity: start..<(start + days * day - 1))
    }

    @Test(
        "The days that are left are reported from 30 days on, and an invalid certificate always",
        arguments: [
            (-1, CertificateWatch.Finding.notYetValid(from: start)), (0, nil), (59 * day, nil),
            (60 * day, .expires(at: start + 90 * day - 1, days: 29)),
            (89 * day, .expires(at: start + 90 * day - 1, days: 0)),
            (90 * day - 2, .expires(at: start + 90 * day - 1, days: 0)),
            (90 * day - 1, .expired(at: start + 90 * day - 1)), (900 * day, .expired(at: start + 90 * day - 1)),
        ] as [(Int, CertificateWatch.Finding?)])
    func finding(_ seconds: Int, _ expected: CertificateWatch.Finding?) {
        #expect(Self.watch().finding(at: Self.start + seconds) == expected)
    }

    @Test("The log has one line at 30, 14, 7 and 1 days before the end, and then one a day")
    func lines() {
        var watch = Self.watch()
        // Every hour for 93 days.
        let hours = (0..<(93 * 24)).filter { watch.line(at: Self.start + $0 * 3600) != nil }
        #expect(hours.map { $0 / 24 } == [60, 76, 83, 89, 90, 91, 92])
    }

    @Test("A certificate for a short time has only the lines that come after its usual renewal")
    func short() {
        for (days, expected) in [(6, [5, 6, 7]), (1, [1, 2]), (47, [33, 40, 46, 47, 48])] {
            var watch = Self.watch(days: days)
            let hours = (0..<((days + 2) * 24)).filter { watch.line(at: Self.start + $0 * 3600) != nil }
            #expect(hours.map { $0 / 24 } == expected)
        }
    }

    @Test("A clock that is set back does not silence the line of an expired certificate")
    func clock() {
        var watch = Self.watch()
        #expect(watch.line(at: Self.start + 99 * Self.day) != nil)
        #expect(watch.line(at: Self.start + 95 * Self.day) != nil)
        #expect(watch.line(at: Self.start + 95 * Self.day + 60) == nil)
    }

    @Test("Health checks show a certificate when its renewal is late, not when it begins")
    func urgent() {
        #expect(Self.watch().finding(at: Self.start + 61 * Self.day)?.isUrgent == false)
        #expect(Self.watch().finding(at: Self.start + 77 * Self.day)?.isUrgent == true)
        #expect(Self.watch().finding(at: Self.start + 91 * Self.day)?.isUrgent == true)
    }

    @Test("A line names the time in UTC and the remedy")
    func text() throws {
        let text = try #require(Self.watch().finding(at: Self.start + 89 * Self.day - 1)).description
        #expect(text.contains("expires at 2027-04-15T07:59:59Z, in 1 day. Renew its files"))
    }
}
