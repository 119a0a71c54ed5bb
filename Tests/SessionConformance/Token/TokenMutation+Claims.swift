internal import Foundation
internal import SessionTokens

extension TokenMutation {
    /// Mutations of the claims (RFC 9068 §2.2 and §4, RFC 8725 §3.7 to §3.9, RFC 7519).
    static let claims: [TokenMutation] =
        ["iss", "sub", "exp"].map { name in
            TokenMutation("The claim \(name) is missing (RFC 9068 §2.2)", "malformed") { $0.claims[name] = nil }
        }
        + ["aud", "client_id", "iat", "jti"].map { name in
            TokenMutation("The claim \(name) is missing (RFC 9068 §2.2)", "missing_claim") { $0.claims[name] = nil }
        }
        + issuerAndAudience + times + [
            TokenMutation("The claim sub is empty (RFC 8725 §3.8)", "missing_claim") { $0.claims["sub"] = "" },
            TokenMutation("The claim sub is not a string (RFC 8725 §3.8)", "malformed") { $0.claims["sub"] = .int(1) },
            TokenMutation("The claims are encoded in UTF-16 (RFC 8725 §3.7)", "malformed") { draft in
                let json = try String(decoding: TokenJSON.encode(draft.claims), as: UTF8.self)
                draft.payload = json.data(using: .utf16)
            },
            TokenMutation("The claims contain bytes that are not UTF-8 (RFC 8725 §3.7)", "malformed") {
                $0.payload =
                    Data(#"{"x":""#.utf8) + [0xFF] + Data(#"","#.utf8) + (try TokenJSON.encode($0.claims)).dropFirst()
            },
            TokenMutation("The payload has a claim twice (RFC 7519 §4)", "malformed") { draft in
                let json = try String(decoding: TokenJSON.encode(draft.claims), as: UTF8.self)
                draft.payload = Data((#"{"sub":"usr_0","# + json.dropFirst()).utf8)
            },
            TokenMutation("A claim has a null character, where a reader may end the text (RFC 8259 §9)", "malformed") {
                $0.claims["sub"] = "usr_1\0"
            },
            TokenMutation("A claim is nested deeper than 32 levels (RFC 8259 §9)", "malformed") { draft in
                draft.claims["deep"] = (0..<32).reduce(.null) { value, _ in .array([value]) }
            },
            TokenMutation("A claim is a number that no double can have (RFC 8259 §6)", "malformed") { draft in
                let json = try String(decoding: TokenJSON.encode(draft.claims), as: UTF8.self)
                draft.payload = Data((#"{"large":1e309,"# + json.dropFirst()).utf8)
            },
            TokenMutation("The payload is not a JSON object (RFC 7519 §7.2)", "malformed") {
                $0.payload = Data("[]".utf8)
            },
        ]

    private static let issuerAndAudience: [TokenMutation] = [
        TokenMutation("The claim iss is another issuer (RFC 8725 §3.8)", "wrong_issuer") {
            $0.claims["iss"] = "other.example"
        },
        TokenMutation("The claim iss is in another case (RFC 8725 §3.8)", "wrong_issuer") { draft in
            draft.claims["iss"] = draft.claims["iss"]?.stringValue.map { .string($0.uppercased()) }
        },
        // Proves: RFC 9068 §4
        TokenMutation("The claim iss has an additional suffix (RFC 8725 §3.8)", "wrong_issuer") { draft in
            draft.claims["iss"] = draft.claims["iss"]?.stringValue.map { .string($0 + ".evil.example") }
        },
        TokenMutation("The claim aud is another app (RFC 8725 §3.9)", "wrong_audience") {
            $0.claims["aud"] = "otherapp"
        },
        TokenMutation("The claim aud lists only other apps (RFC 8725 §3.9)", "wrong_audience") {
            $0.claims["aud"] = .array(["otherapp", "thirdapp"])
        },
        // Proves: RFC 9068 §4
        TokenMutation("The claim aud is an empty list (RFC 8725 §3.9)", "wrong_audience") {
            $0.claims["aud"] = .array([])
        },
        TokenMutation("The claim aud is not a string (RFC 7519 §4.1.3)", "malformed") { $0.claims["aud"] = .int(1) },
    ]

    private static let times: [TokenMutation] = [
        TokenMutation("The claim exp is in the past (RFC 7519 §4.1.4)", "expired") { draft in
            draft.claims["exp"] = draft.claims["iat"]?.shifted(by: -60)
        },
        TokenMutation("The claim nbf is in the future (RFC 7519 §4.1.5)", "not_yet_valid") { draft in
            draft.claims["nbf"] = draft.claims["iat"]?.shifted(by: 60)
        },
        TokenMutation("The claim exp is a string (RFC 7519 §2)", "malformed") { $0.claims["exp"] = "4102444800" },
        TokenMutation("The claim exp is too large for a time (RFC 7519 §2)", "malformed") {
            $0.claims["exp"] = .double(1e300)
        },
    ]
}

extension JSONValue {
    fileprivate func shifted(by seconds: Int64) -> JSONValue {
        if case .int(let value) = self { .int(value + seconds) } else { self }
    }
}
