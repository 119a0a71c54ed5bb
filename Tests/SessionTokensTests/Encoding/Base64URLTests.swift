import Foundation
import SessionTokens
import Testing

/// base64url without padding (RFC 4648 §5, RFC 7515 §2).
@Suite("base64url")
struct Base64URLTests {
    @Test(
        "The published vectors are encoded and decoded without padding (RFC 4648 §10)",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ]
    )
    func rfc4648(_ text: String, _ encoded: String) {
        #expect(Base64URL.encode(Data(text.utf8)) == encoded)
        #expect(Base64URL.decode(encoded) == Data(text.utf8))
    }

    @Test("The characters that differ from base64 are encoded and decoded (RFC 7515 appendix C)")
    func rfc7515AppendixC() {
        #expect(Base64URL.encode([3, 236, 255, 224, 193]) == "A-z_4ME")
        #expect(Base64URL.decode("A-z_4ME") == Data([3, 236, 255, 224, 193]))
    }

    @Test("Padding is rejected", arguments: ["Zg==", "Zg=", "Zm8=", "Zm9v=", "=", "===="])
    func padding(_ text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test(
        "Characters of other alphabets are rejected",
        arguments: ["A+z_4ME", "A-z/4ME", "Zm9v\n", " Zm9v", "Zm 9v", "Zm9.", "Zm9é", "Ｚm9v", "Zm9\0", "Zm\u{301}9v"]
    )
    func foreignAlphabet(_ text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test("An impossible length is rejected", arguments: ["A", "AAAAA", "Zm9vY"])
    func impossibleLength(_ text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test("Unused trailing bits that are set are rejected, so each byte has one encoding")
    func trailingBits() {
        #expect(Base64URL.decode("Zg") == Data("f".utf8))
        for stray in ["Zh", "Zi", "Zv", "Zm9", "Zm-"] { #expect(Base64URL.decode(stray) == nil) }
    }

    @Test("Every text of up to three characters is decoded only if it is canonical")
    func bruteForce() {
        // Valid characters and characters of similar alphabets.
        let characters = Array("ABQZabyz0189-_=+/. ").map(String.init)
        var texts = [""]
        var newest = texts
        for _ in 1...3 {
            newest = newest.flatMap { prefix in characters.map { prefix + $0 } }
            texts += newest
        }
        let encodings = Set(Self.allEncodings(upTo: 2))
        for text in texts {
            #expect((Base64URL.decode(text) != nil) == encodings.contains(text), "\(text)")
        }
    }

    @Test("Encoding and decoding match Foundation's base64 for every length")
    func roundTrip() {
        // Deterministic pseudo-random bytes, so that a failure can be repeated.
        var state: UInt32 = 1
        for count in 0...200 {
            let bytes = (0..<count).map { _ -> UInt8 in
                state = state &* 1_664_525 &+ 1_013_904_223
                return UInt8(truncatingIfNeeded: state >> 24)
            }
            let expected = Data(bytes).base64EncodedString()
                .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
                .replacingOccurrences(of: "=", with: "")
            #expect(Base64URL.encode(bytes) == expected)
            #expect(Base64URL.decode(expected) == Data(bytes))
        }
    }

    /// The canonical encodings of all byte strings up to a length, from Foundation's encoder.
    private static func allEncodings(upTo length: Int) -> [String] {
        var strings: [[UInt8]] = [[]]
        var newest = strings
        for _ in 1...length {
            newest = newest.flatMap { prefix in (UInt8.min...UInt8.max).map { prefix + [$0] } }
            strings += newest
        }
        return strings.map {
            Data($0).base64EncodedString().replacingOccurrences(of: "+", with: "-")
                .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
        }
    }
}
