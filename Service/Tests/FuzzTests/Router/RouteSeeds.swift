/// Valid bodies and queries of each route, by method and path. `$name` is replaced by a value of the running service.
enum RouteSeeds {
    /// A secret of bodies. No error may contain it.
    static let password = "correct horse battery staple!"
    static let challenge = String(repeating: "A", count: 43)

    static let bodies: [String: [String]] = [
        "POST /v1/session/otp": [
            #"{"identifier":{"type":"email_address","value":"grace@example.com"},"code_challenge":"\#(challenge)"}"#,
            #"{"identifier":{"type":"phone_number","value":"+14155551234"},"dispatch_id":"d"}"#,
            #"{"challenge_token":"$stepUp"}"#,
        ],
        "POST /v1/session/otp/retry": [],
        "POST /v1/session/otp/check": [#"{"code":"$code"}"#, #"{"code":"123456","challenge_token":"$stepUp"}"#],
        "POST /v1/session/login/otp": [#"{"identifier":{"type":"email_address","value":"hopper@example.com"}}"#],
        "POST /v1/session/login/otp/retry": [],
        "POST /v1/session/login/otp/check": [#"{"code":"$code"}"#],
        "POST /v1/session/login/email/password": [#"{"identifier":"victim@example.com","password":"\#(password)"}"#],
        "POST /v1/session/login/passkey/begin": ["{}", #"{"dispatch_id":"d"}"#],
        "POST /v1/session/login/passkey/finish": [#"{"login_token":"$login","assertion":\#(assertion)}"#],
        "POST /v1/session/me/passkeys/register/begin": [
            #"{"username":"ada","display_name":"Ada","nickname":"Phone"}"#
        ],
        "POST /v1/session/me/passkeys/register/finish": [
            #"{"registration_token":"$login","attestation":{"id":"AAAA","rawId":"AAAA","type":"public-key","#
                + #""response":{"clientDataJSON":"e30","attestationObject":"oA","transports":["usb"]}}}"#
        ],
        "PATCH /v1/session/me/passkeys/:credential_id": [#"{"nickname":"Phone"}"#],
        "POST /v1/session/login/finalize": [#"{"challenge_token":"$login"}"#],
        "POST /v1/session/refresh": ["{}", #"{"step_up_token":"$stepUp"}"#],
        "POST /v1/session/revoke": [],
        "POST /v1/session/me/revoke": [],
        "POST /v1/session/me/password/reset": [#"{"password":"\#(password)"}"#],
        "POST /v1/session/stepup/request": [
            #"{"scope":"direct","metadata":{"amount":"100"},"dispatch_id":"d"}"#, #"{"scope":"hooked"}"#,
            #"{"scope":"prld:email:register","metadata":{"identifier":"new@example.com"}}"#,
        ],
        "POST /v1/session/stepup/continue": [
            #"{"challenge_token":"$stepUp","verification_token":"$login"}"#,
            #"{"challenge_token":"$stepUp","passkey_assertion":\#(assertion)}"#,
        ],
        "POST /v1/session/migration": [#"{"token":"\#(password)","code_challenge":"\#(challenge)"}"#],
        "POST /v2/session/apps": [#"{"name":"New","sign_up":true,"signing_algorithm":"ES256"}"#],
        "PATCH /v2/session/apps/:app_id": [
            #"{"name":"Test","allowed_origins":["https://app.example"],"password_change_ends_other_sessions":true}"#,
            #"{"domains":[],"signing_algorithm":"EdDSA","event_retention":90,"new_identifier_hold":3600}"#,
        ],
        "PUT /v2/session/apps/:app_id/config/sessions": [
            #"{"access_token_lifetime":300,"access_token_binding":"none","idle_lifetime":1209600,"#
                + #""absolute_lifetime":7776000,"bound_grace":60,"unbound_grace":10,"nonce_policy":"when_needed","#
                + #""proof_window":60,"device_key":"optional","maximum_sessions":100}"#
        ],
        "PUT /v2/session/apps/:app_id/config/limits": [
            #"{"starts":{"limit":1000,"window":600},"failed_checks":{"limit":1000,"window":3600},"#
                + #""failed_checks_per_day":1000,"sends_per_hour":1000,"sends_per_day":1000,"allowed_prefixes":["+1"],"#
                + #""failures_per_address":{"limit":1000,"window":600}}"#
        ],
        "PUT /v2/session/apps/:app_id/config/delivery": [
            #"{"email":[{"type":"smtp","host":"mail.example","port":587,"tls":"starttls","auth":"plain","username":"u","#
                + #""secret":"a mail password","from":"Shop <shop@b.example>"}]}"#,
            #"{"sms":[{"type":"webhook","url":"https://b.example/sms"}]}"#,
        ],
        "PUT /v2/session/apps/:app_id/config/templates": [
            #"{"default_locale":"de","autofill_host":"app.example","android_app_hash":"FA+9qCX9VSu"}"#
        ],
        "PUT /v2/session/apps/:app_id/config/templates/:channel/:purpose/:locale": [
            #"{"text":"{{code}} is your code for {{app_name}}."}"#
        ],
        "POST /v2/session/apps/:app_id/config/templates/preview": [
            #"{"channel":"sms","purpose":"sign_in","locale":"fr","text":"{{code}} ({{minutes}} min)"}"#,
            #"{"channel":"email","purpose":"notice_new_device"}"#,
        ],
        "PUT /v2/session/apps/:app_id/config/notices": [#"{"new_device":true,"password_changed":false}"#],
        "POST /v2/session/apps/:app_id/domains": [#"{"domain":"other.example.com"}"#],
        "POST /v2/session/apps/:app_id/blocks": [
            #"{"address":"198.51.100.99","seconds":60,"note":"guesses"}"#,
            #"{"identifier_type":"phone_number","identifier_value":"+14155550099","seconds":60}"#,
        ],
        "PUT /v2/session/apps/:app_id/config/cors": [#"{"allowed_origins":["https://app.example"]}"#],
        "POST /v2/session/apps/:app_id/tokens": [#"{"user_id":"$user_id","scopes":["direct"],"lifetime":60}"#],
        "POST /v2/session/apps/:app_id/users/batch_lookup": [
            #"{"user_ids":["$user_id"],"external_ids":["4711"],"#
                + #""identifiers":[{"type":"email_address","value":"victim@example.com"}]}"#
        ],
        "POST /v2/session/apps/:app_id/keys": [
            #"{"name":"ci","role":"read","expires_at":"2100-01-01T00:00:00Z"}"#
        ],
        "POST /v2/session/apps/:app_id/keys/:key_id/rotate": [],
        "POST /v2/session/apps/:app_id/signing-keys/rotate": [#"{"purpose":"access"}"#, #"{"purpose":"challenge"}"#],
        "POST /v2/session/apps/:app_id/config/stepup": [stepUp],
        "PUT /v2/session/apps/:app_id/config/stepup": [stepUp],
        "POST /v2/session/apps/:app_id/config/scopes": [#"{"scope":"direct"}"#, #"{"scope":"hooked"}"#],
        "DELETE /v2/session/apps/:app_id/config/scopes": [#"{"scope":"direct"}"#],
        "POST /v2/session/apps/:app_id/config/claims": [claims],
        "PUT /v2/session/apps/:app_id/config/claims": [claims],
        "POST /v2/session/apps/:app_id/config/migration": [migration],
        "PUT /v2/session/apps/:app_id/config/migration": [migration],
        "PUT /v2/session/apps/:app_id/config/passkey": [
            #"{"rp_id":"example.com","allowed_origins":["https://app.example"],"user_verification":"preferred","#
                + #""ios_app_ids":["A1B2C3D4E5.com.example.app"]}"#
        ],
        "POST /v2/session/apps/:app_id/webhooks": [#"{"url":"https://b.example/hook","events":["user.created"]}"#],
        "PUT /v2/session/apps/:app_id/webhooks/:webhook_id": [#"{"url":"https://b.example/hook"}"#],
        "POST /v2/session/apps/:app_id/webhooks/:webhook_id/activate": [],
        "POST /v2/session/apps/:app_id/users": [
            #"{"identifiers":[{"type":"email_address","value":"eve@example.com"}],"password":"\#(password)","#
                + #""external_id":"4711","profile":{"plan":"gold","tags":["a",{"b":1.5}]}}"#
        ],
        "PUT /v2/session/apps/:app_id/users/:user_id/status": [#"{"status":"active"}"#],
        "PUT /v2/session/apps/:app_id/users/:user_id/password": [
            #"{"password":"\#(password)","revoke_sessions":false}"#
        ],
        "PUT /v2/session/apps/:app_id/users/:user_id/external_id": [#"{"external_id":"4712"}"#],
        "PATCH /v2/session/apps/:app_id/users/:user_id/profile": [
            #"{"profile":{"plan":"gold","old":null,"deep":[[[{"a":"b"}]]]}}"#
        ],
        "POST /v2/session/apps/:app_id/users/:user_id/identifiers": [
            #"{"type":"phone_number","value":"+14155550000"}"#
        ],
        "DELETE /v2/session/apps/:app_id/users/:user_id/identifiers": [
            #"{"type":"phone_number","value":"+14155550000"}"#
        ],
        "DELETE /v2/session/apps/:app_id/users/:user_id/limits": [],
        "POST /v2/session/apps/:app_id/users/:user_id/sessions/invalidate": ["{}"],
        "POST /v2/session/apps/:app_id/config/login/password": [passwordLogin],
        "PUT /v2/session/apps/:app_id/config/login/password": [passwordLogin],
        "POST /v2/session/apps/:app_id/config/login/otp": [otpLogin],
        "PUT /v2/session/apps/:app_id/config/login/otp/:config_id": [otpLogin],
    ]

    static let queries: [String: [String]] = [
        "GET /v1/prelude-session.js": ["t=1"],
        "GET /v1/session/me/list": ["limit=10&offset=0"],
        "POST /v1/session/me/revoke": ["target=others", "target=session&session_id=$session"],
        "GET /v2/session/apps/:app_id/users": [
            "limit=10&offset=0", "cursor=MC5h&limit=1", "status=active&limit=1", "external_id=4711",
            "identifier_type=email_address&identifier_value=victim@example.com",
        ],
        "GET /v2/session/apps/:app_id/users/:user_id/sessions": ["limit=10&offset=0"],
        "GET /v2/session/apps/:app_id/webhooks/:webhook_id/deliveries": ["limit=10&offset=0", "limit=1&cursor=evt_1"],
        "GET /v2/session/apps/:app_id/events": ["limit=10&offset=0"],
        "DELETE /v2/session/apps/:app_id/limits": ["address=203.0.113.7"],
        "DELETE /v2/session/apps/:app_id/blocks": ["address=198.51.100.99"],
        "GET /v1/session/verify": ["app=testapp", "app=testapp&scope=direct"],
    ]

    /// Responses of operators' backends, by the end of the URL.
    static let responses = [
        "/hook": [
            #"{"status":"continue","grant_mode":"session-bound","granted_for":300}"#, #"{"status":"block"}"#,
            #"{"status":"review","grant_mode":"single-use","steps":[{"order":1,"key":"verify_email"}]}"#,
        ],
        "/migrate": [
            #"{"user":{"external_id":"m1","identifiers":[{"type":"email_address","value":"m@example.com"}],"#
                + #""profile":{"plan":"gold"}}}"#
        ],
        "/jwks": [#"{"keys":[]}"#],
    ]

    private static let assertion =
        #"{"id":"AAAA","rawId":"AAAA","type":"public-key","response":{"clientDataJSON":"e30","#
        + #""authenticatorData":"AAAA","signature":"MAA","userHandle":"AAAA"}}"#
    private static let stepUp =
        #"{"jwks_url":"https://b.example/jwks","step_keys":["face"],"allowed_scopes":["#
        + #"{"scope":"hooked","mode":"delegated","delegated":{"delegation_hook":"https://b.example/hook"}},"#
        + #"{"scope":"prld:email:register","mode":"managed"},"#
        + #"{"scope":"prld:pwd:write","mode":"direct","direct":{"identifier_types":["email_address"],"#
        + #""status":"continue","granted_for":3600,"grant_mode":"session-bound"}},"#
        + #"{"scope":"direct","mode":"direct","direct":{"identifier_types":["email_address"],"status":"review","#
        + #""granted_for":300,"grant_mode":"single-use","steps":[{"order":1,"key":"verify_email"}]}}]}"#
    private static let claims =
        #"{"mapping":{"plan":{"$custom_claim":"plan"},"ip":{"$input":"ip","$type":"string"},"n":[1,2.5,null]}}"#
    private static let migration = #"{"session_validation_url":"https://b.example/migrate"}"#
    private static let passwordLogin =
        #"{"hash_method":"argon2id","enabled":true,"rate_limit_login_ip":{"ttl":600000000000,"limit":30},"#
        + #""password_compliancy":{"min_length":8,"max_length":0,"uppercase":0,"symbols":0}}"#
    private static let otpLogin =
        #"{"config_type":"otp","channel_type":"email","is_default":true,"granted_scopes":[],"code_size":6}"#
}
