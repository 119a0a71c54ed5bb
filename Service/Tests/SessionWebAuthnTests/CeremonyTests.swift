import SessionTokens
import Testing

@testable import SessionWebAuthn

/// Each test begins with a valid response and changes one thing.
@Suite("Registration and assertion")
struct CeremonyTests {
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let error: WebAuthnError
        let change: @Sendable (inout TestPasskey) -> Void

        init(_ name: String, _ error: WebAuthnError, _ change: @escaping @Sendable (inout TestPasskey) -> Void) {
            (testDescription, self.error, self.change) = (name, error, change)
        }
    }

    private static let passkey = TestPasskey()

    /// What both ceremonies reject.
    static let changes: [Change] = [
        Change("another challenge", .wrongChallenge) {
            $0.clientData["challenge"] = .string(Base64URL.encode([UInt8](repeating: 8, count: 32)))
        },
        Change("the challenge with padding", .wrongChallenge) {
            $0.clientData["challenge"] = .string(Base64URL.encode(TestPasskey.challenge) + "=")
        },
        Change("no challenge", .malformedClientData) { $0.clientData["challenge"] = .null },
        Change("a number as type", .malformedClientData) { $0.clientData["type"] = .int(1) },
        Change("another type", .wrongType) { $0.clientData["type"] = "payment.get" },
        Change("another origin", .wrongOrigin("https://example.com.evil.example")) {
            $0.clientData["origin"] = "https://example.com.evil.example"
        },
        Change("an origin in capitals", .wrongOrigin("https://EXAMPLE.com")) {
            $0.clientData["origin"] = "https://EXAMPLE.com"
        },
        Change("an origin with a path", .wrongOrigin("https://example.com/")) {
            $0.clientData["origin"] = "https://example.com/"
        },
        Change("no origin", .malformedClientData) { $0.clientData["origin"] = .null },
        Change("a frame of another origin", .crossOrigin) { $0.clientData["crossOrigin"] = .bool(true) },
        Change("a top origin", .crossOrigin) { $0.clientData["topOrigin"] = "https://shop.example" },
        Change("crossOrigin as text", .malformedClientData) { $0.clientData["crossOrigin"] = "true" },
        Change("long client data", .tooLong(.clientData)) {
            $0.clientData["x"] = .string(String(repeating: "x", count: 17_000))
        },
        Change("another RP id", .wrongRelyingParty) { $0.relyingPartyID = "www.example.com" },
        Change("no user", .userNotPresent) { $0.flags = 0x04 },
        Change("no verification", .userNotVerified) { $0.flags = 0x01 },
        Change("backed up without eligibility", .backedUpWithoutEligibility) { $0.flags = 0x15 },
        Change("extensions without their flag", .malformedAuthenticatorData) { $0.extensions = [0xA0] },
        Change("the flag without extensions", .malformedCBOR(.truncated)) { $0.flags |= 0x80 },
        Change("extensions that are no map", .malformedAuthenticatorData) {
            ($0.flags, $0.extensions) = ($0.flags | 0x80, [0x01])
        },
        Change("extensions that are not canonical", .malformedCBOR(.notShortest)) {
            ($0.flags, $0.extensions) = ($0.flags | 0x80, [0xB8, 0x00])
        },
        Change("bytes after the extensions", .malformedAuthenticatorData) {
            ($0.flags, $0.extensions) = ($0.flags | 0x80, [0xA0, 0x00])
        },
        Change("long authenticator data", .tooLong(.authenticatorData)) {
            ($0.flags, $0.extensions) = (
                $0.flags | 0x80, CBOR.members(["x": .bytes([UInt8](repeating: 0, count: 9000))]).encoded
            )
        },
    ]

    @Test("A valid passkey is registered, and signs in")
    func valid() async throws {
        let passkey = Self.passkey.with { ($0.flags, $0.counter) = (0x1D, 5) }
        let credential = try await passkey.register()
        #expect(credential.publicKey == passkey.key.publicKey.encoded && credential.algorithm == .es256)
        #expect(credential.counter == 5 && credential.isBackupEligible && credential.isBackedUp)
        #expect(credential.isUserVerified && credential.aaguid == passkey.aaguid)
        #expect(credential.attestation == Attestation(format: "none", kind: .none))
        #expect(
            try passkey.assert()
                == VerifiedAssertion(counter: 5, isUserVerified: true, isBackedUp: true))
    }

    // Proves: W1
    @Test("A registration with one change is rejected", arguments: changes)
    func registration(_ change: Change) async {
        await #expect(throws: change.error) { try await Self.passkey.with(change.change).register() }
    }

    // Proves: W1
    @Test("An assertion with one change is rejected", arguments: changes)
    func assertion(_ change: Change) {
        #expect(throws: change.error) { try Self.passkey.with(change.change).assert() }
    }

    @Test("Unknown members, extensions and reserved flags are accepted")
    func tolerated() async throws {
        let passkey = Self.passkey.with {
            $0.clientData["tokenBinding"] = .object(["status": "supported"])
            $0.clientData["other_keys_can_be_added_here"] = "see https://goo.gl/yabPex"
            ($0.flags, $0.extensions) = (
                0xA7, CBOR.members(["hmac-secret": .bool(true), "credProtect": .integer(2)]).encoded
            )
        }
        try await passkey.register()
        try passkey.assert()
    }

    // Proves: W2
    @Test("The client data of one ceremony is rejected in the other one")
    func crossed() async throws {
        var registration = try Self.passkey.registration()
        registration.clientDataJSON = Self.passkey.clientDataJSON("webauthn.get")
        await #expect(throws: WebAuthnError.wrongType) {
            try await TestPasskey.registrationCeremony.verify(registration, at: TestPasskey.time)
        }
        var assertion = try Self.passkey.assertion()
        assertion.clientDataJSON = Self.passkey.clientDataJSON("webauthn.create")
        #expect(throws: WebAuthnError.wrongType) {
            try TestPasskey.authenticationCeremony.verify(assertion, for: Self.passkey.stored)
        }
    }

    @Test(
        "Client data must be a strict JSON object",
        arguments: ["", "[]", "{", #"{"type":1,"type":1}"#, "\u{FEFF}{}", "{}{}"])
    func clientData(_ text: String) throws {
        #expect(throws: WebAuthnError.malformedClientData) { try ClientData(Array(text.utf8)) }
    }

    @Test("A frame is accepted where the relying party names the top origin")
    func frames() async throws {
        var ceremony = TestPasskey.registrationCeremony
        ceremony.relyingParty.topOrigins = ["https://shop.example"]
        var passkey = Self.passkey.with { $0.clientData["crossOrigin"] = .bool(true) }
        try await passkey.register(ceremony)
        passkey.clientData["topOrigin"] = "https://shop.example"
        try await passkey.register(ceremony)
        passkey.clientData["topOrigin"] = "https://other.example"
        await #expect(throws: WebAuthnError.wrongTopOrigin("https://other.example")) {
            try await passkey.register(ceremony)
        }
    }

    @Test("Apps for Android and several RP ids are accepted by name")
    func severalNames() async throws {
        let app = "android:apk-key-hash:sjYxqUM11Op8oHJuOdbrsCqtvYvbKHhQoKBlt28dLec"
        var ceremony = TestPasskey.registrationCeremony
        ceremony.relyingParty = RelyingParty(
            ids: ["example.net", "example.com"], origins: ["https://example.net", app])
        let passkey = Self.passkey.with { $0.clientData["origin"] = .string(app) }
        #expect(try await passkey.register(ceremony).relyingPartyID == "example.com")
        await #expect(throws: WebAuthnError.wrongOrigin(app.lowercased())) {
            try await passkey.with { $0.clientData["origin"] = .string(app.lowercased()) }.register(ceremony)
        }
    }

    @Test("Verification and presence are checked only if they are required")
    func notRequired() async throws {
        var ceremony = TestPasskey.registrationCeremony
        ceremony.requiresUserVerification = false
        let passkey = Self.passkey.with { $0.flags = 0x00 }
        await #expect(throws: WebAuthnError.userNotPresent) { try await passkey.register(ceremony) }
        ceremony.requiresUserPresence = false
        let credential = try await passkey.register(ceremony)
        #expect(!credential.isUserPresent && !credential.isUserVerified)
    }

    // MARK: - Registration

    @Test("A registration whose credential is missing, longer or another one is rejected")
    func credentialData() async throws {
        await #expect(throws: WebAuthnError.tooLong(.credentialID)) {
            try await Self.passkey.with { $0.id = [UInt8](repeating: 1, count: 1024) }.register()
        }
        try await Self.passkey.with { $0.id = [UInt8](repeating: 1, count: 1023) }.register()
        await #expect(throws: WebAuthnError.wrongCredentialID) { try await Self.passkey.with { $0.id = [] }.register() }
        var response = try Self.passkey.registration()
        response.credentialID[0] ^= 1
        await #expect(throws: WebAuthnError.wrongCredentialID) { try await verify(response) }
        let parts: [([UInt8], WebAuthnError)] = [
            (Self.passkey.authenticatorData(withCredential: false), .malformedAuthenticatorData),
            (Array(Self.passkey.authenticatorData(withCredential: true).prefix(54)), .malformedAuthenticatorData),
            (Array(Self.passkey.authenticatorData(withCredential: true).prefix(60)), .malformedAuthenticatorData),
            (Array(Self.passkey.authenticatorData(withCredential: true).prefix(100)), .malformedCBOR(.truncated)),
            (Array(Self.passkey.authenticatorData(withCredential: true).prefix(36)), .malformedAuthenticatorData),
        ]
        for (data, error) in parts {
            response.attestationObject = object(authData: .bytes(data)).encoded
            await #expect(throws: error) { try await verify(response) }
        }
    }

    @Test("An attestation object without one of its members is rejected, and the order of its keys is free")
    func attestationObject() async throws {
        var response = try Self.passkey.registration()
        let data = CBOR.bytes(Self.passkey.authenticatorData(withCredential: true))
        let empty = CBOR.members([:] as KeyValuePairs<String, CBOR>)
        let objects: [CBOR] = [
            .members(["attStmt": empty, "authData": data]), .members(["fmt": .text("none"), "authData": data]),
            .members(["fmt": .text("none"), "attStmt": empty]), .array([]), .null,
            .members(["fmt": .integer(1), "attStmt": empty, "authData": data]),
            .members(["fmt": .text("none"), "attStmt": .array([]), "authData": data]),
            .members(["fmt": .text("none"), "attStmt": empty, "authData": .text("")]),
        ]
        for object in objects {
            response.attestationObject = object.encoded
            await #expect(throws: WebAuthnError.malformedAttestationObject) { try await verify(response) }
        }
        response.attestationObject =
            [0xA3] + CBOR.text("authData").encoded + data.encoded + CBOR.text("fmt").encoded + CBOR.text("none").encoded
            + CBOR.text("attStmt").encoded + [0xA0]
        #expect(try await verify(response).id == Self.passkey.id)
        response.attestationObject = [UInt8](repeating: 0, count: 65_537)
        await #expect(throws: WebAuthnError.tooLong(.attestationObject)) { try await verify(response) }
    }

    @Test("An algorithm that the caller does not allow is rejected")
    func algorithms() async {
        var ceremony = TestPasskey.registrationCeremony
        ceremony.algorithms = [.rs256, .edDSA]
        await #expect(throws: WebAuthnError.algorithmNotAllowed(-7)) { try await Self.passkey.register(ceremony) }
    }

    @Test("Transports keep the form of registered names, without duplicates")
    func transports() async throws {
        var response = try Self.passkey.registration()
        response.transports = [
            "usb", "hybrid", "usb", "smart-card", "NFC", "", "a b", String(repeating: "x", count: 33),
        ]
        #expect(try await verify(response).transports == ["hybrid", "smart-card", "usb"])
    }

    // MARK: - Assertion

    // Proves: W4
    @Test("An assertion of another credential, user or key is rejected")
    func otherCredential() throws {
        let ceremony = TestPasskey.authenticationCeremony
        var response = try Self.passkey.assertion()
        var stored = Self.passkey.stored
        stored.publicKey = TestP256(2).publicKey.encoded
        #expect(throws: WebAuthnError.wrongSignature) { try ceremony.verify(response, for: stored) }
        stored = Self.passkey.stored
        stored.id[0] ^= 1
        #expect(throws: WebAuthnError.wrongCredentialID) { try ceremony.verify(response, for: stored) }
        response.userHandle = [1, 2, 3]
        _ = try ceremony.verify(response, for: Self.passkey.stored)
        response.userHandle = [1, 2, 4]
        #expect(throws: WebAuthnError.wrongUserHandle) { try ceremony.verify(response, for: Self.passkey.stored) }
    }

    @Test("An assertion whose eligibility for a backup changed is rejected")
    func backupEligibility() throws {
        for (before, after) in [(false, UInt8(0x0D)), (true, 0x05)] {
            let passkey = Self.passkey.with { $0.flags = after }
            var stored = passkey.stored
            stored.isBackupEligible = before
            #expect(throws: WebAuthnError.backupEligibilityChanged) {
                try TestPasskey.authenticationCeremony.verify(passkey.assertion(), for: stored)
            }
        }
    }

    private func verify(_ response: RegistrationResponse) async throws -> RegisteredCredential {
        try await TestPasskey.registrationCeremony.verify(response, at: TestPasskey.time)
    }

    private func object(authData: CBOR) -> CBOR {
        .members(["fmt": .text("none"), "attStmt": .members([:] as KeyValuePairs<String, CBOR>), "authData": authData])
    }
}
