import Foundation
import Testing

@testable import PreludeSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The fields that authorize a URLRequest")
struct URLRequestAuthorizationTests {
    private func request() throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: "https://api.example.com/")))
        request.setValue("text/plain", forHTTPHeaderField: "Accept")
        return request
    }

    private func names(_ request: URLRequest) -> [String] {
        (request.allHTTPHeaderFields ?? [:]).keys.map { $0.lowercased() }.sorted()
    }

    @Test("Both fields are set, and other fields stay")
    func both() throws {
        var request = try request()
        request.setFields(AppAuthorization(authorization: "DPoP a.b.c", proof: "d.e.f"))
        #expect(names(request) == ["accept", "authorization", "dpop"])
        #expect(request.value(forHTTPHeaderField: "authorization") == "DPoP a.b.c")
        #expect(request.value(forHTTPHeaderField: "DPoP") == "d.e.f")
        #expect(request.value(forHTTPHeaderField: "Accept") == "text/plain")
    }

    @Test("Fields with the same name in any case are replaced", arguments: ["dpop", "DPOP", "Dpop"])
    func replaced(_ name: String) throws {
        var request = try request()
        request.allHTTPHeaderFields = [name: "old", "AUTHORIZATION": "old"]
        request.setFields(AppAuthorization(authorization: "DPoP a.b.c", proof: "d.e.f"))
        #expect(names(request) == ["authorization", "dpop"])
        #expect(request.value(forHTTPHeaderField: name) == "d.e.f")
        request.setValue("new", forHTTPHeaderField: name)
        #expect(names(request) == ["authorization", "dpop"])
        #expect(request.value(forHTTPHeaderField: "DPoP") == "new")
    }

    @Test("A bearer token has no proof, and a token with a line break adds no field (RFC 9110 §5.5)")
    func bearer() throws {
        var request = try request()
        request.setFields(AppAuthorization(authorization: "Bearer a.b.c"))
        #expect(names(request) == ["accept", "authorization"])
        request.setFields(AppAuthorization(authorization: "Bearer a\r\nX-Role: admin"))
        #expect(request.value(forHTTPHeaderField: "X-Role") == nil)
        #expect(request.value(forHTTPHeaderField: "Authorization") != "Bearer a\r\nX-Role: admin")
    }

    @Test("A control character at any position of a long value adds no field (RFC 9110 §5.5)")
    func controlCharacters() throws {
        for position in 0..<70 {
            var value = Array(repeating: UInt8(ascii: "~"), count: 70)
            value.replaceSubrange(position..<position, with: Array("\r\nX-Role: admin".utf8))
            var request = try request()
            let text = String(decoding: value, as: UTF8.self)
            request.setFields(AppAuthorization(authorization: text))
            #expect(request.value(forHTTPHeaderField: "X-Role") == nil)
            #expect(request.value(forHTTPHeaderField: "Authorization") != text)
        }
    }
}
