internal import Foundation
internal import SessionTokens
internal import Testing

@Suite("Combining marks in a row")
struct CombiningMarksTests {
    private static func row(of scalars: String, _ count: Int) -> String {
        "a" + String(repeating: scalars, count: count)
    }

    // Proves: O18
    @Test(
        "Marks are counted as they are decomposed, so no scalar hides them from the bound (UAX #15)",
        arguments: [
            ("\u{301}", 128, true), ("\u{301}", 129, false), ("\u{344}", 64, true), ("\u{344}", 65, false),
            ("\u{F73}", 64, true), ("\u{F73}", 65, false), ("\u{F75}", 65, false), ("\u{F81}", 65, false),
            ("\u{FF9E}", 128, true), ("\u{FF9E}", 129, false), ("\u{FF9F}\u{301}", 65, false),
            // Each of these begins a letter.
            ("\u{E9}", 20_000, true), ("\u{1100}", 20_000, true), ("\u{1F1EB}", 20_000, true),
            ("\u{FDFA}", 20_000, true), ("\u{FE0F}", 20_000, true),
        ])
    func bound(scalars: String, count: Int, isBounded: Bool) {
        #expect(CombiningMarks.areBounded(in: Self.row(of: scalars, count)) == isBounded)
    }

    // Proves: O18
    @Test("Every scalar that decomposes into marks alone counts as that many marks (UAX #15)")
    func decompositions() {
        let scalars = (UInt32(0x80)...0x2FFFF).compactMap(Unicode.Scalar.init)
        for scalar in scalars {
            let text = String(scalar)
            for form in [text.decomposedStringWithCanonicalMapping, text.decomposedStringWithCompatibilityMapping] {
                let decomposed = Array(form.unicodeScalars)
                guard decomposed.allSatisfy({ $0.properties.canonicalCombiningClass != .notReordered }) else {
                    continue
                }
                #expect(CombiningMarks.marks(of: scalar) == decomposed.count, "U+\(String(scalar.value, radix: 16))")
            }
        }
    }
}
