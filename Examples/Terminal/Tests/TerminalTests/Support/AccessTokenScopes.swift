import Foundation

/// The scopes in an access token. A backend reads them after it has verified the token; this function does not verify.
func scopes(of token: String) -> [String] {
    struct Claims: Decodable { var scope: String? }
    var text = token.split(separator: ".").dropFirst().first.map(String.init) ?? ""
    text = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    text += String(repeating: "=", count: (4 - text.count % 4) % 4)
    let claims = Data(base64Encoded: text).flatMap { try? JSONDecoder().decode(Claims.self, from: $0) }
    return claims?.scope?.split(separator: " ").map(String.init) ?? []
}
