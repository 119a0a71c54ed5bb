import SessionTokens
import Testing

@testable import SessionDomain

@Suite("Mapped claims")
struct ClaimsConfigTests {
    private let client = ClientFacts(
        ip: "203.0.113.7", userAgent: "App/1.0", platform: "ios", countryCode: "DE", locales: ["de-AT", "en"])

    private func user(_ identifiers: [CanonicalIdentifier]? = nil) throws -> User {
        var user = try TestApp.user(
            try identifiers ?? [
                TestApp.mail("Ada@example.com"), TestApp.phone(), TestApp.mail("second@example.com"),
            ])
        user.profile = ["plan": "gold", "seats": .int(3), "nothing": .null]
        return user
    }

    private func resolve(
        _ source: ClaimSource, user: User? = nil, client: ClientFacts? = nil, at time: Timestamp = now
    ) throws -> JSONValue? {
        ClaimsConfig(mapping: ["claim": source], at: now)
            .resolve(user: try user ?? self.user(), client: client ?? self.client, at: time)["claim"]
    }

    @Test(
        "A literal resolves to itself",
        arguments: [
            JSONValue.null, .bool(false), .int(-1), .double(0.5), "text", .array(["a", .null]), .object(["a": "b"]),
        ])
    func literal(value: JSONValue) throws {
        #expect(try resolve(.literal(value)) == value)
    }

    @Test("A custom claim resolves to the member of the user's profile, or null")
    func customClaim() throws {
        #expect(try resolve(.customClaim("plan")) == "gold")
        #expect(try resolve(.customClaim("seats")) == .int(3))
        #expect(try resolve(.customClaim("nothing")) == .null)
        #expect(try resolve(.customClaim("missing")) == .null)
    }

    private static let mails: JSONValue = .array(["Ada@example.com", "second@example.com"])

    @Test(
        "Each input resolves to its value, a text or a list",
        arguments: [
            (.userID, "usr_1", "usr_1", .array(["usr_1"])),
            (.ip, "203.0.113.7", "203.0.113.7", .array(["203.0.113.7"])),
            (.countryCode, "DE", "DE", .array(["DE"])),
            (.locales, .array(["de-AT", "en"]), "de-AT", .array(["de-AT", "en"])),
            (.emails, mails, "Ada@example.com", mails),
            (.phoneNumbers, .array(["+14155550100"]), "+14155550100", .array(["+14155550100"])),
        ] as [(ClaimInput, JSONValue, JSONValue, JSONValue)])
    func inputs(input: ClaimInput, plain: JSONValue, text: JSONValue, list: JSONValue) throws {
        #expect(try resolve(.input(input, as: nil)) == plain)
        #expect(try resolve(.input(input, as: .string)) == text)
        #expect(try resolve(.input(input, as: .array)) == list)
    }

    @Test("A missing input resolves to null for every type", arguments: [ClaimInput.ip, .countryCode])
    func missing(input: ClaimInput) throws {
        for type in [nil, .string, .array] as [ClaimType?] {
            #expect(try resolve(.input(input, as: type), client: ClientFacts()) == .null)
        }
    }

    @Test("An empty list resolves to null for every type", arguments: [ClaimInput.locales, .emails, .phoneNumbers])
    func empty(input: ClaimInput) throws {
        let userWithoutIdentifiers = try user([])
        for type in [nil, .string, .array] as [ClaimType?] {
            #expect(try resolve(.input(input, as: type), user: userWithoutIdentifiers, client: ClientFacts()) == .null)
        }
    }

    // Proves: X1
    @Test("A held identifier is in no claim until its hold ends", arguments: [(59, false), (60, true)])
    func held(seconds: Int, isIncluded: Bool) throws {
        var held = try user([try TestApp.mail("Ada@example.com"), try TestApp.phone()])
        held.heldUntil = [try TestApp.mail("ada@example.com"): now + 60, try TestApp.phone(): now + 60]
        held.identifiers.append(try TestApp.mail("second@example.com"))
        let mails: [JSONValue] = (isIncluded ? ["Ada@example.com"] : []) + ["second@example.com"]
        #expect(try resolve(.input(.emails, as: nil), user: held, at: now + seconds) == .array(mails))
        #expect(try resolve(.input(.emails, as: .string), user: held, at: now + seconds) == mails[0])
        let phones = try resolve(.input(.phoneNumbers, as: nil), user: held, at: now + seconds)
        #expect(phones == (isIncluded ? .array(["+14155550100"]) : .null))
    }

    @Test("A mapped claim never replaces a claim of the service")
    func reserved() throws {
        var claims = try TestApp.caller().claims
        claims.mapped = Dictionary(uniqueKeysWithValues: ClaimsConfig.reserved.map { ($0, "mapped") })
        claims.mapped["mine"] = "kept"
        let written = try TokenJSON.decode([String: JSONValue].self, from: try TokenJSON.encode(claims))
        #expect(written.filter { $0.value == "mapped" }.isEmpty)
        #expect(written["mine"] == "kept")
        #expect(written["sub"] == "usr_1")
        // Claims that the service leaves out stay absent.
        #expect(written["scope"] == nil)
        #expect(written["cnf"] == nil)
    }

    @Test("A bound token contains the key's thumbprint, and no mapping replaces it (D24)")
    func confirmation() throws {
        var claims = try TestApp.caller().claims
        claims.cnf = Confirmation(jkt: "thumbprint")
        claims.mapped = ["cnf": .object(["jkt": "mapped"])]
        let written = try TokenJSON.encode(claims)
        let members = try TokenJSON.decode([String: JSONValue].self, from: written)
        #expect(members["cnf"] == .object(["jkt": "thumbprint"]))
        #expect(try TokenJSON.decode(AccessTokenClaims.self, from: written).cnf == Confirmation(jkt: "thumbprint"))
    }

    @Test("A token that is bound by anything except a key's thumbprint is rejected")
    func otherConfirmation() throws {
        let plain = try TokenJSON.encode(try TestApp.caller().claims)
        var members = try TokenJSON.decode([String: JSONValue].self, from: plain)
        members["cnf"] = .object(["x5t#S256": "hash"])
        let written = try TokenJSON.encode(members)
        #expect(throws: (any Error).self) { try TokenJSON.decode(AccessTokenClaims.self, from: written) }
    }

    @Test("Every claim that the service sets is reserved")
    func reservedNames() throws {
        var claims = try TestApp.caller().claims
        claims.scope = "a"
        claims.cnf = Confirmation(jkt: "thumbprint")
        let written = try TokenJSON.decode([String: JSONValue].self, from: try TokenJSON.encode(claims))
        #expect(Set(written.keys).isSubset(of: ClaimsConfig.reserved))
        #expect(ClaimsConfig.reserved.isSuperset(of: ["cnf", "act", "acr", "amr", "auth_time", "nonce", "cc"]))
    }
}
