import Hummingbird
import SessionDomain
import SessionTokens
import SessionWebAuthn
import SessionWire

/// Registers and manages the passkeys of the caller, and signs in with them.
struct PasskeyRoutes: Sendable {
    let passkeys: PasskeyRegistration
    let login: PasskeyLogin

    @Sendable func beginRegistration(_ request: Request, context: SignedInContext) async throws -> Response {
        let body = try await request.decode(BeginPasskeyRegistrationRequest.self)
        let creation = try await passkeys.begin(
            username: body.username, displayName: body.displayName, nickname: body.nickname, by: context.caller,
            app: context.app)
        return try .json(
            BeginPasskeyRegistrationResponse(
                publicKey: PasskeyCreationOptions(creation), registrationToken: creation.token))
    }

    @Sendable func finishRegistration(_ request: Request, context: SignedInContext) async throws -> Response {
        let body = try await request.decode(FinishPasskeyRegistrationRequest.self)
        let (passkey, isKnown) = try await passkeys.finish(
            token: body.registrationToken, try RegistrationResponse(body.attestation, "attestation"),
            by: context.caller, app: context.app)
        return try .json(
            FinishPasskeyRegistrationResponse(
                credential: PasskeyView(passkey), alreadyRegistered: isKnown ? true : nil))
    }

    @Sendable func list(_ request: Request, context: SignedInContext) async throws -> Response {
        let found = try await passkeys.list(of: context.caller)
        return try .json(PasskeyListResponse(credentials: found.map(PasskeyView.init)))
    }

    @Sendable func rename(_ request: Request, context: SignedInContext) async throws -> Response {
        let body = try await request.decode(RenamePasskeyRequest.self)
        try await passkeys.rename(
            try context.passkeyID, to: body.nickname, by: context.caller, app: context.app)
        return .noContent
    }

    @Sendable func delete(_ request: Request, context: SignedInContext) async throws -> Response {
        try await passkeys.delete(try context.passkeyID, by: context.caller, app: context.app)
        return .noContent
    }

    @Sendable func beginLogin(_ request: Request, context: AppContext) async throws -> Response {
        let body = try await request.decodeIfPresent(BeginPasskeyLoginRequest.self)
        try TextLimit.check(body?.dispatchID, "dispatch_id")
        let (options, token) = try login.begin(app: context.app)
        return try .json(BeginPasskeyLoginResponse(publicKey: PasskeyRequestOptions(options), loginToken: token))
    }

    @Sendable func finishLogin(_ request: Request, context: AppContext) async throws -> Response {
        let body = try await request.decode(FinishPasskeyLoginRequest.self)
        let challenge = try await login.finish(
            app: context.app, token: body.loginToken, try AssertionResponse(body.assertion, "assertion"),
            deviceToken: context.app.deviceToken(in: request), source: context.client.source)
        return try .json(ChallengeResponse(challengeToken: challenge))
    }
}

extension SignedInContext {
    fileprivate var passkeyID: String {
        get throws {
            guard let id = parameters.get("credential_id") else {
                throw Refusal.notFound("the user has no such passkey")
            }
            return id
        }
    }
}

/// The documents that let apps and pages use the passkeys of the RP id. The host of the RP id serves them, or passes requests for
/// them to the service.
struct AssociationRoutes: Sendable {
    private static let paths = Set(
        [FrontendPath.appleAppSiteAssociation, .assetLinks, .relatedOrigins].map(\.rawValue))
    /// Seconds for which clients may cache a document.
    private static let maxAge = 3600

    /// Whether a request reads a document. A browser does so for any page, without a cookie.
    static func isRead(by request: Request) -> Bool { request.method == .get && paths.contains(request.uri.path) }

    private struct AppleAssociation: Encodable {
        struct Apps: Encodable { let apps: [String] }
        let webcredentials: Apps
    }

    private struct AssetLink: Encodable {
        struct Target: Encodable {
            let namespace = "android_app"
            let package: String
            let fingerprints: [String]

            private enum CodingKeys: String, CodingKey {
                case namespace
                case package = "package_name"
                case fingerprints = "sha256_cert_fingerprints"
            }
        }

        let relation = [
            "delegate_permission/common.get_login_creds", "delegate_permission/common.handle_all_urls",
        ]
        let target: Target
    }

    private struct RelatedOrigins: Encodable { let origins: [String] }

    @Sendable func appleApps(_ request: Request, context: AppContext) async throws -> Response {
        try response(AppleAssociation(webcredentials: .init(apps: config(context).iosAppIDs)))
    }

    @Sendable func androidApps(_ request: Request, context: AppContext) async throws -> Response {
        let apps = Dictionary(grouping: try config(context).androidApps.compactMap(AndroidApp.init), by: \.package)
        return try response(
            apps.sorted { $0.key < $1.key }.map { package, apps in
                AssetLink(target: .init(package: package, fingerprints: apps.map(\.fingerprint)))
            })
    }

    @Sendable func origins(_ request: Request, context: AppContext) async throws -> Response {
        try response(RelatedOrigins(origins: config(context).webOrigins))
    }

    private func config(_ context: AppContext) throws(Refusal) -> PasskeyConfig {
        guard let config = context.app.settings.passkeys else { throw .notFound("passkeys are not configured") }
        return config
    }

    private func response(_ body: some Encodable) throws -> Response {
        var response = try Response.json(body)
        response.headers[.cacheControl] = "public, max-age=\(Self.maxAge)"
        response.headers[.vary] = "Origin"
        return response
    }
}

extension RegistrationResponse {
    /// - Parameter field: The member that has the response.
    fileprivate init(_ body: PasskeyAttestation, _ field: String) throws(Refusal) {
        try PasskeyField.check(type: body.type, body.id, rawID: body.rawID, field)
        self.init(
            credentialID: try PasskeyField.bytes(body.id, "\(field).id"),
            clientDataJSON: try PasskeyField.bytes(body.response.clientDataJSON, "\(field).response.clientDataJSON"),
            attestationObject: try PasskeyField.bytes(
                body.response.attestationObject, "\(field).response.attestationObject"),
            transports: body.response.transports ?? [])
    }
}

extension AssertionResponse {
    /// - Parameter field: The member that has the response.
    init(_ body: PasskeyAssertion, _ field: String) throws(Refusal) {
        try PasskeyField.check(type: body.type, body.id, rawID: body.rawID, field)
        let response = body.response
        self.init(
            credentialID: try PasskeyField.bytes(body.id, "\(field).id"),
            clientDataJSON: try PasskeyField.bytes(response.clientDataJSON, "\(field).response.clientDataJSON"),
            authenticatorData: try PasskeyField.bytes(
                response.authenticatorData, "\(field).response.authenticatorData"),
            signature: try PasskeyField.bytes(response.signature, "\(field).response.signature"),
            userHandle: try response.userHandle.map { handle throws(Refusal) in
                try PasskeyField.bytes(handle, "\(field).response.userHandle")
            })
    }
}

private enum PasskeyField {
    static func check(type: String, _ id: String, rawID: String, _ field: String) throws(Refusal) {
        guard type == PasskeyDescriptor.publicKey else {
            throw .invalidField("\(field).type", "must be \(PasskeyDescriptor.publicKey)")
        }
        guard id == rawID else { throw .invalidField("\(field).rawId", "must be the id") }
    }

    static func bytes(_ text: String, _ field: String) throws(Refusal) -> [UInt8] {
        guard let bytes = Base64URL.decode(text), !bytes.isEmpty else {
            throw .invalidField(field, "must be base64url without padding, and not empty")
        }
        return Array(bytes)
    }
}

extension PasskeyCreationOptions {
    fileprivate init(_ creation: PasskeyCreation) {
        self.init(
            rp: .init(id: creation.relyingPartyID, name: creation.relyingPartyName),
            user: .init(
                id: Base64URL.encode(creation.userHandle), name: creation.username,
                displayName: creation.displayName),
            challenge: Base64URL.encode(creation.challenge),
            pubKeyCredParams: COSEAlgorithm.forCredentials.map { .init(alg: $0.rawValue) },
            timeout: PasskeyRequestOptions.milliseconds,
            excludeCredentials: creation.excluded.map(PasskeyDescriptor.init),
            // Discoverable, because a login names no account.
            authenticatorSelection: .init(
                residentKey: "required", requireResidentKey: true,
                userVerification: creation.userVerification.rawValue),
            attestation: creation.attestation.rawValue)
    }
}

extension PasskeyRequestOptions {
    /// As long as a ceremony lasts.
    fileprivate static let milliseconds = 300_000

    init(_ request: PasskeyRequest) {
        self.init(
            challenge: Base64URL.encode(request.challenge), timeout: Self.milliseconds, rpID: request.relyingPartyID,
            allowCredentials: request.allowed.isEmpty ? nil : request.allowed.map(PasskeyDescriptor.init),
            userVerification: request.userVerification.rawValue)
    }
}

extension PasskeyDescriptor {
    fileprivate init(_ passkey: Passkey) {
        self.init(id: passkey.id, transports: passkey.transports.isEmpty ? nil : passkey.transports)
    }
}

extension PasskeyView {
    /// A passkey as both APIs show it.
    init(_ passkey: Passkey) {
        self.init(
            credentialID: passkey.id, nickname: passkey.nickname, transports: passkey.transports,
            backupState: passkey.isBackedUp, createdAt: passkey.createdAt.seconds,
            lastUsedAt: passkey.lastUsedAt?.seconds)
    }
}
