internal import Foundation
internal import SessionTokens

extension ProofMutation {
    /// RFC 9449 §4.3 steps 3, 8 and 9: the claims, and what they are bound to.
    static let claims: [ProofMutation] =
        ["jti", "htm", "htu", "iat"].map { name in
            ProofMutation("RFC 9449 §4.3 step 3: \(name) is missing", .malformed) { $0.claims[name] = nil }
        } + [
            ProofMutation("RFC 9449 §4.2: jti is no string", .malformed) { $0.claims["jti"] = .int(1) },
            ProofMutation("RFC 9449 §4.2: jti is empty", .malformed) { $0.claims["jti"] = "" },
            ProofMutation("RFC 9449 §11.1: jti is longer than anybody needs", .malformed) {
                $0.claims["jti"] = .string(String(repeating: "x", count: DPoPProofChecker.maximumIDLength + 1))
            },
            ProofMutation("RFC 7519 §2: iat is a string", .malformed) { $0.claims["iat"] = "1750000000" },
            ProofMutation("RFC 7519 §2: iat is beyond all clocks", .malformed) { $0.claims["iat"] = .double(1e300) },
            ProofMutation("RFC 9449 §8.1: nonce is no string", .malformed) { $0.claims["nonce"] = .int(1) },
            ProofMutation("RFC 9449 §4.3 step 8: htm is another method", .wrongMethod) { $0.claims["htm"] = "DELETE" },
            ProofMutation("RFC 9110 §9.1: htm is the method in another case", .wrongMethod) { draft in
                draft.claims["htm"] = draft.claims["htm"]?.stringValue.map { .string($0.lowercased()) }
            },
        ] + targets

    private static let targets: [ProofMutation] = [
        target("RFC 9449 §4.3 step 9: htu is of another host") {
            $0.replacingOccurrences(of: "://", with: "://other.")
        },
        target("RFC 9449 §4.3 step 9: htu has this host in its user information") {
            $0.replacingOccurrences(of: "://", with: "://user@")
        },
        target("RFC 9449 §4.3 step 9: htu is of another scheme") {
            $0.hasPrefix("https:") ? "http" + $0.dropFirst(5) : "https" + $0.dropFirst(4)
        },
        target("RFC 9449 §4.3 step 9: htu is of another path") { $0 + "s" },
        target("RFC 9449 §4.3 step 9: htu ends in a slash") { $0 + "/" },
        target("RFC 3986 §6.2.2.1: htu has the path in another case") { url in
            url.replacingOccurrences(of: "/v1/", with: "/V1/")
        },
        target("RFC 9449 §4.2: htu is a path alone") { url in
            "/" + url.split(separator: "/", maxSplits: 2).last!
        },
        target("RFC 9449 §4.2: htu is empty") { _ in "" },
    ]

    private static func target(
        _ rule: String, _ change: @escaping @Sendable (String) -> String
    ) -> ProofMutation {
        ProofMutation(rule, .wrongTarget) { draft in
            draft.claims["htu"] = draft.claims["htu"]?.stringValue.map { .string(change($0)) }
        }
    }
}
