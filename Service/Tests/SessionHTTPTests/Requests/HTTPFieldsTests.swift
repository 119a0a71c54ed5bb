import HTTPTypes
import Testing

@testable import SessionHTTP

@Suite("Header lookup")
struct HTTPFieldsTests {
    private let fields = HTTPFields.of(("X-Forwarded-For", "one"), ("other", "x"), ("x-forwarded-for", "two, three"))

    @Test("Names are case-insensitive, and values keep their order and their commas")
    func lookup() {
        #expect(fields.all(.forwardedFor) == ["one", "two, three"])
        #expect(fields.first(.forwardedFor) == "one")
        #expect(fields.contains(.forwardedFor) && !fields.contains(.forwardedHost))
        #expect(fields.first(.forwardedHost) == nil)
    }

    @Test("set replaces all values, add keeps them")
    func change() {
        var fields = fields
        fields.add(.forwardedFor, "four")
        #expect(fields.all(.forwardedFor) == ["one", "two, three", "four"])
        fields.set(.forwardedFor, to: "five")
        #expect(fields.all(.forwardedFor) == ["five"])
    }
}
