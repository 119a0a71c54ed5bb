import Foundation
import Testing

@testable import SessionDomain

/// The cases of isemail (Tests/Vectors/email-addresses.json). `accepted` is the rule of this service: an address without
/// comments, quotes and literals, under a domain with a dot, as mail servers accept it. White space around it is removed.
@Suite("E-mail addresses of isemail")
struct EmailVectorTests {
    struct Case: Decodable, Sendable, CustomTestStringConvertible {
        let id: Int
        let address: String
        let diagnosis: String
        let accepted: Bool

        var testDescription: String { "\(id) \(diagnosis)" }
    }

    private struct File: Decodable { let cases: [Case] }

    private static let cases: [Case] = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Vectors/email-addresses.json")
        return (try? JSONDecoder().decode(File.self, from: Data(contentsOf: file)).cases) ?? []
    }()

    @Test("All cases are read")
    func complete() {
        #expect(Self.cases.count == 164)
        #expect(Self.cases.count(where: \.accepted) == 45)
    }

    // Proves: O36
    @Test("An address is accepted exactly if the rule says so", arguments: cases)
    func rule(_ vector: Case) {
        let accepted = (try? CanonicalIdentifier(type: "email_address", value: vector.address)) != nil
        #expect(accepted == vector.accepted)
    }

    // Proves: O36
    @Test("No address is accepted that isemail calls an error, apart from white space around it")
    func errors() {
        for vector in Self.cases where vector.accepted && vector.diagnosis.hasPrefix("ERR") {
            let trimmed = vector.address.trimmingCharacters(in: .whitespacesAndNewlines)
            #expect(trimmed != vector.address)
            #expect(
                Self.cases.contains { $0.address == trimmed && $0.diagnosis == "VALID" } || trimmed == "test@iana.org")
        }
    }

    // Proves: O36
    @Test(
        "An address that earlier versions accepted can still be found and removed",
        arguments: ["test.@iana.org", ".test@iana.org", "test@iana.123"])
    func searched(address: String) throws {
        #expect(throws: Refusal.self) { try CanonicalIdentifier(type: "email_address", value: address) }
        let found = try CanonicalIdentifier(type: "email_address", value: address, isSearched: true)
        #expect(found.canonical == address)
    }
}
