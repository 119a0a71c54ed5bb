import Foundation
import SessionTokens
import Testing

/// RFC 7517 §5.
@Suite("JWK Set")
struct JWKSetTests {
    private let set = JWKSet(keys: [PublishedKey.rfc8037A1.publicJWK, PublishedKey.rfc7515A3.publicJWK])

    private func decode(_ json: String) throws -> JWKSet {
        try TokenJSON.decode(JWKSet.self, from: Data(json.utf8))
    }

    @Test("Golden: each key says its kid, alg and use")
    func encoding() throws {
        #expect(
            try String(decoding: TokenJSON.encode(set), as: UTF8.self) == """
                {"keys":[\
                {"alg":"EdDSA","crv":"Ed25519","kid":"kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k","kty":"OKP",\
                "use":"sig","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"},\
                {"alg":"ES256","crv":"P-256","kid":"oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U","kty":"EC",\
                "use":"sig","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",\
                "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}
                """)
    }

    @Test("A set survives the round trip")
    func roundTrip() throws {
        #expect(try decode(String(decoding: TokenJSON.encode(set), as: UTF8.self)) == set)
        #expect(try decode(#"{"keys":[]}"#).keys.isEmpty)
    }

    @Test("RFC 7517 §5: keys that are unknown, broken, private or no objects are skipped, and the others stay usable")
    func unusableKeys() throws {
        let ed25519 = #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#
        let set = try decode(
            """
            {"keys":[
              {"kty":"RSA","n":"AQAB","e":"AQAB","kid":"rsa"},
              {"kty":"quantum","q":1},
              {"kty":"EC","crv":"P-256","x":"broken","y":"broken"},
              {"kty":"oct","k":"GawgguFyGrWKav7AX4VKUg"},
              17, null, "key", [],
              \(ed25519)
            ], "unknown": true}
            """)
        #expect(set.keys == [PublishedKey.rfc8037A1.publicJWK])
    }

    @Test("What is no set is refused", arguments: ["{}", "[]", #"{"keys":{}}"#, #"{"keys":null}"#, "null"])
    func noSet(_ json: String) {
        #expect(throws: DecodingError.self) { try decode(json) }
    }

    @Test("J9: a key is found by its whole thumbprint only; nothing else falls back to a default")
    func lookUp() {
        let id = PublishedKey.rfc7515A3.keyID
        #expect(set.key(id: id) as? PublicJWK == PublishedKey.rfc7515A3.publicJWK)
        for other in ["", String(id.dropLast()), id + "=", id.lowercased(), "../\(id)", "' OR '1'='1"] {
            #expect(set.key(id: other) == nil)
        }
    }
}
