import Foundation
import SessionDomain
import Testing

@testable import SessionConsole

@Suite("HTML of the console")
struct HTMLTests {
    private static let markup = #"<script>alert('1')</script> & "quoted""#
    private static let escaped =
        "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; &quot;quoted&quot;"

    // Proves: C5
    @Test("A text never becomes markup: between tags, in an attribute, and in a list")
    func escaping() {
        #expect(HTML(escaping: Self.markup).text == Self.escaped)
        #expect(H.p { Self.markup }.text == "<p>\(Self.escaped)</p>")
        #expect(H.input(.value(Self.markup)).text == "<input value=\"\(Self.escaped)\">")
        #expect(H.ul { for _ in 0..<2 { H.li { Self.markup } } }.text.components(separatedBy: "<").count == 7)
    }

    @Test("A page of a user whose name is markup contains it as text")
    func component() {
        let table = TableView.html("T", columns: [Self.markup], [TableView.Row(Format.text(Self.markup))])
        #expect(!table.text.contains("<script"))
        #expect(table.text.contains(Self.escaped))
    }

    // Proves: C5
    @Test("Each character of a segment or parameter that is not unreserved is encoded (RFC 3986 §2.1)")
    func paths() {
        let path = ConsolePath.apps / "a/../b?c#d\"é" / "e"
        #expect(path.text == "/console/apps/a%2F..%2Fb%3Fc%23d%22%C3%A9/e")
        #expect(ConsolePath.home.query(["q": "a&b=c d", "empty": "", "none": nil]).text == "/console?q=a%26b%3Dc%20d")
    }

    // Proves: C6
    @Test(
        "Only a path of the console is returned to after the sign-in",
        arguments: [
            "https://evil.example", "//evil.example", "/console//evil.example", "/console/../v2", "/consoles",
            "/console/./x", "javascript:alert(1)", "/console?x=1", "/console/a b", "", "/", "\\\\evil.example",
        ])
    func returning(_ text: String) {
        #expect(ConsolePath(returning: text) == nil)
    }

    @Test("A path of a page is returned to", arguments: ["/console", "/console/apps/testapp/users/usr_1"])
    func returningToPages(_ text: String) {
        #expect(ConsolePath(returning: text)?.text == text)
    }
}
