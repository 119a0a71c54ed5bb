import Foundation
import SessionConformance
import SessionDomain
import SessionRSA
import SessionTokens

extension FuzzTarget {
    private static let now: Int64 = 1_750_000_000
    private static let url = "https://api.example.com/v1/orders"

    /// Signed formats. A reader accepts no mutation, only texts that were signed.
    static func tokens() throws -> [FuzzTarget] {
        let token = TokenDraft(
            signer: PublishedKeys.service, issuer: "session.example.com", audience: "testapp", now: now)
        let bound = try token.bound(to: PublishedKeys.device).compact()
        let plain = try token.compact()
        let set = try PublishedKeySet(
            json: TokenJSON.encode([
                "keys": [
                    PublishedKeys.service.publicJWK.publishedMembers, PublishedKeys.device.publicJWK.publishedMembers,
                ]
            ]), algorithms: Set(SignatureAlgorithm.allCases))
        let draft = ProofDraft(method: "GET", url: url, accessToken: bound, issuedAt: now)
        let proof = try draft.headers()[0]
        let rotating = try draft.with { $0.claims["attempt"] = .string("AAECAwQFBgcICQoLDA0ODw") }.headers()[0]
        let checker = DPoPProofChecker(
            method: "GET", targets: [TargetURI(url)].compactMap { $0 }, accessToken: bound)
        guard let app = AppID("testapp") else { throw Violation("invalid app id") }
        let keys = KeyRing(current: MasterKey(secret: Data(repeating: 3, count: 32)))
        let refresh = RefreshToken(sessionID: "ses_1", generation: 7).encoded(app: app, keys: keys)
        let tokens = try [plain, bound] + Vectors.accessTokens()
        let signed = Set(tokens)
        let proofs = try [proof, rotating] + Vectors.proofs()
        let words = [
            ".", "e30", "eyJhbGciOiJub25lIn0", #"{"alg":"none"}"#, PublishedKeys.device.keyID, plain, proof,
            String(plain.split(separator: ".")[0]), String(proof.split(separator: ".")[2]),
        ]
        return [
            FuzzTarget(text: "signed tokens", seeds: tokens, words: words) { text in
                guard (try? VerifiedToken(verifying: text, keys: set)) != nil else { return false }
                try require(signed.contains(text), "accepted a token that was not signed")
                return true
            },
            FuzzTarget(text: "DPoP headers", seeds: proofs, words: words) { text in
                guard (try? checker.check(headers: [text])) != nil else { return false }
                try require([proof, rotating].contains(text), "accepted a proof that was not signed")
                return true
            },
            FuzzTarget(text: "refresh tokens", seeds: [refresh], words: ["ses_2", "8", "+7", "07"]) { text in
                guard let read = RefreshToken(text, app: app, keys: keys) else { return false }
                try require(text == refresh, "accepted a refresh token that was not issued")
                try require(
                    read.encoded(app: app, keys: keys) == text, "a refresh token differs after it was read and written")
                return true
            },
            FuzzTarget(text: "compact JWS", seeds: ["e30.e30.", ".."] + tokens + proofs, words: words) { text in
                guard let parts = try? CompactParts(text) else { return false }
                let input = JWSText.input(header: parts.header, payload: parts.payload)
                try require(
                    input + "." + Base64URL.encode(parts.signature) == text,
                    "a JWS differs after it was read and written")
                try require(Data(input.utf8) == parts.signingInput, "the verified bytes are not the received bytes")
                return true
            },
        ]
    }
}
