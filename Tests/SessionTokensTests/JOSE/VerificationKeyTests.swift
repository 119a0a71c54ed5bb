import Foundation
import SessionTokens
import Testing

/// Published keys and their lookup (RFC 7517 §4 and §5).
@Suite("Verification keys")
struct VerificationKeyTests {
    private let keys = VerificationKeys([RFCKey.rfc8037A1.publicJWK, RFCKey.rfc7515A3.publicJWK])

    @Test("Published keys have kid, alg and use")
    func published() throws {
        #expect(
            try String(decoding: TokenJSON.encode(["keys": keys.keys.map(\.publishedMembers)]), as: UTF8.self) == """
                {"keys":[\
                {"alg":"EdDSA","crv":"Ed25519","kid":"kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k","kty":"OKP",\
                "use":"sig","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"},\
                {"alg":"ES256","crv":"P-256","kid":"oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U","kty":"EC",\
                "use":"sig","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",\
                "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}
                """)
    }

    @Test("A key is found only by its complete thumbprint (RFC 8725 §3.10, J9)")
    func lookUp() {
        let id = RFCKey.rfc7515A3.keyID
        #expect(keys.key(id: id) as? PublicJWK == RFCKey.rfc7515A3.publicJWK)
        for other in ["", String(id.dropLast()), id + "=", id.lowercased(), "../\(id)", "' OR '1'='1"] {
            #expect(keys.key(id: other) == nil)
        }
    }
}
