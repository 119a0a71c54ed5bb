import SessionWire
import Testing

@Suite("Wire: passkeys")
struct PasskeyBodiesTests {
    private let creation = Golden(
        PasskeyCreationOptions.self,
        """
        {
          "rp": {"id": "example.com", "name": "Example"},
          "user": {"id": "dXNlcg", "name": "ada@example.com", "displayName": "Ada"},
          "challenge": "Y2hhbGxlbmdl",
          "pubKeyCredParams": [{"type": "public-key", "alg": -7}],
          "timeout": 300000,
          "excludeCredentials": [{"type": "public-key", "id": "b2xk", "transports": ["internal", "hybrid"]}],
          "authenticatorSelection": {
            "authenticatorAttachment": "platform", "residentKey": "required", "requireResidentKey": true,
            "userVerification": "required"
          },
          "attestation": "none"
        }
        """)
    private let request = Golden(
        PasskeyRequestOptions.self,
        """
        {
          "challenge": "Y2hhbGxlbmdl", "timeout": 300000, "rpId": "example.com",
          "allowCredentials": [{"type": "public-key", "id": "b2xk"}], "userVerification": "preferred"
        }
        """)
    private let attestation = Golden(
        PasskeyAttestation.self,
        """
        {
          "id": "bmV3", "rawId": "bmV3", "type": "public-key", "authenticatorAttachment": "platform",
          "response": {"clientDataJSON": "Y2xpZW50", "attestationObject": "b2JqZWN0", "transports": ["internal"]}
        }
        """)
    private let assertion = Golden(
        PasskeyAssertion.self,
        """
        {
          "id": "b2xk", "rawId": "b2xk", "type": "public-key", "authenticatorAttachment": "platform",
          "response": {
            "clientDataJSON": "Y2xpZW50", "authenticatorData": "ZGF0YQ", "signature": "c2lnbmF0dXJl",
            "userHandle": "dXNlcg"
          }
        }
        """)
    private let view = Golden(
        PasskeyView.self,
        """
        {
          "credential_id": "b2xk", "nickname": "Phone", "transports": ["internal"], "backup_state": true,
          "created_at": 1750000000, "last_used_at": 1750000060
        }
        """)

    private let creationOptions = PasskeyCreationOptions(
        rp: PasskeyCreationOptions.RelyingParty(id: "example.com", name: "Example"),
        user: PasskeyCreationOptions.User(id: "dXNlcg", name: "ada@example.com", displayName: "Ada"),
        challenge: "Y2hhbGxlbmdl", pubKeyCredParams: [PasskeyCreationOptions.Algorithm(alg: -7)], timeout: 300_000,
        excludeCredentials: [PasskeyDescriptor(id: "b2xk", transports: ["internal", "hybrid"])],
        authenticatorSelection: PasskeyCreationOptions.Selection(
            authenticatorAttachment: "platform", residentKey: "required", requireResidentKey: true,
            userVerification: "required"),
        attestation: "none")
    private let requestOptions = PasskeyRequestOptions(
        challenge: "Y2hhbGxlbmdl", timeout: 300_000, rpID: "example.com",
        allowCredentials: [PasskeyDescriptor(id: "b2xk")], userVerification: "preferred")
    private let madeAttestation = PasskeyAttestation(
        id: "bmV3", authenticatorAttachment: "platform",
        response: PasskeyAttestation.Response(
            clientDataJSON: "Y2xpZW50", attestationObject: "b2JqZWN0", transports: ["internal"]))
    private let madeAssertion = PasskeyAssertion(
        id: "b2xk", authenticatorAttachment: "platform",
        response: PasskeyAssertion.Response(
            clientDataJSON: "Y2xpZW50", authenticatorData: "ZGF0YQ", signature: "c2lnbmF0dXJl", userHandle: "dXNlcg"))
    private let passkey = PasskeyView(
        credentialID: "b2xk", nickname: "Phone", transports: ["internal"], backupState: true,
        createdAt: 1_750_000_000, lastUsedAt: 1_750_000_060)

    @Test("The options of a new passkey are those of WebAuthn")
    func creationBody() throws {
        try creation.expect(creationOptions)
        try creation.expectUnknownMembersTolerated()
        try creation.expectRequired("rp", "user", "challenge", "pubKeyCredParams")
        try creation.expectTyped(
            "rp", "user", "challenge", "pubKeyCredParams", "timeout", "excludeCredentials", "authenticatorSelection",
            "attestation")
    }

    @Test("The smallest options of a new passkey have no optional member")
    func smallestCreation() throws {
        let golden = Golden(
            PasskeyCreationOptions.self,
            """
            {"rp":{"id":"a","name":""},"user":{"id":"dQ","name":"n","displayName":""},"challenge":"Yw",
            "pubKeyCredParams":[]}
            """)
        try golden.expect(
            PasskeyCreationOptions(
                rp: PasskeyCreationOptions.RelyingParty(id: "a", name: ""),
                user: PasskeyCreationOptions.User(id: "dQ", name: "n", displayName: ""), challenge: "Yw",
                pubKeyCredParams: []))
        try Golden(PasskeyCreationOptions.Selection.self, "{}").expect(PasskeyCreationOptions.Selection())
    }

    @Test("The options of a sign-in are those of WebAuthn")
    func requestBody() throws {
        try request.expect(requestOptions)
        try request.expectUnknownMembersTolerated()
        try request.expectRequired("challenge", "rpId")
        try request.expectTyped("challenge", "timeout", "rpId", "allowCredentials", "userVerification")
        try Golden(PasskeyRequestOptions.self, #"{"challenge":"Yw","rpId":"a"}"#)
            .expect(PasskeyRequestOptions(challenge: "Yw", rpID: "a"))
    }

    @Test("POST /me/passkeys/register/begin has the names of account, user and passkey")
    func beginRegistration() throws {
        let golden = Golden(
            BeginPasskeyRegistrationRequest.self,
            #"{"username":"ada@example.com","display_name":"Ada","nickname":"Phone"}"#)
        try golden.expect(
            BeginPasskeyRegistrationRequest(username: "ada@example.com", displayName: "Ada", nickname: "Phone"))
        try golden.expectUnknownMembersTolerated()
        try golden.expectRequired("username")
        try golden.expectTyped("username", "display_name", "nickname")
        try Golden(BeginPasskeyRegistrationRequest.self, #"{"username":"a"}"#)
            .expect(BeginPasskeyRegistrationRequest(username: "a"))
    }

    @Test("Its response has the options and the token of the registration")
    func begunRegistration() throws {
        let golden = Golden(
            BeginPasskeyRegistrationResponse.self, #"{"public_key":\#(creation.json),"registration_token":"r-1"}"#)
        try golden.expect(
            BeginPasskeyRegistrationResponse(publicKey: creationOptions, registrationToken: "r-1"))
        try golden.expectUnknownMembersTolerated()
        try golden.expectRequired("public_key", "registration_token")
        try golden.expectTyped("public_key", "registration_token")
    }

    @Test("POST /me/passkeys/register/finish has the token and the attestation")
    func finishRegistration() throws {
        let golden = Golden(
            FinishPasskeyRegistrationRequest.self,
            #"{"registration_token":"r-1","attestation":\#(attestation.json)}"#)
        try golden.expect(
            FinishPasskeyRegistrationRequest(registrationToken: "r-1", attestation: madeAttestation))
        try golden.expectUnknownMembersTolerated()
        try golden.expectRequired("registration_token", "attestation")
        try golden.expectTyped("registration_token", "attestation")
    }

    @Test("An attestation needs neither transports nor an attachment")
    func attestationBody() throws {
        try attestation.expect(madeAttestation)
        try attestation.expectUnknownMembersTolerated()
        try attestation.expectRequired("id", "rawId", "type", "response")
        try attestation.expectTyped("id", "rawId", "type", "authenticatorAttachment", "response")
        let golden = Golden(
            PasskeyAttestation.self,
            """
            {"id":"bmV3","rawId":"bmV3","type":"public-key",
            "response":{"clientDataJSON":"Yw","attestationObject":"bw"}}
            """)
        try golden.expect(
            PasskeyAttestation(
                id: "bmV3", response: PasskeyAttestation.Response(clientDataJSON: "Yw", attestationObject: "bw")))
    }

    @Test("The response of a registration says `already_registered` only if it is so")
    func finishedRegistration() throws {
        let golden = Golden(
            FinishPasskeyRegistrationResponse.self, #"{"credential":\#(view.json),"already_registered":true}"#)
        try golden.expect(FinishPasskeyRegistrationResponse(credential: passkey, alreadyRegistered: true))
        try golden.expectUnknownMembersTolerated()
        try golden.expectRequired("credential")
        try golden.expectTyped("credential", "already_registered")
        try Golden(FinishPasskeyRegistrationResponse.self, #"{"credential":{"credential_id":"b2xk"}}"#)
            .expect(FinishPasskeyRegistrationResponse(credential: PasskeyView(credentialID: "b2xk")))
    }

    @Test("A passkey has an id, and all other members are optional")
    func passkeyBody() throws {
        try view.expect(passkey)
        try view.expectUnknownMembersTolerated()
        try view.expectRequired("credential_id")
        try view.expectTyped(
            "credential_id", "nickname", "transports", "backup_state", "created_at", "last_used_at")
    }

    @Test("GET /me/passkeys has a list, which another server may leave out")
    func list() throws {
        let golden = Golden(PasskeyListResponse.self, #"{"credentials":[\#(view.json)]}"#)
        try golden.expect(PasskeyListResponse(credentials: [passkey]))
        try golden.expectUnknownMembersTolerated()
        try golden.expectTyped("credentials")
        try Golden(PasskeyListResponse.self, #"{"credentials":[]}"#).expect(PasskeyListResponse(credentials: []))
        try Golden(PasskeyListResponse.self, "{}").expect(PasskeyListResponse(credentials: nil))
    }

    @Test("PATCH /me/passkeys/{credential_id} has the name, which may be empty", arguments: ["Phone", ""])
    func rename(nickname: String) throws {
        let golden = Golden(RenamePasskeyRequest.self, #"{"nickname":"\#(nickname)"}"#)
        try golden.expect(RenamePasskeyRequest(nickname: nickname))
        try golden.expectUnknownMembersTolerated()
        try golden.expectRequired("nickname")
        try golden.expectTyped("nickname")
    }

    @Test("POST /login/passkey/begin has at most the id of device signals")
    func beginLogin() throws {
        let golden = Golden(BeginPasskeyLoginRequest.self, #"{"dispatch_id":"dsp_1"}"#)
        try golden.expect(BeginPasskeyLoginRequest(dispatchID: "dsp_1"))
        try golden.expectUnknownMembersTolerated()
        try golden.expectTyped("dispatch_id")
        try Golden(BeginPasskeyLoginRequest.self, "{}").expect(BeginPasskeyLoginRequest())
    }

    @Test("Its response has the options and the token of the login")
    func begunLogin() throws {
        let golden = Golden(
            BeginPasskeyLoginResponse.self, #"{"public_key":\#(request.json),"login_token":"l-1"}"#)
        try golden.expect(BeginPasskeyLoginResponse(publicKey: requestOptions, loginToken: "l-1"))
        try golden.expectUnknownMembersTolerated()
        try golden.expectRequired("public_key", "login_token")
        try golden.expectTyped("public_key", "login_token")
    }

    @Test("POST /login/passkey/finish has the token and the assertion")
    func finishLogin() throws {
        let golden = Golden(
            FinishPasskeyLoginRequest.self, #"{"login_token":"l-1","assertion":\#(assertion.json)}"#)
        try golden.expect(FinishPasskeyLoginRequest(loginToken: "l-1", assertion: madeAssertion))
        try golden.expectUnknownMembersTolerated()
        try golden.expectRequired("login_token", "assertion")
        try golden.expectTyped("login_token", "assertion")
    }

    @Test("An assertion needs neither a user handle nor an attachment")
    func assertionBody() throws {
        try assertion.expect(madeAssertion)
        try assertion.expectUnknownMembersTolerated()
        try assertion.expectRequired("id", "rawId", "type", "response")
        try assertion.expectTyped("id", "rawId", "type", "authenticatorAttachment", "response")
        let golden = Golden(
            PasskeyAssertion.self,
            """
            {"id":"b2xk","rawId":"b2xk","type":"public-key",
            "response":{"clientDataJSON":"Yw","authenticatorData":"YQ","signature":"cw"}}
            """)
        try golden.expect(
            PasskeyAssertion(
                id: "b2xk",
                response: PasskeyAssertion.Response(clientDataJSON: "Yw", authenticatorData: "YQ", signature: "cw")))
    }
}
