import Foundation
import Testing

@testable import SessionDomain

@Suite("The limits of an app")
struct LimitSettingsTests {
    @Test("Limits that are missing in a stored record have their defaults")
    func decoding() throws {
        let stored = #"{"codeLifetime":300,"checksPerCode":3,"starts":{"limit":7,"window":60}}"#
        let limits = try JSONDecoder().decode(LimitSettings.self, from: Data(stored.utf8))
        var expected = LimitSettings()
        (expected.codeLifetime, expected.checksPerCode) = (300, 3)
        expected.starts = RateLimit(limit: 7, window: 60)
        #expect(limits == expected)
        #expect(try JSONDecoder().decode(LimitSettings.self, from: JSONEncoder().encode(expected)) == expected)
    }

    @Test(
        "The country calling code of a number",
        arguments: [
            ("+14155550100", "+1"), ("+79261234567", "+7"), ("+33612345678", "+33"), ("+491701234567", "+49"),
            ("+351912345678", "+351"), ("+8801712345678", "+880"), ("+995555123456", "+995"), ("+201001234567", "+20"),
            ("+211912345678", "+211"), ("+5511912345678", "+55"), ("+5931234567", "+593"), ("+1234567", "+1"),
        ])
    func callingCode(number: String, code: String) {
        #expect(CallingCode.range(of: number) == String(number.prefix(code.count + 3)))
        #expect(CallingCode.of(number) == code)
    }

    @Test(
        "The numbers that new limits close, as ranges of their text",
        arguments: [
            ([], [], []), (["+33"], [], []), (["+33"], ["+33"], []), (["+331"], ["+33"], []),
            (["+33"], ["+1", "+3"], []),
            ([], ["+33"], ["+1"..<"+33", "+34"..<"+:"]), (["+33", "+1", "+331"], ["+1"], ["+33"..<"+33:"]),
            (["+1"], ["+1415", "+1212"], ["+1"..<"+1212", "+1213"..<"+1415", "+1416"..<"+1:"]),
            (["+1"], (0...9).map { "+1\($0)" }, []), ([], (1...9).map { "+\($0)" }, []),
            (["+9"], (0...8).map { "+9\($0)" }, ["+99"..<"+9:"]), (["+19"], ["+199"], ["+19"..<"+199"]),
            (["+141555501001234"], ["+33"], ["+141555501001234"..<"+141555501001234:"]),
            // Numbers that are shorter than a prefix do not begin with it.
            (["+1"], ["+19900000000"], ["+1"..<"+19900000000", "+19900000001"..<"+1:"]),
            (["+1900000"], (0...9).map { "+1900000\($0)" }, ["+1900000"..<"+19000000"]),
            (["+29000000000"], ["+33"], ["+29000000000"..<"+29000000000:"]),
        ] as [([String], [String], [Range<String>])])
    func closedNumbers(old: [String], new: [String], closed: [Range<String>]) throws {
        var (before, after) = (LimitSettings(), LimitSettings())
        (before.allowedPrefixes, after.allowedPrefixes) = (old, new)
        #expect(after.closedNumbers(of: before) == closed)
        for number in [
            "+33123456789", "+34123456789", "+14155550100", "+12125550100", "+16505550100", "+1990000000", "+1900000",
            "+2900000",
        ] {
            let phone = try TestApp.phone(number)
            #expect(
                closed.contains { $0.contains(number) } == (before.allows(phone) && !after.allows(phone)), "\(number)")
        }
    }

    // Proves: H19
    @Test("Codes go to the allowed beginnings of numbers only; an empty list allows all, and mail is not restricted")
    func allowedPrefixes() throws {
        var limits = LimitSettings()
        try limits.requireAllowed(try TestApp.phone("+882123456789"))
        limits.allowedPrefixes = ["+33", "+1415"]
        for number in ["+33612345678", "+14155550100"] { try limits.requireAllowed(try TestApp.phone(number)) }
        try limits.requireAllowed(try TestApp.mail())
        // Of a deleted user's number only the calling code is known. It is treated like the number.
        for (place, isAllowed) in [("+33/token", true), ("+1/token", true), ("+34/token", false)] {
            #expect(limits.allows(CanonicalIdentifier(type: .phoneNumber, canonical: place, value: place)) == isAllowed)
        }
        for number in ["+34612345678", "+12125550100"] {
            let phone = try TestApp.phone(number)
            #expect { try limits.requireAllowed(phone) } throws: { error in
                guard case Refusal.invalidIdentifier(let text) = error else { return false }
                return text.hasPrefix("identifier ") && !text.contains(number)
            }
        }
    }
}
