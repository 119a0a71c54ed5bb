import Foundation
import Testing

@testable import SessionDomain

@Suite("The limits of an app")
struct OTPLimitsTests {
    @Test("Limits that are missing in a stored record have their defaults")
    func decoding() throws {
        let stored = #"{"codeLifetime":300,"checksPerCode":3,"starts":{"limit":7,"window":60}}"#
        let limits = try JSONDecoder().decode(OTPLimits.self, from: Data(stored.utf8))
        var expected = OTPLimits()
        (expected.codeLifetime, expected.checksPerCode) = (300, 3)
        expected.starts = RateLimit(limit: 7, window: 60)
        #expect(limits == expected)
        #expect(try JSONDecoder().decode(OTPLimits.self, from: JSONEncoder().encode(expected)) == expected)
    }

    @Test(
        "The country calling code of a number",
        arguments: [
            ("+14155550100", "+1"), ("+79261234567", "+7"), ("+33612345678", "+33"), ("+491701234567", "+49"),
            ("+351912345678", "+351"), ("+8801712345678", "+880"), ("+995555123456", "+995"), ("+201001234567", "+20"),
            ("+211912345678", "+211"), ("+5511912345678", "+55"), ("+5931234567", "+593"), ("+1234567", "+1"),
        ])
    func callingCode(number: String, code: String) {
        #expect(CallingCode.of(number) == code)
    }

    @Test("Codes go to the allowed beginnings of numbers only; an empty list allows all, and mail is not restricted")
    func allowedPrefixes() throws {
        var limits = OTPLimits()
        try limits.requireAllowed(try TestApp.phone("+882123456789"))
        limits.allowedPrefixes = ["+33", "+1415"]
        for number in ["+33612345678", "+14155550100"] { try limits.requireAllowed(try TestApp.phone(number)) }
        try limits.requireAllowed(try TestApp.mail())
        for number in ["+34612345678", "+12125550100"] {
            let phone = try TestApp.phone(number)
            #expect { try limits.requireAllowed(phone) } throws: { error in
                guard case Refusal.invalidIdentifier(let text) = error else { return false }
                return text.hasPrefix("identifier ") && !text.contains(number)
            }
        }
    }
}
