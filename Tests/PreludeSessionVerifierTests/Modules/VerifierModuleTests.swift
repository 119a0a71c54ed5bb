import Foundation
import PreludeSessionVerifier
import SessionConformance
import SessionTokens
import Testing

/// The modules in `Examples` follow the rules of the verifier: the same mutations, the same valid forms.
@Suite("Verifier modules in Python and JavaScript")
struct VerifierModuleTests {
    private static let now = AdjustableClock.start

    // Proves: K10
    @Test("A module rejects every token that the verifier rejects", arguments: VerifierModule.allCases)
    func tokens(_ module: VerifierModule) throws {
        for signer in try Signers.all() {
            let backend = try Backend(signer: signer)
            let requests = try TokenMutation.all.flatMap { mutation in
                let token = try backend.token.with { try mutation.change(&$0) }.compact()
                let bound = try backend.boundToken.with { try mutation.change(&$0) }.compact()
                return [
                    VerifierModule.Request(name: mutation.rule, authorization: "Bearer \(token)"),
                    VerifierModule.Request(
                        name: "\(mutation.rule), bound", authorization: "DPoP \(bound)",
                        proofs: try backend.proof(for: bound).headers()),
                ]
            }
            try expect(requests, of: module, signer: signer, accepted: false)
        }
    }

    // Proves: K10
    @Test("A module rejects every proof that the verifier rejects", arguments: VerifierModule.allCases)
    func proofs(_ module: VerifierModule) throws {
        let mutations = [ProofMutation.withAccessToken, ProofMutation.all].joined()
        let requests = try mutations.enumerated().map { index, mutation in
            try request(mutation.rule, id: "\(index)-LAEB", change: mutation.change)
        }
        try expect(requests, of: module, accepted: false)
        let bindings = [
            try request("The claim ath is missing", id: "a-LAEB") { $0.claims["ath"] = nil },
            try request("Another key than cnf.jkt", id: "b-LAEB") {
                $0 = ProofDraft(
                    signer: PublishedKeys.otherDevice, method: "GET", url: Backend.url,
                    accessToken: try Backend().boundToken.compact(), issuedAt: Self.now)
            },
            try request("The claim iat is too old", id: "c-LAEB") { $0.claims["iat"] = .int(Self.now - 61) },
            try request("The claim iat is too new", id: "d-LAEB") { $0.claims["iat"] = .int(Self.now + 61) },
        ]
        try expect(bindings, of: module, accepted: false)
    }

    @Test("A module accepts every valid token and proof that the verifier accepts", arguments: VerifierModule.allCases)
    func valid(_ module: VerifierModule) throws {
        for signer in try Signers.all() {
            let token = try Backend(signer: signer).token.compact()
            try expect(
                [VerifierModule.Request(name: "valid", authorization: "Bearer \(token)")], of: module, signer: signer,
                accepted: true)
        }
        let requests = try ProofVariant.all.enumerated().map { index, variant in
            try request(variant.rule, id: "\(index)-LAEB", change: variant.change)
        }
        try expect(requests, of: module, accepted: true)
    }

    @Test("A module accepts a proof once (RFC 9449 §11.1)", arguments: VerifierModule.allCases)
    func replay(_ module: VerifierModule) throws {
        let once = try request("once", id: "1-LAEB") { _ in }
        let backend = try Backend()
        let results = try module.results(of: [once, once], keys: [Backend.entry(backend.signer)], now: Self.now)
        #expect(results.map(\.user) == ["usr_1", nil])
        #expect(results.last?.reason == "replayed_proof")
    }

    private func request(
        _ name: String, id: String, change: (inout ProofDraft) throws -> Void
    ) throws -> VerifierModule.Request {
        let backend = try Backend()
        let token = try backend.boundToken.compact()
        return VerifierModule.Request(
            name: name, authorization: "DPoP \(token)",
            proofs: try backend.proof(for: token, id: id).with(change).headers())
    }

    private func expect(
        _ requests: [VerifierModule.Request], of module: VerifierModule,
        signer: any TokenSigner = PublishedKeys.service, accepted: Bool,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        let results = try module.results(of: requests, keys: [Backend.entry(signer)], now: Self.now)
        #expect(results.count == requests.count, sourceLocation: location)
        for (request, result) in zip(requests, results) {
            #expect(
                (result.user == "usr_1") == accepted && (result.reason == nil) == accepted,
                "\(request.name): \(result)", sourceLocation: location)
        }
    }
}
