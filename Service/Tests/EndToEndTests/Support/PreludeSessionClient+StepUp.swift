import Foundation
import PreludeSession
import PreludeSessionTesting
import Testing

extension PreludeSessionClient {
    /// Steps up for a scope whose only step is a code by e-mail.
    func stepUp(_ scope: String, in world: ServiceWorld, email: String = "ada@example.com") async throws {
        try await stepUp(scope: scope) { _, _ in .code(try world.code(for: email)) }
    }

    /// The scopes of the current access token.
    func scopes() async throws -> [String] {
        let token = try #require(await accessToken)
        var payload = String(token.split(separator: ".")[1]).replacing("-", with: "+").replacing("_", with: "/")
        payload += String(repeating: "=", count: (4 - payload.count % 4) % 4)
        struct Claims: Decodable { let scope: String? }
        let claims = try JSONDecoder().decode(Claims.self, from: try #require(Data(base64Encoded: payload)))
        return claims.scope?.split(separator: " ").map(String.init) ?? []
    }
}
