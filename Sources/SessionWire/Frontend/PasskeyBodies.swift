/// `POST /me/passkeys/register/begin`: asks for the options of a new passkey.
public struct BeginPasskeyRegistrationRequest: Codable, Sendable, Equatable {
    /// The name of the account, which the password manager shows.
    public var username: String
    public var displayName: String?
    /// The name of the passkey in the user's list.
    public var nickname: String?

    public init(username: String, displayName: String? = nil, nickname: String? = nil) {
        self.username = username
        self.displayName = displayName
        self.nickname = nickname
    }

    private enum CodingKeys: String, CodingKey {
        case username, nickname
        case displayName = "display_name"
    }
}

/// The response to `BeginPasskeyRegistrationRequest`.
public struct BeginPasskeyRegistrationResponse: Codable, Sendable, Equatable {
    public var publicKey: PasskeyCreationOptions
    public var registrationToken: String

    public init(publicKey: PasskeyCreationOptions, registrationToken: String) {
        self.publicKey = publicKey
        self.registrationToken = registrationToken
    }

    private enum CodingKeys: String, CodingKey {
        case publicKey = "public_key"
        case registrationToken = "registration_token"
    }
}

/// `PublicKeyCredentialCreationOptionsJSON` (WebAuthn Level 3 §5.1.8). Binary members are base64url without padding.
public struct PasskeyCreationOptions: Codable, Sendable, Equatable {
    public struct RelyingParty: Codable, Sendable, Equatable {
        public var id: String
        public var name: String

        public init(id: String, name: String) {
            self.id = id
            self.name = name
        }
    }

    public struct User: Codable, Sendable, Equatable {
        public var id: String
        public var name: String
        public var displayName: String

        public init(id: String, name: String, displayName: String) {
            self.id = id
            self.name = name
            self.displayName = displayName
        }
    }

    public struct Algorithm: Codable, Sendable, Equatable {
        public var type: String
        public var alg: Int64

        public init(alg: Int64) {
            type = PasskeyDescriptor.publicKey
            self.alg = alg
        }
    }

    public struct Selection: Codable, Sendable, Equatable {
        public var authenticatorAttachment: String?
        public var residentKey: String?
        public var requireResidentKey: Bool?
        public var userVerification: String?

        public init(
            authenticatorAttachment: String? = nil, residentKey: String? = nil, requireResidentKey: Bool? = nil,
            userVerification: String? = nil
        ) {
            self.authenticatorAttachment = authenticatorAttachment
            self.residentKey = residentKey
            self.requireResidentKey = requireResidentKey
            self.userVerification = userVerification
        }
    }

    public var rp: RelyingParty
    public var user: User
    public var challenge: String
    public var pubKeyCredParams: [Algorithm]
    /// Milliseconds.
    public var timeout: Int?
    public var excludeCredentials: [PasskeyDescriptor]?
    public var authenticatorSelection: Selection?
    public var attestation: String?

    public init(
        rp: RelyingParty, user: User, challenge: String, pubKeyCredParams: [Algorithm], timeout: Int? = nil,
        excludeCredentials: [PasskeyDescriptor]? = nil, authenticatorSelection: Selection? = nil,
        attestation: String? = nil
    ) {
        self.rp = rp
        self.user = user
        self.challenge = challenge
        self.pubKeyCredParams = pubKeyCredParams
        self.timeout = timeout
        self.excludeCredentials = excludeCredentials
        self.authenticatorSelection = authenticatorSelection
        self.attestation = attestation
    }
}

/// `PublicKeyCredentialRequestOptionsJSON` (WebAuthn Level 3 §5.1.9).
public struct PasskeyRequestOptions: Codable, Sendable, Equatable {
    public var challenge: String
    /// Milliseconds.
    public var timeout: Int?
    public var rpID: String
    /// Empty or `nil`: any passkey of the relying party.
    public var allowCredentials: [PasskeyDescriptor]?
    public var userVerification: String?

    public init(
        challenge: String, timeout: Int? = nil, rpID: String, allowCredentials: [PasskeyDescriptor]? = nil,
        userVerification: String? = nil
    ) {
        self.challenge = challenge
        self.timeout = timeout
        self.rpID = rpID
        self.allowCredentials = allowCredentials
        self.userVerification = userVerification
    }

    private enum CodingKeys: String, CodingKey {
        case challenge, timeout, allowCredentials, userVerification
        case rpID = "rpId"
    }
}

/// Names a passkey in options (`PublicKeyCredentialDescriptorJSON`).
public struct PasskeyDescriptor: Codable, Sendable, Equatable {
    public static let publicKey = "public-key"

    public var type: String
    public var id: String
    public var transports: [String]?

    public init(id: String, transports: [String]? = nil) {
        type = Self.publicKey
        self.id = id
        self.transports = transports
    }
}

/// `POST /me/passkeys/register/finish`: registers a new passkey.
public struct FinishPasskeyRegistrationRequest: Codable, Sendable, Equatable {
    public var registrationToken: String
    public var attestation: PasskeyAttestation

    public init(registrationToken: String, attestation: PasskeyAttestation) {
        self.registrationToken = registrationToken
        self.attestation = attestation
    }

    private enum CodingKeys: String, CodingKey {
        case attestation
        case registrationToken = "registration_token"
    }
}

/// `RegistrationResponseJSON` (WebAuthn Level 3 §5.1.8). What a browser sends besides is ignored.
public struct PasskeyAttestation: Codable, Sendable, Equatable {
    public struct Response: Codable, Sendable, Equatable {
        public var clientDataJSON: String
        public var attestationObject: String
        public var transports: [String]?

        public init(clientDataJSON: String, attestationObject: String, transports: [String]? = nil) {
            self.clientDataJSON = clientDataJSON
            self.attestationObject = attestationObject
            self.transports = transports
        }
    }

    public var id: String
    public var rawID: String
    public var type: String
    public var authenticatorAttachment: String?
    public var response: Response

    public init(id: String, authenticatorAttachment: String? = nil, response: Response) {
        self.id = id
        rawID = id
        type = PasskeyDescriptor.publicKey
        self.authenticatorAttachment = authenticatorAttachment
        self.response = response
    }

    private enum CodingKeys: String, CodingKey {
        case id, type, authenticatorAttachment, response
        case rawID = "rawId"
    }
}

/// The response to `FinishPasskeyRegistrationRequest`.
public struct FinishPasskeyRegistrationResponse: Codable, Sendable, Equatable {
    public var credential: PasskeyView
    /// `true` if the user had this passkey before. Absent otherwise.
    public var alreadyRegistered: Bool?

    public init(credential: PasskeyView, alreadyRegistered: Bool? = nil) {
        self.credential = credential
        self.alreadyRegistered = alreadyRegistered
    }

    private enum CodingKeys: String, CodingKey {
        case credential
        case alreadyRegistered = "already_registered"
    }
}

/// A passkey of the user, as both APIs show it.
public struct PasskeyView: Codable, Sendable, Equatable {
    public var credentialID: String
    public var nickname: String?
    public var transports: [String]?
    /// Whether the passkey is backed up.
    public var backupState: Bool?
    /// Seconds since 1970.
    public var createdAt: Int64?
    /// Seconds since 1970. Absent before the first use.
    public var lastUsedAt: Int64?

    public init(
        credentialID: String, nickname: String? = nil, transports: [String]? = nil, backupState: Bool? = nil,
        createdAt: Int64? = nil, lastUsedAt: Int64? = nil
    ) {
        self.credentialID = credentialID
        self.nickname = nickname
        self.transports = transports
        self.backupState = backupState
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
    }

    private enum CodingKeys: String, CodingKey {
        case nickname, transports
        case credentialID = "credential_id"
        case backupState = "backup_state"
        case createdAt = "created_at"
        case lastUsedAt = "last_used_at"
    }
}

/// The response of `GET /me/passkeys`.
public struct PasskeyListResponse: Codable, Sendable, Equatable {
    /// Oldest first. Another server may send `null` for none.
    public var credentials: [PasskeyView]?

    public init(credentials: [PasskeyView]?) { self.credentials = credentials }
}

/// `PATCH /me/passkeys/{credential_id}`: renames a passkey.
public struct RenamePasskeyRequest: Codable, Sendable, Equatable {
    /// The empty text removes the name.
    public var nickname: String

    public init(nickname: String) { self.nickname = nickname }
}

/// `POST /login/passkey/begin`: asks for the options of a login. The body may be `{}`.
public struct BeginPasskeyLoginRequest: Codable, Sendable, Equatable {
    public var dispatchID: String?

    public init(dispatchID: String? = nil) { self.dispatchID = dispatchID }

    private enum CodingKeys: String, CodingKey { case dispatchID = "dispatch_id" }
}

/// The response to `BeginPasskeyLoginRequest`.
public struct BeginPasskeyLoginResponse: Codable, Sendable, Equatable {
    public var publicKey: PasskeyRequestOptions
    public var loginToken: String

    public init(publicKey: PasskeyRequestOptions, loginToken: String) {
        self.publicKey = publicKey
        self.loginToken = loginToken
    }

    private enum CodingKeys: String, CodingKey {
        case publicKey = "public_key"
        case loginToken = "login_token"
    }
}

/// `POST /login/passkey/finish`: signs in. The response is a `ChallengeResponse`.
public struct FinishPasskeyLoginRequest: Codable, Sendable, Equatable {
    public var loginToken: String
    public var assertion: PasskeyAssertion

    public init(loginToken: String, assertion: PasskeyAssertion) {
        self.loginToken = loginToken
        self.assertion = assertion
    }

    private enum CodingKeys: String, CodingKey {
        case assertion
        case loginToken = "login_token"
    }
}

/// `AuthenticationResponseJSON` (WebAuthn Level 3 §5.1.9). What a browser sends besides is ignored.
public struct PasskeyAssertion: Codable, Sendable, Equatable {
    public struct Response: Codable, Sendable, Equatable {
        public var clientDataJSON: String
        public var authenticatorData: String
        public var signature: String
        public var userHandle: String?

        public init(
            clientDataJSON: String, authenticatorData: String, signature: String, userHandle: String? = nil
        ) {
            self.clientDataJSON = clientDataJSON
            self.authenticatorData = authenticatorData
            self.signature = signature
            self.userHandle = userHandle
        }
    }

    public var id: String
    public var rawID: String
    public var type: String
    public var authenticatorAttachment: String?
    public var response: Response

    public init(id: String, authenticatorAttachment: String? = nil, response: Response) {
        self.id = id
        rawID = id
        type = PasskeyDescriptor.publicKey
        self.authenticatorAttachment = authenticatorAttachment
        self.response = response
    }

    private enum CodingKeys: String, CodingKey {
        case id, type, authenticatorAttachment, response
        case rawID = "rawId"
    }
}
