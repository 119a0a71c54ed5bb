import SessionDomain
import SessionWire
import Testing

@testable import SessionHTTP

@Suite("The field of an error")
struct RefusalFieldTests {
    @Test(
        "The field is the name with which the message begins",
        arguments: [
            Refusal.invalidField("identifier.type", "is required"),
            .invalidIdentifier("identifier is not an e-mail address"), .invalidMetadata("metadata.note is too long"),
            .invalidStepToken("has expired"), .invalidPaginationLimit, .invalidPaginationOffset(maximum: 9),
            .verifierMismatch,
        ])
    func beginning(_ refusal: Refusal) throws {
        let field = try #require(WireRefusal(refusal).field)
        #expect(refusal.message.hasPrefix(field + " "))
    }

    @Test(
        "Errors about a text of the user name its field",
        arguments: [
            (Refusal.badCode, "code"), (.spentCode, "code"), (.invalidPassword("too short"), "password"),
            (.identifierTaken(), "identifier"), (.identifierTaken(field: "identifiers[1]"), "identifiers[1]"),
        ])
    func typed(_ refusal: Refusal, field: String) {
        #expect(WireRefusal(refusal).field == field)
    }

    @Test(
        "Other errors have no field",
        arguments: [
            Refusal.invalidField("body", "is not valid"), .unauthorized, .invalidVerificationToken, .invalidChallenge,
            .rateLimited(retryAfter: 1),
        ])
    func none(_ refusal: Refusal) {
        #expect(WireRefusal(refusal).field == nil)
    }

    @Test("Only a spent code needs a new one", arguments: RefusalRow.all)
    func newCode(_ row: RefusalRow) {
        #expect(WireRefusal(row.refusal).needsNewCode == (row.refusal == .spentCode))
    }
}
