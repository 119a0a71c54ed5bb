import Foundation
import PreludeSession
import PreludeSessionTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("An app with bound access tokens")
struct BoundTokenTests {
    @Test("The backend receives the DPoP scheme with a proof, or a bearer token without one", arguments: [true, false])
    func backend(isBound: Bool) async throws {
        let service = try await TestService(bindsAccessTokens: isBound)
        let client = try await service.signedIn()
        #expect(try await client.listSessions().total == 1)
        service.serveBackend { request in
            let scheme = request.value(forHTTPHeaderField: "Authorization")?.prefix { $0 != " " } ?? ""
            let hasProof = request.value(forHTTPHeaderField: "DPoP") != nil
            return TestService.BackendAnswer(json: #"["\#(scheme)", \#(hasProof)]"#)
        }
        let url = try #require(URL(string: "https://api.example.com/balance"))
        let (seen, _) = try await client.data(for: URLRequest(url: url))
        #expect(String(decoding: seen, as: UTF8.self) == (isBound ? #"["DPoP", true]"# : #"["Bearer", false]"#))
    }
}
