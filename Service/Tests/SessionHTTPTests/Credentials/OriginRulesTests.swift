import HTTPTypes
import SessionDomain
import Testing

@testable import SessionHTTP

@Suite("Origin rules")
struct OriginRulesTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let method: HTTPRequest.Method
        let origin: String?
        let site: String?
        let isAllowed: Bool
        var testDescription: String { "\(method.rawValue), Origin \(origin ?? "-"), Sec-Fetch-Site \(site ?? "-")" }

        init(_ method: HTTPRequest.Method, origin: String? = nil, site: String? = nil, _ isAllowed: Bool) {
            self.method = method
            self.origin = origin
            self.site = site
            self.isAllowed = isAllowed
        }
    }

    static let rows = [
        Row(.post, origin: "https://app.example", true),
        Row(.get, origin: "https://app.example", true),
        Row(.options, origin: "https://app.example", true),
        Row(.post, origin: "https://app.example", site: "cross-site", true),
        Row(.post, origin: "https://session.test", true),
        Row(.post, origin: "https://evil.example", false),
        Row(.get, origin: "https://evil.example", false),
        Row(.head, site: "cross-site", true),
        Row(.head, origin: "https://evil.example", false),
        Row(.options, origin: "https://evil.example", false),
        Row(.post, origin: "https://evil.example", site: "same-origin", false),
        Row(.post, origin: "null", false),
        Row(.post, origin: "", false),
        Row(.post, origin: "http://app.example", false),
        Row(.post, origin: "https://app.example:8443", false),
        Row(.post, origin: "https://app.example/", false),
        Row(.post, origin: "https://APP.example", false),
        Row(.post, origin: "https://app.example.evil.example", false),
        Row(.post, origin: "https://sub.app.example", false),
        Row(.post, origin: "https://app.example, https://evil.example", false),
        Row(.post, site: "same-origin", true),
        Row(.post, site: "none", true),
        Row(.post, site: "same-site", false),
        Row(.post, site: "cross-site", false),
        Row(.post, site: "", false),
        Row(.post, site: "Same-Origin", false),
        Row(.post, false),
        Row(.options, site: "cross-site", false),
        Row(.get, site: "cross-site", true),
        Row(.get, true),
    ]

    @Test("A browser may call with a listed Origin, or without Origin from the same origin", arguments: rows)
    func check(_ row: Row) {
        let rules = OriginRules(allowed: ["https://app.example", "https://session.test"])
        if row.isAllowed {
            #expect(throws: Never.self) { try rules.check(method: row.method, origin: row.origin, site: row.site) }
        } else {
            let error = #expect(throws: Refusal.self) {
                try rules.check(method: row.method, origin: row.origin, site: row.site)
            }
            guard case .forbidden = error else { return #expect(Bool(false), "\(String(describing: error))") }
        }
    }
}
