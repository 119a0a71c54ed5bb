internal import Foundation
internal import SessionTokens
internal import Testing

/// One thing of a valid proof that may be otherwise, with the rule that says so.
package struct ProofVariant: Sendable, CustomTestStringConvertible {
    /// The rule, which begins with its RFC and section.
    package let rule: String
    package let change: @Sendable (inout ProofDraft) throws -> Void

    init(_ rule: String, _ change: @escaping @Sendable (inout ProofDraft) throws -> Void) {
        self.rule = rule
        self.change = change
    }

    package var testDescription: String { rule }

    /// All that any request may have.
    package static let all = header + targets

    private static let header: [ProofVariant] = [
        ProofVariant("RFC 7515 §4.1.9: typ is in another case") { $0.header["typ"] = "DPOP+JWT" },
        ProofVariant("RFC 9449 §4.3 step 6: the key has an alg of its own, which does not count") {
            $0.setKey("alg", "HS256")
        },
        ProofVariant("RFC 7638 §3: the key has kid, use and a member that nobody knows") {
            $0.setKey("kid", "1")
            $0.setKey("use", "enc")
            $0.setKey("ext", .bool(true))
        },
        ProofVariant("RFC 7638 §3: the key is written in another order, with white space") { draft in
            let key = draft.signer.publicJWK.requiredMembers
            let members = ["y", "x", "kty", "crv"].map { "\"\($0)\" : \"\(key[$0] ?? "")\"" }
            let jwk = "{\n \(members.joined(separator: ",\n ")) }"
            draft.headerJSON = Data("{\"typ\":\"dpop+jwt\",\"alg\":\"ES256\",\"jwk\":\(jwk)}".utf8)
        },
        ProofVariant("RFC 8725 §3.10: jku, x5u, x5c and kid name another key, and nobody follows them") {
            $0.header.name(PublishedKeys.otherDevice)
        },
    ]

    private static let targets: [ProofVariant] = [
        target("RFC 9449 §4.3 step 9: htu has a query") { $0 + "?a=1" },
        target("RFC 9449 §4.3 step 9: htu has a fragment") { $0 + "#x" },
        target("RFC 3986 §6.2.2.1: htu has scheme and host in another case") { url in
            let end = url.range(of: "/v1/")?.lowerBound ?? url.endIndex
            return url[..<end].uppercased() + url[end...]
        },
        target("RFC 3986 §6.2.2.2: htu has a letter as its percent-encoding") {
            $0.replacingOccurrences(of: "/v1/", with: "/%76%31/")
        },
        target("RFC 3986 §6.2.2.3: htu has dot segments") {
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
