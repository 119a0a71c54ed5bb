import Testing

@testable import SessionDomain

@Suite("Metadata of a step-up")
struct StepUpMetadataTests {
    @Test("Missing metadata is empty")
    func absent() throws {
        #expect(try StepUpMetadata(nil).values == [:])
        #expect(try StepUpMetadata([:]) == StepUpMetadata(nil))
    }

    @Test("5 keys of 12 characters with values of 32 characters are accepted; bytes are not counted")
    func most() throws {
        let values = Dictionary(
            uniqueKeysWithValues: (0..<5).map {
                ("\($0)" + String(repeating: "é", count: 11), String(repeating: "ü", count: 32))
            })
        #expect(try StepUpMetadata(values).values == values)
    }

    @Test(
        "Metadata beyond a limit is rejected",
        arguments: [
            Dictionary(uniqueKeysWithValues: (0..<6).map { ("key\($0)", "") }),
            ["": "value"],
            [String(repeating: "k", count: 13): "value"],
            ["key": String(repeating: "v", count: 33)],
            ["identifier": String(repeating: "v", count: 321)],
        ])
    func more(values: [String: String]) {
        let error = #expect(throws: Refusal.self) { try StepUpMetadata(values) }
        guard case .invalidMetadata(let message) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(message.hasPrefix("metadata"))
        // The error must not repeat a value that the client sent.
        #expect(!message.contains("vvv"))
    }

    @Test("An identifier may have up to 320 characters")
    func identifier() throws {
        #expect(throws: Never.self) { try StepUpMetadata(["identifier": String(repeating: "v", count: 320)]) }
    }

    @Test("The value to register is canonicalized and of the kind of its scope")
    func registered() throws {
        let mail = try StepUpMetadata(["identifier": " Ada@Example.com "]).newIdentifier(of: .emailAddress)
        #expect(mail.canonical == "ada@example.com")
        let phone = try StepUpMetadata(["identifier": "+1 (415) 555-0100"]).newIdentifier(of: .phoneNumber)
        #expect(phone == (try TestApp.phone()))
    }

    @Test("A missing value, or one of another kind, is rejected as metadata")
    func unusable() throws {
        let absent = Refusal.invalidMetadata("metadata.identifier is required: the value to register")
        #expect(throws: absent) { try StepUpMetadata(["id": "x"]).newIdentifier(of: .phoneNumber) }
        let wrong = Refusal.invalidMetadata("metadata.identifier is not an e-mail address")
        #expect(throws: wrong) {
            try StepUpMetadata(["identifier": "+14155550100"]).newIdentifier(of: .emailAddress)
        }
    }
}
