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

@Suite("Times in RFC 3339")
struct RFC3339Tests {
    @Test(
        "A time in UTC is read, with up to three digits of a second",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2027-01-15T08:00:00Z", 1_800_000_000_000),
            ("2027-01-15T08:00:00.5Z", 1_800_000_000_500), ("2027-01-15T08:00:00.042Z", 1_800_000_000_042),
            ("2028-02-29T00:00:00Z", 1_835_395_200_000),
        ] as [(String, Int64)])
    func valid(text: String, milliseconds: Int64) {
        #expect(Timestamp(rfc3339: text) == Timestamp(milliseconds: milliseconds))
    }

    @Test(
        "Anything else is rejected",
        arguments: [
            "", "Z", "2027-01-15", "2027-01-15T08:00:00", "2027-01-15T08:00:00+00:00", "2027-01-15 08:00:00Z",
            "2027-02-29T00:00:00Z", "2027-13-01T00:00:00Z", "2027-01-15T24:00:00Z", "2027-01-15T08:00:00.Z",
            "2027-01-15T08:00:00.0000Z", "2027-01-15T08:00:00.-1Z", "2027-01-15T08:00:00Z ", "1800000000",
            "٢٠٢٧-01-15T08:00:00Z", "2027-1-15T008:00:00Z",
        ])
    func invalid(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }
}
