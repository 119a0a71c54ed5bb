import Testing

@testable import SessionWebAuthn

@Suite("CBOR (RFC 8949)")
struct CBORTests {
    /// Examples of RFC 8949 Appendix A.
    @Test(
        "An item is read, and written as the same bytes",
        arguments: [
            ("00", .integer(0)), ("17", .integer(23)), ("1818", .integer(24)), ("18ff", .integer(255)),
            ("190100", .integer(256)), ("1a000f4240", .integer(1_000_000)),
            ("1b000000e8d4a51000", .integer(1_000_000_000_000)), ("1b7fffffffffffffff", .integer(.max)),
            ("20", .integer(-1)), ("3863", .integer(-100)), ("3903e7", .integer(-1000)),
            ("3b7fffffffffffffff", .integer(.min)), ("f4", .bool(false)), ("f5", .bool(true)), ("f6", .null),
            ("40", .bytes([])), ("4401020304", .bytes([1, 2, 3, 4])), ("60", .text("")), ("6449455446", .text("IETF")),
            ("62c3bc", .text("ü")), ("80", .array([])),
            (
                "8301820203820405",
                .array([.integer(1), .array([.integer(2), .integer(3)]), .array([.integer(4), .integer(5)])])
            ),
            ("a0", .members([:] as KeyValuePairs<Int64, CBOR>)),
            ("a201020304", .members([1: .integer(2), 3: .integer(4)])),
            ("a26161016162820203", .members(["a": .integer(1), "b": .array([.integer(2), .integer(3)])])),
        ] as [(String, CBOR)])
    func valid(_ text: String, _ item: CBOR) throws {
        #expect(try CBOR.read(hex(text), keys: .canonical) == item)
        #expect(item.encoded == hex(text))
    }

    @Test(
        "An item that is not in the canonical form is rejected",
        arguments: [
            ("", .truncated), ("18", .truncated), ("1901", .truncated), ("4101ff", .trailingBytes),
            ("42ff", .truncated),
            ("5bffffffffffffffff", .truncated), ("9bffffffffffffffff", .truncated), ("9affffffff", .truncated),
            ("bbffffffffffffffff", .truncated), ("a1", .truncated), ("a101", .truncated), ("8201", .truncated),
            ("1817", .notShortest), ("1900ff", .notShortest), ("1a0000ffff", .notShortest),
            ("1b00000000ffffffff", .notShortest), ("3817", .notShortest), ("5801ff", .notShortest),
            ("780161", .notShortest), ("9800", .notShortest), ("b800", .notShortest), ("5f4101ff", .indefiniteLength),
            ("7f6161ff", .indefiniteLength), ("9f01ff", .indefiniteLength), ("bf0102ff", .indefiniteLength),
            ("ff", .unsupportedItem), ("a203000100", .unsortedKeys), ("a2616200616100", .unsortedKeys),
            ("a22000" + "0100", .unsortedKeys), ("a2626161006162" + "00", .unsortedKeys), ("a201000100", .repeatedKey),
            ("a2616100616100", .repeatedKey), ("a1410000", .unsupportedItem), ("a1f600", .unsupportedItem),
            ("61ff", .notUTF8), ("62c328", .notUTF8), ("63eda080", .notUTF8), ("1b8000000000000000", .unsupportedItem),
            ("3b8000000000000000", .unsupportedItem), ("c000", .unsupportedItem), ("d81800", .unsupportedItem),
            ("f7", .unsupportedItem), ("e0", .unsupportedItem), ("f818", .unsupportedItem),
            ("f93c00", .unsupportedItem),
            ("fa47c35000", .unsupportedItem), ("fb3ff199999999999a", .unsupportedItem), ("1c", .unsupportedItem),
            ("1e", .unsupportedItem), ("818181818181818100", .tooDeep),
        ] as [(String, WebAuthnError.CBORFault)])
    func invalid(_ text: String, _ fault: WebAuthnError.CBORFault) {
        #expect(throws: WebAuthnError.malformedCBOR(fault)) { try CBOR.read(hex(text), keys: .canonical) }
    }

    @Test("Eight levels are read")
    func deepest() throws {
        #expect(try CBOR.read(hex("8181818181818100"), keys: .canonical).encoded == hex("8181818181818100"))
    }

    @Test("Where order is free, keys in another order are read, and repeated keys are not")
    func anyOrder() throws {
        let map = try CBOR.read(hex("a203000100"), keys: .any)
        #expect(
            map
                == .map(
                    CBORMap(members: [
                        .init(key: .integer(3), value: .integer(0)), .init(key: .integer(1), value: .integer(0)),
                    ])))
        #expect(throws: WebAuthnError.malformedCBOR(.repeatedKey)) {
            try CBOR.read(hex("a301000200" + "0100"), keys: .any)
        }
    }

    @Test("A reader tells where an item ends")
    func ends() throws {
        var reader = CBORReader(hex("ff" + "a10102" + "4101" + "00"), at: 1, keys: .canonical)
        #expect(try reader.read() == .members([1: .integer(2)]))
        #expect(reader.position == 4)
        #expect(try reader.read() == .bytes([1]))
        #expect(reader.position == 6)
    }
}
