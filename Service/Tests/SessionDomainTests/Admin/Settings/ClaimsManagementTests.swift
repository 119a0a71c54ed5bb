import SessionTokens
import Testing

@testable import SessionDomain

@Suite("Claim mappings of operators")
struct ClaimsManagementTests {
    @Test("Literals, inputs with and without a type, and custom claims are accepted and read back as written")
    func sources() throws {
        let mapping: [String: JSONValue] = [
            "text": "a", "object": .object(["a": .int(1)]), "list": .array([.null]), "empty": .object([:]),
            "id": .object(["$input": "user_id"]), "mail": .object(["$input": "emails", "$type": "string"]),
            "phones": .object(["$input": "phone_numbers", "$type": "array"]),
            "plan": .object(["$custom_claim": "plan"]),
        ]
        let sources = try ClaimsManagement.sources(mapping)
        let expected: [String: ClaimSource] = [
            "text": .literal("a"), "object": .literal(.object(["a": .int(1)])), "list": .literal(.array([.null])),
            "empty": .literal(.object([:])), "id": .input(.userID, as: nil), "mail": .input(.emails, as: .string),
            "phones": .input(.phoneNumbers, as: .array), "plan": .customClaim("plan"),
        ]
        #expect(sources == expected)
        #expect(sources.mapValues(\.json) == mapping)
    }

    @Test("30 claims with names of 64 bytes are accepted, and the total size of their literals is limited")
    func most() throws {
        func mapping(bytes: Int) -> [String: JSONValue] {
            Dictionary(
                uniqueKeysWithValues: (10..<40).map {
                    ("\($0)" + String(repeating: "n", count: 62), .string(String(repeating: "v", count: bytes)))
                })
        }
        #expect(try ClaimsManagement.sources(mapping(bytes: 40)).count == 30)
        #expect(refusedField(mapping(bytes: 60)) == "mapping")
        let object = JSONValue.object(["a": .string(String(repeating: "v", count: 900))])
        #expect(refusedField(["one": object, "two": object]) == "mapping")
    }

    private func refusedField(_ mapping: [String: JSONValue]) -> String? {
        let refusal = #expect(throws: Refusal.self) { try ClaimsManagement.sources(mapping) }
        guard case .invalidField(let field, _) = refusal else { return nil }
        return field
    }

    @Test("Too many claims and names that are too long or empty are rejected with the field mapping")
    func whole() {
        let many = Dictionary(uniqueKeysWithValues: (0..<31).map { ("c\($0)", JSONValue.null) })
        #expect(refusedField(many) == "mapping")
        #expect(refusedField([String(repeating: "n", count: 65): "x"]) == "mapping")
        #expect(refusedField(["": "x"]) == "mapping")
    }

    @Test(
        "The name of a claim is one line",
        arguments: ["a\nb", "a\r", "\u{2028}", "a\tb", "\u{0}", " a", "a\u{200b}", "\u{a0}"])
    func lines(name: String) {
        #expect(refusedField([name: "x"]) == "mapping.[?]")
    }

    @Test("A reserved claim is rejected by name", arguments: ClaimsConfig.reserved.sorted())
    func reserved(name: String) {
        #expect(refusedField([name: "x"]) == "mapping.\(name)")
    }

    @Test(
        "An invalid source is rejected with the name of its claim",
        arguments: [
            .string(String(repeating: "v", count: 1023)), .object(["$input": .int(1)]),
            .object(["$input": "emails", "more": "x"]), .object(["$inputs": "emails"]),
            .object(["$custom_claim": ""]), .object(["$custom_claim": .int(1)]),
            .object(["$custom_claim": .string(String(repeating: "k", count: 65))]),
            .object(["$custom_claim": "plan", "$type": "string"]),
            .object(["$custom_claim": "plan", "$input": "emails", "x": "y"]), .object(["$type": "string"]),
        ] as [JSONValue])
    func source(value: JSONValue) {
        #expect(refusedField(["mine": value]) == "mapping.mine")
    }

    @Test("An unknown input or type is rejected with the name of its member")
    func members() {
        #expect(refusedField(["mine": .object(["$input": "email"])]) == "mapping.mine.$input")
        #expect(refusedField(["mine": .object(["$input": ""])]) == "mapping.mine.$input")
        for type in ["number", "String", .null, .int(1)] as [JSONValue] {
            #expect(refusedField(["mine": .object(["$input": "ip", "$type": type])]) == "mapping.mine.$type")
        }
    }
}
