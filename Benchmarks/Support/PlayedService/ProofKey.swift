import Crypto
import Foundation
import HTTPTypes

/// Reads the key of a request's proof without verification.
enum ProofKey {
    struct Missing: Error {}

    private struct Header: Decodable {
        struct Key: Decodable { let crv, kty, x, y: String }
        let jwk: Key
    }

    /// The thumbprint of the proof's key (RFC 7638 §3).
    static func thumbprint(of request: HTTPRequest) throws -> String {
        guard let name = HTTPField.Name("DPoP"), let proof = request.headerFields[name],
            let part = proof.split(separator: ".").first,
            let json = Data(base64Encoded: padded(String(part).replacing("-", with: "+").replacing("_", with: "/")))
        else { throw Missing() }
        let key = try JSONDecoder().decode(Header.self, from: json).jwk
        let members = #"{"crv":"\#(key.crv)","kty":"\#(key.kty)","x":"\#(key.x)","y":"\#(key.y)"}"#
        return AccessTokens.base64URL(Data(SHA256.hash(data: Data(members.utf8))))
    }

    private static func padded(_ text: String) -> String {
        text + String(repeating: "=", count: (4 - text.count % 4) % 4)
    }
}
