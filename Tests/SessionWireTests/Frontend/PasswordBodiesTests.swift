import SessionWire
import Testing

@Suite("Wire: passwords")
struct PasswordBodiesTests {
    @Test("POST /login/email/password has the email address as identifier")
    func login() throws {
        let golden = Golden(
            PasswordLoginRequest.self,
            #"{"identifier": "you@example.com", "password": "correct horse \"✓\"", "dispatch_id": "dsp_1"}"#)
        try golden.expect(
            PasswordLoginRequest(
                identifier: "you@example.com", password: #"correct horse "✓""#, dispatchID: "dsp_1"))
        try golden.expectUnknownMembersTolerated()
        try golden.expectRequired("identifier", "password")
        try golden.expectTyped("identifier", "password", "dispatch_id")
    }

    @Test("POST /login/email/password accepts a missing dispatch_id")
    func shortLogin() throws {
        try Golden(PasswordLoginRequest.self, #"{"identifier": "you@example.com", "password": ""}"#)
            .expect(PasswordLoginRequest(identifier: "you@example.com", password: ""))
    }

    @Test("GET /password/compliancy has all six counts")
    func compliancy() throws {
        let golden = Golden(
            PasswordCompliancy.self,
            """
            {"min_length": 12, "max_length": 0, "uppercase": 1, "lowercase": 2, "numbers": 3, "symbols": 4}
            """)
        try golden.expect(
            PasswordCompliancy(minLength: 12, maxLength: 0, uppercase: 1, lowercase: 2, numbers: 3, symbols: 4))
        try golden.expectUnknownMembersTolerated()
        try golden.expectRequired("min_length", "max_length", "uppercase", "lowercase", "numbers", "symbols")
        try golden.expectTyped("min_length", "max_length", "uppercase", "lowercase", "numbers", "symbols")
    }
}
