import HTTPTypes
import Testing

@testable import SessionHTTP

@Suite("Cookie header")
struct CookieTests {
    @Test(
        "A cookie is read by its exact name (RFC 6265 §5.4)",
        arguments: [
            (["name=a"], "a"), (["other=x; name=a"], "a"), (["name=a; name=b"], "a"), (["other=x", "name=a"], "a"),
            (["name=a=b=="], "a=b=="), (["name="], ""), (["name=\"a\""], "\"a\""), (["  name=a"], "a"),
            (["name=a ; x=y"], "a "), (["other=x;name=a"], "a"), (["=; ;name=a"], "a"),
            (["Name=a"], nil), (["xname=a"], nil), (["names=a"], nil), (["name"], nil), (["name =a"], nil),
            (["other=name=a"], nil), ([], nil), ([""], nil),
        ] as [([String], String?)])
    func read(headers: [String], value: String?) {
        #expect(HTTPFields.of(headers.map { ("cookie", $0) }).cookie("name") == value)
    }
}
