import Foundation
import HTTPTypes
import PreludeSessionTesting
import PreludeSessionVerifier
import Testing

/// Fetches the current key set of a node, with the lifetime that the node gives it.
struct ServiceKeySource: KeySetSource {
    let router: InProcessRouter

    func fetch() async throws -> FetchedKeySet {
        let (response, body) = try await router.respond(
            to: HTTPRequest(method: .get, scheme: "http", authority: "localhost:8080", path: "/.well-known/jwks.json"),
            body: nil)
        let control = try #require(response.headerFields[.cacheControl])
        let maxAge = try #require(control.split(separator: "max-age=").last.flatMap { Double($0) })
        return FetchedKeySet(json: body, maxAge: maxAge)
    }
}
