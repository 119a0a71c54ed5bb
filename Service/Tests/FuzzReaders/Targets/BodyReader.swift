package import Foundation
import SessionDomain
import SessionTokens
import SessionWire

@testable import SessionHTTP

/// A kind of body that the service reads. A test compares `all` with the bodies that the routes read.
package struct BodyReader: Sendable {
    /// The full name of the type.
    package let name: String
    /// Valid bodies. Texts that must not occur in error texts contain a `!`.
    package let seeds: [String]
    /// Reads a body and encodes it again. Returns `nil` if the type is not encodable.
    let read: @Sendable (Data) throws -> Data?

    private init<Body: Decodable & Sendable>(_ type: Body.Type, _ seeds: String...) {
        name = String(reflecting: type)
        self.seeds = seeds
        read = { data in
            let body: Any = try JSONBody.read(type, from: data)
            return try (body as? any Encodable).map { try TokenJSON.encode($0) }
        }
    }

    /// - Throws: `Refusal` for a body that is not of this kind.
    package func check(_ body: Data) throws { _ = try read(body) }

    package static let all: [BodyReader] = frontend + management

    private static let challenge = String(repeating: "A", count: 43)

    private static let assertion =
        #"{"id":"AA!","rawId":"AA!","type":"public-key!","response":{"clientDataJSON":"AA!","#
        + #""authenticatorData":"AA!","signature":"AA!","userHandle":"AA!"}}"#

    private static let frontend = [
        BodyReader(
            StartOTPRequest.self,
            #"{"identifier":{"type":"email_address","value":"ada!@example.com"},"code_challenge":"\#(challenge)"}"#,
            #"{"challenge_token":"a!.b.c","dispatch_id":"d!","login_config_id":"lcfg!"}"#),
        BodyReader(CheckOTPRequest.self, #"{"code":"123!456","challenge_token":"a!.b.c"}"#),
        BodyReader(
            PasswordLoginRequest.self,
            #"{"identifier":"ada!@example.com","password":"correct horse!","dispatch_id":null}"#),
        BodyReader(ResetPasswordRequest.self, #"{"password":"correct horse battery staple!"}"#),
        BodyReader(MigrationRequest.self, #"{"token":"old!","code_challenge":"\#(challenge)!"}"#),
        BodyReader(OptionalFinalizeRequest.self, "{}", #"{"challenge_token":"a!.b.c","code_verifier":"v!"}"#),
        BodyReader(RefreshRequest.self, "{}", #"{"step_up_token":"a!.b.c"}"#),
        BodyReader(
            StepUpRequest.self,
            #"{"scope":"transfer:write!","metadata":{"amount":"100!","to":"DE!"},"dispatch_id":"d!"}"#),
        BodyReader(
            OptionalContinueRequest.self, #"{"challenge_token":"a!.b.c","verification_token":"d!.e.f"}"#,
            #"{"challenge_token":"a!.b.c","passkey_assertion":\#(assertion)}"#),
        BodyReader(
            BeginPasskeyRegistrationRequest.self, #"{"username":"ada!","display_name":"Ada!","nickname":"Phone!"}"#),
        BodyReader(
            FinishPasskeyRegistrationRequest.self,
            #"{"registration_token":"a!.b.c","attestation":{"id":"AA!","rawId":"AA!","type":"public-key!","#
                + #""authenticatorAttachment":"platform!","response":{"clientDataJSON":"AA!","attestationObject":"AA!","#
                + #""transports":["usb!"]}}}"#),
        BodyReader(RenamePasskeyRequest.self, #"{"nickname":"Phone!"}"#),
        BodyReader(BeginPasskeyLoginRequest.self, "{}", #"{"dispatch_id":"d!"}"#),
        BodyReader(FinishPasskeyLoginRequest.self, #"{"login_token":"a!.b.c","assertion":\#(assertion)}"#),
    ]

    private static let management = [
        BodyReader(
            AppChangeBody.self,
            #"{"id":"newapp1","name":"New!","domains":["a!.example"],"allowed_origins":["https://a!.example"],"#
                + #""sign_up":true,"password_change_ends_other_sessions":false,"signing_algorithm":"ES256"}"#),
        BodyReader(
            SettingsBody<SessionPolicy>.self,
            #"{"access_token_lifetime":300,"access_token_binding":"dpop","idle_lifetime":1209600,"#
                + #""absolute_lifetime":7776000,"bound_grace":60,"unbound_grace":10,"nonce_policy":"always","#
                + #""proof_window":60,"device_key":"required","maximum_sessions":100}"#),
        BodyReader(
            SettingsBody<LimitSettings>.self,
            #"{"code_lifetime":600,"checks_per_code":5,"resend_delay":30,"sends_per_verification":5,"#
                + #""starts":{"limit":5,"window":600},"failed_checks":{"limit":10,"window":3600},"#
                + #""failed_checks_per_day":20,"consecutive_failed_checks":99,"sends_per_hour":5,"sends_per_day":10,"#
                + #""app_sends_per_day":10000,"calling_code_sends_per_day":2000,"allowed_prefixes":["+49!"],"#
                + #""send_hook":{"url":"https://a!.example","if_unavailable":"deny"},"#
                + #""starts_per_address":{"limit":30,"window":600}}"#),
        BodyReader(AddDomainBody.self, #"{"domain":"session!.example"}"#),
        BodyReader(
            AddBlockBody.self,
            #"{"address":"203.0.113.0/24!","identifier_type":"email_address","identifier_value":"a@example.com","#
                + #""seconds":600,"note":"guesses!"}"#),
        BodyReader(CORSConfigBody.self, #"{"allowed_origins":["https://a!.example"]}"#),
        BodyReader(
            UserLookupBody.self,
            #"{"user_ids":["usr_1!"],"external_ids":["4711!"],"identifiers":[{"type":"phone_number","value":"+1!"}]}"#),
        BodyReader(DevelopmentTokenBody.self, #"{"user_id":"usr_1!","scopes":["a!"],"lifetime":60}"#),
        BodyReader(
            CreateManagementKeyBody.self, #"{"name":"ci!","role":"read!","expires_at":"2100-01-01T00:00:00Z!"}"#),
        BodyReader(LogLevelBody.self, #"{"level":"debug!"}"#),
        BodyReader(RotateSigningKeysBody.self, "{}", #"{"purpose":"access!","emergency":true}"#),
        BodyReader(
            StepUpConfigBody.self,
            #"{"jwks_url":"https://b!.example/jwks","step_keys":["face!"],"allowed_scopes":[{"scope":"a!","#
                + #""mode":"delegated!","delegated":{"delegation_hook":"https://b!.example/hook"}}]}"#,
            #"{"allowed_scopes":[{"scope":"b!","mode":"direct","direct":{"identifier_types":["phone_number!"],"#
                + #""status":"review!","granted_for":300,"grant_mode":"single-use!","#
                + #""steps":[{"order":1,"key":"verify_sms!","expiration_duration":60}]}}]}"#),
        BodyReader(StepUpScopeBody.self, #"{"scope":"transfer:write!"}"#),
        BodyReader(
            ClaimsConfigBody.self, #"{"mapping":{"plan":"user.profile.plan!","n":{"a":[1,2.5,null,true]}}}"#),
        BodyReader(
            SettingsBody<MigrationConfig>.self, #"{"session_validation_url":"https://b!.example/migrate"}"#),
        BodyReader(
            SettingsBody<PasskeyConfig>.self,
            #"{"rp_id":"example!.com","rp_name":"Shop!","allowed_origins":["https://a!.example"],"ios_app_ids":["A!"],"#
                + #""android_apps":["com!"],"login_enabled":true,"codes_with_passkey":true,"granted_scopes":["a!"],"#
                + #""user_verification":"required","attestation_preference":"none","attestation_roots":["A!"],"#
                + #""aaguid_allowlist":["a!"],"refuse_lower_counter":true}"#),
        BodyReader(
            DeliveryConfigChangeBody.self,
            #"{"email":[{"type":"smtp","host":"mail!.example","port":587,"tls":"starttls","auth":"plain","#
                + #""username":"u!","secret":"a mail password!","from":"Shop <shop@b!.example>"}],"#
                + #""sms":[{"type":"webhook","url":"https://b!.example/sms"}]}"#),
        BodyReader(
            SettingsBody<MessageSettings>.self,
            #"{"default_locale":"de","autofill_host":"shop!.example","android_app_hash":"FA+9qCX9VSu!"}"#),
        BodyReader(TemplateChangeBody.self, #"{"subject":"{{code}}!","text":"{{code}} is your code!"}"#),
        BodyReader(
            TemplatePreviewRequestBody.self,
            #"{"channel":"email!","purpose":"sign_in!","locale":"de!","subject":"{{code}}!","text":"{{code}}!"}"#),
        BodyReader(
            SettingsBody<NoticeSettings>.self,
            #"{"new_device":true,"identifier_added":true,"identifier_removed":false,"password_changed":true,"#
                + #""sessions_ended":false}"#),
        BodyReader(WebhookChangeBody.self, #"{"url":"https://b!.example/hook","events":["session.created!"]}"#),
        BodyReader(
            PasswordConfigChangeBody.self,
            #"{"hash_method":"argon2id","enabled":true,"rate_limit_login_ip":{"ttl":600000000000,"limit":30},"#
                + #""rate_limit_login_identifier":{"ttl":900000000000,"limit":10},"#
                + #""password_compliancy":{"min_length":8,"max_length":0,"uppercase":1,"lowercase":1,"numbers":1,"#
                + #""symbols":0}}"#),
        BodyReader(
            OTPConfigChangeBody.self,
            #"{"config_type":"otp","channel_type":"sms","is_default":true,"template_id":"t!","sender_id":"s!","#
                + #""granted_scopes":["a!"],"code_size":6}"#),
        BodyReader(
            CreateUserBody.self,
            #"{"identifiers":[{"type":"email_address","value":"ada!@example.com"}],"password":"correct horse!","#
                + #""external_id":"4711!","profile":{"plan":"gold!","tags":["a!",{"b":1.5}]}}"#),
        BodyReader(StatusBody.self, #"{"status":"suspended!"}"#),
        BodyReader(InvalidateSessionsBody.self, #"{"except":"ses_1"}"#),
        BodyReader(SetPasswordBody.self, #"{"password":"correct horse battery staple!","revoke_sessions":false}"#),
        BodyReader(ExternalIDBody.self, #"{"external_id":"4711!"}"#, #"{"external_id":null}"#),
        BodyReader(ProfileBody.self, #"{"profile":{"plan":"gold!","old":null,"deep":[[[{"a":"b!"}]]]}}"#),
        BodyReader(Identifier.self, #"{"type":"phone_number","value":"+14155551234!"}"#),
    ]
}
