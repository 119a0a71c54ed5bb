import Testing

@testable import prelude_session

@Suite("The right name for a misspelled one")
struct NearestNameTests {
    @Test(
        "The distance counts inserted, deleted, replaced and swapped characters",
        arguments: [
            ("", "", 0), ("port", "port", 0), ("", "port", 4), ("port", "", 4), ("prot", "port", 1), ("por", "port", 1),
            ("ports", "port", 1), ("part", "port", 1), ("trop", "port", 3), ("oprt", "port", 1),
            ("TRUSTED_PROXY", "TRUSTED_PROXIES", 3),
        ])
    func distance(first: String, second: String, edits: Int) {
        #expect(NearestName.distance(first, second) == edits)
        #expect(NearestName.distance(second, first) == edits)
    }

    @Test(
        "A similar name is found in any case, and no name is suggested for a different one",
        arguments: [
            ("prot", "port"), ("publicURL", "publicUrl"), ("TrustedProxy", "trustedProxies"),
            ("defaultApps", "defaultApp"),
            ("databse", "database"), ("tls", nil), ("certificate", nil), ("", nil),
        ])
    func nearest(name: String, right: String?) {
        let names = ["host", "port", "publicUrl", "trustedProxies", "defaultApp", "database"]
        #expect(NearestName.of(name, in: names) == right)
    }
}
