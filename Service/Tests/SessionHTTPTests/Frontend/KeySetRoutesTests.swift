import Foundation
import HTTPTypes
import SessionTokens
import SessionWire
import Testing

@Suite("Published keys")
struct KeySetRoutesTests {
    private func keyIDs(_ path: String, of world: EdgeWorld) async throws -> [String] {
        let response = try await world.call(.get, path)
        #expect(response.status == 200)
        struct KeySet: Decodable { let keys: [[String: String]] }
        return try TokenJSON.decode(KeySet.self, from: Data(response.text.utf8)).keys.compactMap { $0["kid"] }
    }

    @Test("Keys of access tokens and keys of challenges are in different sets")
    func separate() async throws {
        let world = try await EdgeWorld.shared.value
        let access = try await keyIDs(FrontendPath.jwks.rawValue, of: world)
        let challenge = try await keyIDs(FrontendPath.stepUpJWKS.rawValue, of: world)
        #expect(!access.isEmpty && !challenge.isEmpty)
        #expect(Set(access).isDisjoint(with: challenge))
    }

    @Test(
        "Clients may cache a key set for 5 minutes",
        arguments: [FrontendPath.jwks.rawValue, FrontendPath.stepUpJWKS.rawValue])
    func cache(_ path: String) async throws {
        #expect(try await EdgeWorld.shared.value.call(.get, path).header("cache-control") == "public, max-age=300")
    }
}
