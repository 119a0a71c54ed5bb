import SessionTokens
import Testing

@testable import PreludeSessionVerifier

@Suite("Verifier: headers of recent proofs")
struct ProofHeaderCacheTests {
    private func header() -> KnownProofHeader {
        let key = SigningKey.generate(.es256).publicJWK
        return KnownProofHeader(encoded: "header of \(key.thumbprint)", key: key)
    }

    @Test("A header is found by the thumbprint of its key, and the last one counts")
    func found() async {
        let (cache, header) = (ProofHeaderCache(), header())
        #expect(await cache.header(thumbprint: header.key.thumbprint) == nil)
        await cache.keep(header)
        #expect(await cache.header(thumbprint: header.key.thumbprint) == header)
        let other = KnownProofHeader(encoded: "with another order of members", key: header.key)
        await cache.keep(other)
        #expect(await cache.header(thumbprint: header.key.thumbprint) == other)
    }

    @Test("A full cache keeps the headers that are used, and drops the others")
    func bounded() async {
        let (cache, used, unused) = (ProofHeaderCache(capacity: 2), header(), header())
        await cache.keep(used)
        await cache.keep(unused)
        for _ in 0..<6 {
            await cache.keep(header())
            #expect(await cache.header(thumbprint: used.key.thumbprint) == used)
        }
        #expect(await cache.header(thumbprint: unused.key.thumbprint) == nil)
    }
}
