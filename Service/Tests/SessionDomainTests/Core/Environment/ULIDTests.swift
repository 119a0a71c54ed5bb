internal import SessionDomain
internal import Testing

@Suite("ULIDs")
struct ULIDTests {
    @Test(
        "A ULID is 48 bits of time and 80 of randomness in Crockford's base32",
        arguments: [
            // Computed with arbitrary-precision integers in Python: (ms << 80 | random) in base 32.
            (0, [UInt8](repeating: 0, count: 10), "00000000000000000000000000"),
            (1_469_918_176_385, Array(1...10), "01aryz6s41041061050r3gg28a"),
            (1_800_000_000_000, [0xDE, 0xAD, 0xBE, 0xEF, 0, 1, 2, 3, 4, 5], "01mcc5rm00vtpvxvr004106105"),
            ((1 << 48) - 1, [UInt8](repeating: 0xFF, count: 10), "7zzzzzzzzzzzzzzzzzzzzzzzzz"),
        ])
    func vector(milliseconds: Int64, random: [UInt8], expected: String) {
        #expect(ULID.make(at: Timestamp(milliseconds: milliseconds), randomBytes: random) == expected)
    }

    @Test("A later ULID sorts after an earlier one, whatever their random bits")
    func sorting() {
        let times: [Int64] = [0, 1, 31, 32, 1023, 1024, 1_799_999_999_999, 1_800_000_000_000, 1_800_000_000_001]
        let ids = times.enumerated().map { index, time in
            ULID.make(
                at: Timestamp(milliseconds: time),
                randomBytes: Array(repeating: index.isMultiple(of: 2) ? 0xFF : 0, count: 10))
        }
        #expect(ids == ids.sorted())
        #expect(Set(ids).count == ids.count)
    }

    @Test("An id begins with its prefix and contains the time of its creation")
    func newID() {
        #expect(stillEnvironment.newID("usr") == "usr_01mcc5rm000000000000000000")
    }
}
