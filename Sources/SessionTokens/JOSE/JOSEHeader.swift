/// The protected header of a token that we sign (RFC 7515 §4.1).
package struct JOSEHeader: Encodable, Sendable {
    private let alg: String
    private let typ: String
    private let kid: String?
    private let jwk: PublicJWK?

    package init(alg: SignatureAlgorithm, typ: String, kid: String? = nil, jwk: PublicJWK? = nil) {
        self.alg = alg.rawValue
        self.typ = typ
        self.kid = kid
        self.jwk = jwk
    }
}
