internal import Foundation
internal import SessionTokens
public import Testing

/// A change that keeps a valid proof valid.
public struct ProofVariant: Sendable, CustomTestStringConvertible {
    /// A description of the change, with RFC and section at the end.
    public let rule: String
    public let change: @Sendable (inout ProofDraft) throws -> Void

    init(_ rule: String, _ change: @escaping @Sendable (inout ProofDraft) throws -> Void) {
        self.rule = rule
        self.change = change
    }

    public var testDescription: String { rule }

    /// The variants for every request.
    public static let all = header + claims + targets

    private static let header: [ProofVariant] = [
        ProofVariant("The header typ is in another case (RFC 7515 §4.1.9)") { $0.header["typ"] = "DPOP+JWT" },
        ProofVariant("The key has its own alg, which is ignored (RFC 9449 §4.3 step 6)") {
            $0.setKey("alg", "HS256")
        },
        // Proves: T3
        ProofVariant("The key has kid, use and an unknown member (RFC 7638 §3)") {
            $0.setKey("kid", "1")
            $0.setKey("use", "enc")
            $0.setKey("ext", .bool(true))
        },
        // Proves: T1
        ProofVariant("The key has its members in another order and with white space (RFC 7638 §3)") { draft in
            let key = draft.signer.publicJWK.requiredMembers
            let members = ["y", "x", "kty", "crv"].map { "\"\($0)\" : \"\(key[$0] ?? "")\"" }
            let jwk = "{\n \(members.joined(separator: ",\n ")) }"
            draft.headerJSON = Data("{\"typ\":\"dpop+jwt\",\"alg\":\"ES256\",\"jwk\":\(jwk)}".utf8)
        },
        ProofVariant("The headers jku, x5u, x5c and kid name another key and are ignored (RFC 8725 §3.10)") {
            $0.header.name(PublishedKeys.otherDevice)
        },
    ]

    private static let claims: [ProofVariant] = [
        ProofVariant("The claim nonce is null, as some clients write a missing one (RFC 9449 §4.2)") {
            if $0.claims["nonce"] == nil { $0.claims["nonce"] = .null }
        }
    ]

    private static let targets: [ProofVariant] = [
        target("The claim htu has a query (RFC 9449 §4.3 step 9)") { $0 + "?a=1" },
        target("The claim htu has a fragment (RFC 9449 §4.3 step 9)") { $0 + "#x" },
        target("The claim htu has scheme and host in another case (RFC 3986 §6.2.2.1)") { url in
            let end = url.range(of: "/v1/")?.lowerBound ?? url.endIndex
            return url[..<end].uppercased() + url[end...]
        },
        target("The claim htu has a percent-encoded letter (RFC 3986 §6.2.2.2)") {
            $0.replacingOccurrences(of: "/v1/", with: "/%76%31/")
        },
        target("The claim htu has dot segments (RFC 3986 §6.2.2.3)") {
            $0.replacingOccurrences(of: "/v1/", with: "/./x/../v1/")
        },
    ]

    private static func target(
        _ rule: String, _ change: @escaping @Sendable (String) -> String
    ) -> ProofVariant {
        ProofVariant(rule) { draft in
            draft.claims["htu"] = draft.claims["htu"]?.stringValue.map { .string(change($0)) }
        }
    }
}
