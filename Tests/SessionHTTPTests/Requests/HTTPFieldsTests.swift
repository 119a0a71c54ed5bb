import HTTPTypes
import Testing

@testable import SessionHTTP

@Suite("Header lookup")
struct HTTPFieldsTests {
    private let fields = HTTPFields.of(("X-Name", "one"), ("other", "x"), ("x-name", "two, three"))

    @Test("Names are case-insensitive, and values keep their order and their commas")
    func lookup() {
        #expect(fields.all("x-NAME") == ["one", "two, three"])
        #expect(fields.first("x-name") == "one")
        #expect(fields.contains("X-NAME") && !fields.contains("x-nam"))
        #expect(fields.first("absent") == nil)
    }

    @Test("An invalid name matches nothing and adds nothing")
    func invalidName() {
        var fields = fields
        fields.set("not a name", to: "x")
        fields.add("not a name", "x")
        #expect(fields == self.fields)
        #expect(fields.all("not a name").isEmpty && !fields.contains(""))
    }

    @Test("set replaces all values, add keeps them")
    func change() {
        var fields = fields
        fields.add("x-name", "four")
        #expect(fields.all("x-name") == ["one", "two, three", "four"])
        fields.set("x-name", to: "five")
        #expect(fields.all("x-name") == ["five"])
    }
}
