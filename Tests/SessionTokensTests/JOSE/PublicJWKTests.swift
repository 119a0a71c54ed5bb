import Foundation
import SessionTokens
import Testing

/// The rules of RFC 7517, 7518 §6.2, 7638 and 8037 for P-256 and Ed25519 keys.
///
/// The example of RFC 7638 is an RSA key, which this type does not support. The EC keys below are printed in RFCs; their
/// thumbprints were computed with joserfc.
@Suite("Public JWK")
struct PublicJWKTests {
    private let p256 = """
        {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",\
        "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
        """

    private func decode(_ json: String) throws -> PublicJWK {
        try TokenJSON.decode(PublicJWK.self, from: Data(json.utf8))
    }

    @Test("The printed Ed25519 key has the printed thumbprint (RFC 8037 appendix A.3)")
    func ed25519Thumbprint() throws {
        let key = try decode(#"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#)
        #expect(key.thumbprint == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
        #expect(key.algorithm == .edDSA)
    }

    @Test("An EC thumbprint covers crv, kty, x and y (RFC 7638 §3.2, T1, T2)")
    func p256Thumbprint() throws {
        let key = try decode(p256)
        #expect(key.thumbprint == "oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U")
        #expect(key.algorithm == .es256)
    }

    @Test("Order and white space of the members do not change the thumbprint (RFC 7638 §3.3, T1)")
    func order() throws {
        let spaced = """
            { "y" : "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0" ,
              "x" : "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU" , "kty" : "EC", "crv" : "P-256" }
            """
        #expect(try decode(spaced).thumbprint == decode(p256).thumbprint)
    }

    @Test("Members such as kid, alg and use do not change the thumbprint (RFC 7638 §3.2, T3)")
    func optionalMembers() throws {
        let key = try decode(
            """
            {"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",\
            "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM","use":"enc","kid":"1","x-unknown":[1]}
            """)
        #expect(key.thumbprint == "cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s")
    }

    @Test("Encoding writes only the required members")
    func encoding() throws {
        let json = try TokenJSON.encode(decode(p256.replacingOccurrences(of: "{", with: #"{"kid":"1","use":"sig","#)))
        #expect(
            String(decoding: json, as: UTF8.self) == """
                {"crv":"P-256","kty":"EC","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",\
                "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
                """)
    }

    @Test("Private keys are rejected (RFC 7517 appendix A.2)")
    func privateKey() {
        let ec = p256.replacingOccurrences(of: "{", with: #"{"d":"870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE","#)
        #expect(throws: JWKError.privateKey) { try decode(ec) }
        #expect(throws: JWKError.privateKey) { try decode(#"{"kty":"RSA","n":"AQAB","e":"AQAB","d":"AQAB"}"#) }
    }

    @Test("A symmetric key is rejected (RFC 7517 appendix A.3)")
    func symmetricKey() {
        #expect(throws: JWKError.privateKey) { try decode(#"{"kty":"oct","k":"GawgguFyGrWKav7AX4VKUg"}"#) }
    }

    @Test(
        "Other key types and curves are rejected as unsupported",
        arguments: [
            #"{"kty":"RSA","n":"AQAB","e":"AQAB"}"#, #"{"kty":"EC","crv":"P-384","x":"AA","y":"AA"}"#,
            #"{"kty":"EC","crv":"secp256k1","x":"AA","y":"AA"}"#, #"{"kty":"OKP","crv":"X25519","x":"AA"}"#,
            #"{"kty":"OKP","crv":"P-256","x":"AA"}"#, #"{"kty":"ec","crv":"P-256","x":"AA","y":"AA"}"#,
            #"{"kty":"EC"}"#,
        ]
    )
    func unsupported(_ json: String) {
        #expect(throws: JWKError.unsupportedKey) { try decode(json) }
    }

    @Test("Points that are all zeros or beyond the field are rejected (RFC 8725 §3.4, J4, T4)")
    func invalidPoints() {
        let zeros = Base64URL.encode(Data(count: 32))
        let ones = Base64URL.encode(Data(repeating: 0xFF, count: 32))
        for coordinate in [zeros, ones] {
            let json = #"{"kty":"EC","crv":"P-256","x":"\#(coordinate)","y":"\#(coordinate)"}"#
            #expect(throws: JWKError.invalidCoordinates) { try decode(json) }
        }
    }

    @Test("Leading zeros of a coordinate are required and kept (RFC 7518 §6.2.1.2, T4)")
    func leadingZeros() throws {
        // The smallest scalar whose public key has an x that starts with a zero byte.
        let key = try #require(
            (1...2000).lazy.compactMap { scalar -> SigningKey? in
                var secret = Data(count: 32)
                secret[30] = UInt8(scalar >> 8)
                secret[31] = UInt8(scalar & 0xFF)
                return SigningKey(algorithm: .es256, rawRepresentation: secret)
            }.first(where: Self.startsWithZero))
        let x = try #require(key.publicJWK.requiredMembers["x"])
        #expect(Base64URL.decode(x)?.count == 32)
        #expect(try decode(String(decoding: TokenJSON.encode(key.publicJWK), as: UTF8.self)) == key.publicJWK)

        let shortened = try Base64URL.encode(#require(Base64URL.decode(x)).dropFirst())
        let y = try #require(key.publicJWK.requiredMembers["y"])
        #expect(throws: JWKError.invalidCoordinates) {
            try decode(#"{"kty":"EC","crv":"P-256","x":"\#(shortened)","y":"\#(y)"}"#)
        }
    }

    private static func startsWithZero(_ key: SigningKey) -> Bool {
        key.publicJWK.requiredMembers["x"].flatMap { Base64URL.decode($0) }?.first == 0
    }
}
