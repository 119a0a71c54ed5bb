import Testing

@testable import PreludeSession

@Suite("Passwords are checked by Unicode scalars")
struct PasswordValidationTests {
    @Test(
        "Scalars are counted by Unicode general category",
        arguments: [
            ("Aa1!", 1, 1, 1, 1), ("ÄäǅІ", 2, 1, 0, 1), ("٣3", 0, 0, 2, 0), ("👩‍🚀", 0, 0, 0, 3), ("e\u{301}", 0, 1, 0, 1),
            ("", 0, 0, 0, 0),
        ])
    func classes(password: String, upper: Int, lower: Int, numbers: Int, symbols: Int) {
        let rules = PreludePasswordCompliancy(uppercase: 99, lowercase: 99, numbers: 99, symbols: 99)
        let results = PreludeSessionClient.validate(password: password, against: rules)
        #expect(results.results.map(\.actual) == [upper, lower, numbers, symbols])
        #expect(!results.valid)
    }

    @Test("A maximum length of 0 is no limit", arguments: [(0, true), (3, false), (4, true)])
    func maximum(limit: Int, valid: Bool) {
        let rules = PreludePasswordCompliancy(minLength: 4, maxLength: limit)
        #expect(PreludeSessionClient.validate(password: "abcd", against: rules).valid == valid)
    }
}
