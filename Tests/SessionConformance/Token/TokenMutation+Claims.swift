internal import Foundation
internal import SessionTokens

extension TokenMutation {
    /// RFC 9068 §2.2 and §4, RFC 8725 §3.7 to §3.9, RFC 7519: the claims.
    static let claims: [TokenMutation] =
        ["iss", "sub", "exp"].map { name in
            TokenMutation("RFC 9068 §2.2: \(name) is missing", "malformed") { $0.claims[name] = nil }
        }
        + ["aud", "client_id", "iat", "jti"].map { name in
            TokenMutation("RFC 9068 §2.2: \(name) is missing", "missing_claim") { $0.claims[name] = nil }
        }
        + issuerAndAudience + times + [
            TokenMutation("RFC 8725 §3.8: sub is empty", "missing_claim") { $0.claims["sub"] = "" },
            TokenMutation("RFC 8725 §3.8: sub is no string", "malformed") { $0.claims["sub"] = .int(1) },
            TokenMutation("RFC 8725 §3.7: the claims are UTF-16", "malformed") { draft in
                let json = try String(decoding: TokenJSON.encode(draft.claims), as: UTF8.self)
                draft.payload = json.data(using: .utf16)
            },
            TokenMutation("RFC 8725 §3.7: the claims have bytes that are no UTF-8", "malformed") {
                $0.payload =
                    Data(#"{"x":""#.utf8) + [0xFF] + Data(#"","#.utf8) + (try TokenJSON.encode($0.claims)).dropFirst()
            },
            TokenMutation("RFC 7519 §4: a claim comes twice", "malformed") { draft in
                let json = try String(decoding: TokenJSON.encode(draft.claims), as: UTF8.self)
                draft.payload = Data((#"{"sub":"usr_0","# + json.dropFirst()).utf8)
            },
            TokenMutation("RFC 7519 §7.2: the claims are no object", "malformed") { $0.payload = Data("[]".utf8) },
        ]

    private static let issuerAndAudience: [TokenMutation] = [
        TokenMutation("RFC 8725 §3.8: iss is somebody else", "wrong_issuer") { $0.claims["iss"] = "other.example" },
        TokenMutation("RFC 8725 §3.8: iss is in another case", "wrong_issuer") { draft in
            draft.claims["iss"] = draft.claims["iss"]?.stringValue.map { .string($0.uppercased()) }
        },
        TokenMutation("RFC 8725 §3.8: iss has something behind it", "wrong_issuer") { draft in
            draft.claims["iss"] = draft.claims["iss"]?.stringValue.map { .string($0 + ".evil.example") }
        },
        TokenMutation("RFC 8725 §3.9: aud is another app", "wrong_audience") { $0.claims["aud"] = "otherapp" },
        TokenMutation("RFC 8725 §3.9: aud lists other apps only", "wrong_audience") {
            $0.claims["aud"] = .array(["otherapp", "thirdapp"])
        },
        TokenMutation("RFC 8725 §3.9: aud is empty", "wrong_audience") { $0.claims["aud"] = .array([]) },
        TokenMutation("RFC 7519 §4.1.3: aud is no string", "malformed") { $0.claims["aud"] = .int(1) },
    ]

    private static let times: [TokenMutation] = [
        TokenMutation("RFC 7519 §4.1.4: exp is past", "expired") { draft in
            draft.claims["exp"] = draft.claims["iat"]?.shifted(by: -60)
        },
        TokenMutation("RFC 7519 §4.1.5: nbf is to come", "not_yet_valid") { draft in
            draft.claims["nbf"] = draft.claims["iat"]?.shifted(by: 60)
        },
        TokenMutation("RFC 7519 §2: exp is a string", "malformed") { $0.claims["exp"] = "4102444800" },
        TokenMutation("RFC 7519 §2: exp is beyond all clocks", "malformed") { $0.claims["exp"] = .double(1e300) },
    ]
}

extension JSONValue {
    fileprivate func shifted(by seconds: Int64) -> JSONValue {
        if case .int(let value) = self { .int(value + seconds) } else { self }
    }
}
