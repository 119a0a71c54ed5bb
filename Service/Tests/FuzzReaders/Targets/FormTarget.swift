import Foundation

@testable import SessionConsole

extension FuzzTarget {
    /// The fields of the console's forms, and of the queries of its pages.
    static let form = FuzzTarget(
        text: "form",
        seeds: [
            "name=Shop+%3Cb%3E&sign_up=on&events=user.created&events=user.deleted&form_token=a-b_c",
            "text=%7B%7Bcode%7D%7D%0D%0A%0D%0ADon%27t+share&subject=Gr%C3%BC%C3%9Fe", "a&b=&=c&&=",
            "x=%F0%9F%94%91+%2B",
        ], words: ["%", "%00", "%2", "%C3", "%ED%A0%80", "%26", "%3D", "+", "&", "=", "&&", "\u{0}", "%0D%0A"]
    ) { text in
        guard let form = try? FormBody(text) else { return false }
        let pairs = text.split(separator: "&").map { $0.prefix { $0 != "=" } }
        for name in Set(pairs.compactMap { $0.replacing("+", with: " ").removingPercentEncoding }) {
            let values = form.texts(name)
            try require(form.text(name) == values.first, "the first value of a field does not count")
            for value in values {
                try require(!value.utf8.contains(0), "a value contains U+0000")
                try require(form.filled(name).map { !$0.isEmpty } ?? true, "a filled field is empty")
                let again = try FormBody("n=" + encoded(value))
                try require(again.text("n") == value, "a value differs after it was written and read again")
            }
            for line in form.lines(name) {
                try require(!line.isEmpty && !line.contains(where: \.isNewline), "a line is empty, or two lines")
            }
        }
        return true
    }

    /// Each byte as two digits, so that nothing of it is a sign of the format.
    private static func encoded(_ value: String) -> String {
        value.utf8.map { "%" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
