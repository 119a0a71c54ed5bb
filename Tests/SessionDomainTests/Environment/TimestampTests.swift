internal import SessionDomain
internal import Testing

@Suite("Timestamps")
struct TimestampTests {
    @Test(
        "Retry-After is rounded up and at least one second",
        arguments: [(0, 1), (1, 1), (1000, 1), (1001, 2), (59_999, 60), (-5000, 1)])
    func retryAfter(milliseconds: Int64, seconds: Int) {
        let later = Timestamp(milliseconds: now.milliseconds + milliseconds)
        #expect(later.retryAfter(from: now) == seconds)
    }

    @Test("The RFC 3339 form is UTC with Z, in whole seconds")
    func rfc3339() {
        #expect(Timestamp(milliseconds: 1_800_000_000_999).rfc3339 == "2027-01-15T08:00:00Z")
        #expect(Timestamp(seconds: 0).rfc3339 == "1970-01-01T00:00:00Z")
    }
}
