internal import Foundation
internal import SessionTokens

extension ProofMutation {
    /// Mutations of the claims, the method and the target (RFC 9449 §4.3 steps 3, 8 and 9).
    static let claims: [ProofMutation] =
        ["jti", "htm", "htu", "iat"].map { name in
            ProofMutation("The claim \(name) is missing (RFC 9449 §4.3 step 3)", .malformed) { $0.claims[name] = nil }
        } + [
            ProofMutation("The claim jti is not a string (RFC 9449 §4.2)", .malformed) { $0.claims["jti"] = .int(1) },
            ProofMutation("The claim jti is empty (RFC 9449 §4.2)", .malformed) { $0.claims["jti"] = "" },
            // Proves: D15
            ProofMutation("The claim jti is too long (RFC 9449 §11.1)", .malformed) {
                $0.claims["jti"] = .string(String(repeating: "x", count: DPoPProofChecker.maximumIDLength + 1))
            },
            ProofMutation("The claim jti has a null character (RFC 8259 §9)", .malformed) {
                $0.claims["jti"] = "e1j3V_bKic8\0"
            },
            ProofMutation("A claim is nested deeper than 32 levels (RFC 8259 §9)", .malformed) { draft in
                draft.claims["deep"] = (0..<32).reduce(.null) { value, _ in .array([value]) }
            },
            ProofMutation("The claim iat is a string (RFC 7519 §2)", .malformed) { $0.claims["iat"] = "1750000000" },
            ProofMutation("The claim iat is too large for a time (RFC 7519 §2)", .malformed) {
                $0.claims["iat"] = .double(1e300)
            },
            // Proves: D12
            ProofMutation("The claim nonce is not a string (RFC 9449 §8.1)", .malformed) {
                $0.claims["nonce"] = .int(1)
            },
            ProofMutation("The claim htm is another method (RFC 9449 §4.3 step 8)", .wrongMethod) {
                $0.claims["htm"] = "DELETE"
            },
            ProofMutation("The claim htm is the method in lower case (RFC 9110 §9.1)", .wrongMethod) { draft in
                draft.claims["htm"] = draft.claims["htm"]?.stringValue.map { .string($0.lowercased()) }
            },
        ] + targets

    private static let targets: [ProofMutation] = [
        target("The claim htu has another host (RFC 9449 §4.3 step 9)") {
            $0.replacingOccurrences(of: "://", with: "://other.")
        },
        target("The claim htu has user information before the host (RFC 9449 §4.3 step 9)") {
            $0.replacingOccurrences(of: "://", with: "://user@")
        },
        target("The claim htu has another scheme (RFC 9449 §4.3 step 9)") {
            $0.hasPrefix("https:") ? "http" + $0.dropFirst(5) : "https" + $0.dropFirst(4)
        },
        target("The claim htu has another path (RFC 9449 §4.3 step 9)") { $0 + "s" },
        target("The claim htu has an additional slash at the end (RFC 9449 §4.3 step 9)") { $0 + "/" },
        target("The claim htu has the path in another case (RFC 3986 §6.2.2.1)") { url in
            url.replacingOccurrences(of: "/v1/", with: "/V1/")
        },
        target("The claim htu is only a path (RFC 9449 §4.2)") { url in
            "/" + url.split(separator: "/", maxSplits: 2).last!
        },
        target("The claim htu is empty (RFC 9449 §4.2)") { _ in "" },
        target("The claim htu has a scheme with a long s, which is a letter s without its case (RFC 3986 §3.1)") {
            url in
            "http\u{17F}" + url.drop { $0 != ":" }
        },
        target("The claim htu has a query that is not ASCII (RFC 3986 §2)") { $0 + "?\u{E9}" },
    ]

    private static func target(
        _ rule: String, _ change: @escaping @Sendable (String) -> String
    ) -> ProofMutation {
        ProofMutation(rule, .wrongTarget) { draft in
            draft.claims["htu"] = draft.claims["htu"]?.stringValue.map { .string(change($0)) }
        }
    }
}
