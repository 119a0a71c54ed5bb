import SessionTokens
import Testing

@testable import PreludeSessionVerifier

@Suite("Verifier: keys of recent proofs")
struct ProofKeyCacheTests {
    private func key() -> PublicJWK { SigningKey.generate(.es256).publicJWK }

    @Test("A key is found by its thumbprint")
    func found() async {
        let (cache, key) = (ProofKeyCache(), key())
        #expect(await cache.key(thumbprint: key.thumbprint) == nil)
        await cache.keep(key)
        #expect(await cache.key(thumbprint: key.thumbprint) == key)
    }

    @Test("A full cache keeps the keys that are used, and drops the others")
    func bounded() async {
        let (cache, used, unused) = (ProofKeyCache(capacity: 2), key(), key())
        await cache.keep(used)
        await cache.keep(unused)
        for _ in 0..<6 {
            await cache.keep(key())
            #expect(await cache.key(thumbprint: used.thumbprint) == used)
        }
        #expect(await cache.key(thumbprint: unused.thumbprint) == nil)
    }
}
