import SessionDomain
import Testing

@Suite("Lengths of SMS")
struct SMSLengthTests {
    @Test(
        "Segments are counted in septets, or in UTF-16 if a character is not in the GSM alphabet (3GPP TS 23.038)",
        arguments: [
            ("", 1, 0, .gsm7), ("a", 1, 160, .gsm7), ("a", 2, 161, .gsm7), ("a", 2, 306, .gsm7), ("a", 3, 307, .gsm7),
            ("é", 1, 160, .gsm7), ("ß", 1, 160, .gsm7), ("Ω", 1, 160, .gsm7), ("\n", 1, 160, .gsm7),
            ("ç", 1, 70, .ucs2), ("ç", 2, 71, .ucs2), ("ç", 2, 134, .ucs2), ("ç", 3, 135, .ucs2), ("語", 1, 70, .ucs2),
            ("`", 1, 70, .ucs2), ("•", 1, 70, .ucs2), ("á", 2, 71, .ucs2),
        ] as [(String, Int, Int, SMSLength.Encoding)])
    func segments(character: String, segments: Int, count: Int, encoding: SMSLength.Encoding) {
        let length = SMSLength(String(repeating: character, count: count))
        #expect(length.segments == segments && length.units == count && length.encoding == encoding)
    }

    @Test(
        "A character of the extension takes two septets, a character beyond the first plane two units",
        arguments: [("€", 80, 1), ("€", 81, 2), ("{", 80, 1), ("😀", 35, 1), ("😀", 36, 2)])
    func pairs(character: String, count: Int, segments: Int) {
        let length = SMSLength(String(repeating: character, count: count))
        #expect(length.segments == segments && length.units == 2 * count)
    }

    @Test("No pair is split between two segments")
    func unsplit() {
        // 153 is odd: a segment has 76 pairs and one unused septet. 153 pairs would fit into two without that.
        #expect(SMSLength(String(repeating: "€", count: 152)).segments == 2)
        #expect(SMSLength(String(repeating: "€", count: 153)).segments == 3)
        #expect(SMSLength(String(repeating: "😀", count: 66)).segments == 2)
        #expect(SMSLength(String(repeating: "😀", count: 67)).segments == 3)
    }

    @Test("The characters that the GSM alphabet lacks are listed once, in order")
    func others() {
        #expect(SMSLength("Ça va, garçon ? ’ç").otherCharacters == ["ç", "’"])
        #expect(SMSLength("Hello {€}").otherCharacters.isEmpty)
    }
}
