import Foundation
import SessionTokens
import Testing

/// Claims, method, target and access token hash (RFC 9449 §4.3 steps 3, 8, 9 and 12).
@Suite("DPoP proof: claims")
struct DPoPProofCheckerClaimsTests {
    private let valid = RefreshProofDraft()

    @Test(
        "A proof without a required claim of §4.2 is rejected (RFC 9449 §4.3 step 3, D4)",
        arguments: ["jti", "htm", "htu", "iat"])
    func requiredClaim(_ name: String) {
        let absent = valid.with { $0.claims[name] = nil }
        #expect(throws: DPoPError.malformed) { try absent.check() }
        let null = valid.with { $0.claims[name] = .null }
        #expect(throws: DPoPError.malformed) { try null.check() }
    }

    @Test(
        "A claim with the wrong type is rejected (RFC 9449 §4.3 step 3, D4)",
        arguments: ["jti", "htm", "htu", "nonce", "ath", "attempt"])
    func wrongTypeOfClaim(_ name: String) {
        let number = valid.with { $0.claims[name] = .int(1) }
        #expect(throws: DPoPError.malformed) { try number.check() }
    }

    @Test(
        "A proof whose iat is not a valid time is rejected (RFC 9449 §4.3 step 3, D4)",
        arguments: [JSONValue.string("1562262618"), .bool(true), .array([]), .double(1e300), .double(-1e300)]
    )
    func iatIsATime(_ value: JSONValue) {
        let draft = valid.with { $0.claims["iat"] = value }
        #expect(throws: DPoPError.malformed) { try draft.check() }
    }

    @Test("The claim iat may have a fraction (RFC 7519 §2)")
    func fractionalTime() throws {
        let draft = valid.with { $0.claims["iat"] = .double(1_562_262_618.25) }
        #expect(try draft.check().issuedAt == 1_562_262_618.25)
    }

    @Test("An empty jti and a jti longer than 256 bytes are rejected (RFC 9449 §11.1, D15)")
    func lengthOfID() throws {
        let longest = String(repeating: "é", count: DPoPProofChecker.maximumIDLength / 2)
        #expect(try valid.with { $0.claims["jti"] = .string(longest) }.check().id == longest)
        for invalid in ["", longest + "x"] {
            let draft = valid.with { $0.claims["jti"] = .string(invalid) }
            #expect(throws: DPoPError.malformed) { try draft.check() }
        }
    }

    @Test("The checked proof has the nonce unchanged, up to 256 bytes")
    func nonce() throws {
        let longest = String(repeating: "n", count: DPoPProofChecker.maximumIDLength)
        #expect(try valid.with { $0.claims["nonce"] = .string(longest) }.check().nonce == longest)
        let tooLong = valid.with { $0.claims["nonce"] = .string(longest + "n") }
        #expect(throws: DPoPError.malformed) { try tooLong.check() }
    }

    @Test("The claim attempt is base64url of 16 bytes, or missing")
    func attempt() throws {
        #expect(try valid.check().attempt == nil)
        let id = Base64URL.encode(Array(repeating: 7, count: 16) as [UInt8])
        #expect(try valid.with { $0.claims["attempt"] = .string(id) }.check().attempt == id)
        let others = [
            "", "A", String(id.dropLast()), id + "A", id + "==", String(id.dropLast()) + "!",
            String(repeating: "A", count: 10_000), Base64URL.encode(Array(repeating: 7, count: 17) as [UInt8]),
        ]
        for invalid in others {
            let draft = valid.with { $0.claims["attempt"] = .string(invalid) }
            #expect(throws: DPoPError.malformed) { try draft.check() }
        }
    }

    @Test("Claims in UTF-16 are rejected (RFC 8725 §3.7, J6)")
    func utf16() throws {
        let json = try String(decoding: TokenJSON.encode(valid.claims), as: UTF8.self)
        for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32] {
            let payload = try #require(json.data(using: encoding))
            let proof = try RefreshProofDraft.compact(header: TokenJSON.encode(valid.header), payload: payload)
            #expect(throws: DPoPError.malformed) { try RefreshProofDraft.check(proof) }
        }
    }

    @Test("A claim that appears twice is rejected in any order (RFC 7519 §4)")
    func claimTwice() throws {
        let json = try String(decoding: TokenJSON.encode(valid.claims), as: UTF8.self)
        for payload in [
            json.replacingOccurrences(of: "{", with: #"{"htm":"GET","#),
            json.replacingOccurrences(of: "}", with: #","htm":"GET"}"#),
            json.replacingOccurrences(of: "}", with: #","\u0068tm":"GET"}"#),
        ] {
            let proof = try RefreshProofDraft.compact(
                header: TokenJSON.encode(valid.header), payload: Data(payload.utf8))
            #expect(throws: DPoPError.malformed) { try RefreshProofDraft.check(proof) }
        }
    }

    @Test(
        "A proof whose htm differs from the method is rejected (RFC 9449 §4.3 step 8, D9)",
        arguments: ["GET", "post", "Post", "POST ", ""])
    func wrongMethod(_ method: String) {
        let draft = valid.with { $0.claims["htm"] = .string(method) }
        #expect(throws: DPoPError.wrongMethod) { try draft.check() }
    }

    @Test(
        "A proof whose htu differs from the request's URI is rejected (RFC 9449 §4.3 step 9, D10)",
        arguments: [
            "http://app.example/v1/session/refresh", "https://app.example:8443/v1/session/refresh",
            "https://other.example/v1/session/refresh", "https://app.example.evil.example/v1/session/refresh",
            "https://app.example/v1/session/revoke", "https://app.example/v1/session/refresh/",
            "https://app.example/V1/session/refresh", "https://app.example@evil.example/v1/session/refresh",
            "https://user@app.example/v1/session/refresh", "/v1/session/refresh", "app.example/v1/session/refresh", "",
        ]
    )
    func wrongTarget(_ uri: String) {
        let draft = valid.with { $0.claims["htu"] = .string(uri) }
        #expect(throws: DPoPError.wrongTarget) { try draft.check() }
    }

    @Test(
        "Equivalent forms of htu are accepted (RFC 9449 §4.3 step 9, D10, D11)",
        arguments: [
            "https://app.example/v1/session/refresh?a=1", "https://app.example/v1/session/refresh#x",
            "HTTPS://App.Example/v1/session/refresh", "https://app.example:443/v1/session/refresh",
            "https://app.example/v1/./session/x/../refresh", "https://app.example/v1/s%65ssion/refresh",
        ]
    )
    func equivalentTarget(_ uri: String) throws {
        let draft = valid.with { $0.claims["htu"] = .string(uri) }
        #expect(try draft.check().id == "e1j3V_bKic8-LAEB")
    }

    @Test("A server accepts proofs for each configured origin, and none without an origin (RFC 9449 §4.3 step 9, D10)")
    func severalOrigins() throws {
        let proof = try valid.compact()
        let targets = ["https://custom.example/v1/session/refresh", RefreshProofDraft.url].compactMap(TargetURI.init)
        let several = DPoPProofChecker(method: "POST", targets: targets)
        #expect(try several.check(headers: [proof]).id == "e1j3V_bKic8-LAEB")
        let none = DPoPProofChecker(method: "POST", targets: [])
        #expect(throws: DPoPError.wrongTarget) { try none.check(headers: [proof]) }
    }

    @Test("A proof whose ath is not the hash of the access token is rejected (RFC 9449 §4.3 step 12, D16)")
    func accessTokenHash() throws {
        let bound = valid.with { $0.claims["ath"] = .string(DPoPProof.accessTokenHash("token")) }
        #expect(try bound.check(accessToken: "token").id == "e1j3V_bKic8-LAEB")
        #expect(throws: DPoPError.wrongAccessToken) { try bound.check(accessToken: "other") }
        #expect(throws: DPoPError.wrongAccessToken) { try valid.check(accessToken: "token") }
        let raw = valid.with { $0.claims["ath"] = "token" }
        #expect(throws: DPoPError.wrongAccessToken) { try raw.check(accessToken: "token") }
    }

    @Test("The replay key depends on the proof's key and jti")
    func replayKey() throws {
        let again = valid.with { $0.claims["iat"] = .int(1_562_262_700) }
        let otherID = valid.with { $0.claims["jti"] = "another" }
        let otherKey = RefreshProofDraft(signer: RFCKey.rfc7517A2)
        let name = try valid.check().replayKey
        #expect(try again.check().replayKey == name)
        #expect(try otherID.check().replayKey != name)
        #expect(try otherKey.check().replayKey != name)
    }
}
