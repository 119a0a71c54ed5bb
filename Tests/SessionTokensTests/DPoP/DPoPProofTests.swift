import Foundation
import SessionTokens
import Testing

@Suite("DPoP proof: creation")
struct DPoPProofTests {
    private let key = RFCKey.rfc7515A3

    private func make(accessToken: String? = nil, nonce: String? = nil) throws -> String {
        let target = try #require(TargetURI(RefreshProofDraft.url + "?limit=10#top"))
        let proof = DPoPProof(
            header: DPoPProofHeader(publicKey: key.publicJWK), method: "POST", target: target,
            accessTokenHash: accessToken.map(DPoPProof.accessTokenHash), nonce: nonce,
            id: "e1j3V_bKic8-LAEB", issuedAt: 1_562_262_618
        )
        return try proof.compact(signature: key.signature(for: proof.signingInput))
    }

    private func json(_ proof: String, part: Int) throws -> String {
        let bytes = try #require(Base64URL.decode(proof.split(separator: ".")[part]))
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("The header contains only typ, alg and the public key (RFC 9449 §4.2)")
    func header() throws {
        #expect(
            try json(make(), part: 0) == """
                {"alg":"ES256","jwk":{"crv":"P-256","kty":"EC","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",\
                "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"},"typ":"dpop+jwt"}
                """)
    }

    @Test("The claims have an integer iat, htu without query and fragment, and no empty members")
    func claims() throws {
        #expect(
            try json(make(), part: 1) == """
                {"htm":"POST","htu":"https://app.example/v1/session/refresh","iat":1562262618,"jti":"e1j3V_bKic8-LAEB"}
                """)
    }

    @Test("The claims contain the nonce and the access token's hash if given")
    func optionalClaims() throws {
        #expect(
            try json(make(accessToken: "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU", nonce: "n-0S6"), part: 1) == """
                {"ath":"fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo","htm":"POST",\
                "htu":"https://app.example/v1/session/refresh","iat":1562262618,"jti":"e1j3V_bKic8-LAEB",\
                "nonce":"n-0S6"}
                """)
    }

    @Test("A nonce with quotes and control characters is escaped (RFC 8259 §7)")
    func escapedNonce() throws {
        let nonce = "a\"b\\c\u{1}/"
        #expect(try RefreshProofDraft.check(make(nonce: nonce)).nonce == nonce)
    }

    @Test("The signing input is the first two parts of the proof, for claims of any length")
    func anyLength() throws {
        for length in 1...4 {
            let proof = try make(nonce: String(repeating: "n", count: length))
            #expect(try RefreshProofDraft.check(proof).nonce?.count == length)
        }
    }

    @Test("The checker accepts a created proof")
    func accepted() throws {
        let proof = try RefreshProofDraft.check(make(accessToken: "token", nonce: "n-0S6"), accessToken: "token")
        #expect(proof.key == key.publicJWK)
        #expect(proof.nonce == "n-0S6")
    }
}
