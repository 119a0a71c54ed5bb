import SessionTokens
import Testing

/// The three proofs printed in RFC 9449 §4.1, §5 and §7.1, signed with one key.
@Suite("RFC 9449 examples")
struct RFC9449ExampleTests {
    private static let header =
        "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscE"
        + "JoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In"
        + "19"

    private static let tokenRequest =
        header
        + ".eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIi"
        + "wiaWF0IjoxNTYyMjYyNjE2fQ"
        + ".2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg"

    private static let refreshRequest =
        header
        + ".eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIi"
        + "wiaWF0IjoxNTYyMjY1Mjk2fQ"
        + ".pAqut2IRDm_De6PR93SYmGBPXpwrAk90e8cP2hjiaG5QsGSuKDYW7_X620BxqhvYC8ynrrvZLTk41mSRroapUA"

    private static let resourceRequest =
        header
        + ".eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZy9wcm90ZW"
        + "N0ZWRyZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0NBcWtzbVFFby"
        + "J9"
        + ".2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA"

    private static let accessToken = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"
    private static let thumbprint = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"

    private func check(
        _ proof: String, _ method: String, _ url: String, accessToken: String? = nil
    ) throws -> CheckedProof {
        let target = try #require(TargetURI(url))
        return try DPoPProofChecker(method: method, targets: [target], accessToken: accessToken).check(headers: [proof])
    }

    @Test("The proof of the token request is accepted and has the printed thumbprint (RFC 9449 §4.1 figure 2, §6.1)")
    func tokenRequest() throws {
        let proof = try check(Self.tokenRequest, "POST", "https://server.example.com/token")
        #expect(proof.thumbprint == Self.thumbprint)
        #expect(proof.id == "-BwC3ESc6acc2lTc")
        #expect(proof.issuedAt == 1_562_262_616)
        #expect(proof.nonce == nil)
    }

    @Test("The proof of the refresh request is accepted (RFC 9449 §5 figure 6)")
    func refreshRequest() throws {
        let proof = try check(Self.refreshRequest, "POST", "https://server.example.com/token")
        #expect(proof.thumbprint == Self.thumbprint)
        #expect(proof.issuedAt == 1_562_265_296)
    }

    @Test("The proof of the resource request is accepted with its access token (RFC 9449 §7.1 figure 12)")
    func resourceRequest() throws {
        let url = "https://resource.example.org/protectedresource"
        let proof = try check(Self.resourceRequest, "GET", url, accessToken: Self.accessToken)
        #expect(proof.thumbprint == Self.thumbprint)
        #expect(proof.id == "e1j3V_bKic8-LAEB")
    }

    @Test("The hash of the access token is the printed ath (RFC 9449 §7.1)")
    func accessTokenHash() {
        let hash = DPoPProof.accessTokenHash(Self.accessToken)
        #expect(hash == "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo")
    }

    @Test("The proof of the token request is rejected at the resource")
    func notInterchangeable() {
        #expect(throws: DPoPError.wrongMethod) {
            try check(Self.tokenRequest, "GET", "https://resource.example.org/protectedresource")
        }
        #expect(throws: DPoPError.wrongTarget) {
            try check(Self.tokenRequest, "POST", "https://resource.example.org/protectedresource")
        }
    }
}
