internal import SessionTokens

/// The names and values are those of the management API. A test compares both.
extension App {
    /// All settings, without times of changes.
    var auditedSettings: [AuditedSetting] {
        let own: [AuditedSetting] = [
            .init("id", id.rawValue), .init("name", name), .init("domains", domains),
            .init("allowed_origins", allowedOrigins), .init("sign_up", signUp),
            .init("password_change_ends_other_sessions", passwordChangeEndsOtherSessions),
            .init("register_in_one_step", registersInOneStep), .init("new_identifier_hold", newIdentifierHold),
            .init("signing_algorithm", signingAlgorithm.rawValue), .init("event_retention", eventRetention),
            .init("development_tokens", developmentTokens), .init("scopes", scopes),
        ]
        let configs = [
            sessions.audited, otpLimits.audited, passwordLogin?.audited ?? [], otpLogins.flatMap(\.audited),
            stepUp?.audited ?? [], claims?.audited ?? [], migration?.audited ?? [], delivery?.audited ?? [],
            messages.audited, blocks.map { .init($0.auditName, $0.until.rfc3339) },
        ]
        return own + configs.joined()
    }
}

extension SessionPolicy {
    fileprivate var audited: [AuditedSetting] {
        [
            .init("sessions.access_token_lifetime", accessTokenLifetime),
            .init("sessions.access_token_binding", accessTokenBinding.rawValue),
            .init("sessions.device_key", deviceKey.rawValue),
            .init("sessions.maximum_sessions", maximumSessions), .init("sessions.idle_lifetime", idleLifetime),
            .init("sessions.absolute_lifetime", absoluteLifetime),
            .init("sessions.unbound_grace", unboundGrace), .init("sessions.nonce_policy", noncePolicy.rawValue),
            .init("sessions.proof_window", proofWindow),
        ] + (boundGrace.map { [.init("sessions.bound_grace", $0)] } ?? [])
    }
}

extension OTPLimits {
    fileprivate var audited: [AuditedSetting] {
        func rate(_ name: String, _ limit: RateLimit) -> [AuditedSetting] {
            [.init("limits.\(name).limit", limit.limit), .init("limits.\(name).window", limit.window)]
        }
        let rates = [
            ("starts", starts), ("failed_checks", failedChecks), ("starts_per_address", startsPerAddress),
            ("failures_per_address", failuresPerAddress), ("invalid_calls_per_address", invalidCallsPerAddress),
            ("migrations_per_address", migrationsPerAddress), ("step_ups", stepUps), ("delivery_tests", deliveryTests),
        ]
        return [
            .init("limits.code_lifetime", codeLifetime), .init("limits.checks_per_code", checksPerCode),
            .init("limits.resend_delay", resendDelay), .init("limits.sends_per_verification", sendsPerVerification),
            .init("limits.failed_checks_per_day", failedChecksPerDay),
            .init("limits.consecutive_failed_checks", consecutiveFailures),
            .init("limits.sends_per_hour", sendsPerHour), .init("limits.sends_per_day", sendsPerDay),
            .init("limits.app_sends_per_day", appSendsPerDay),
            .init("limits.calling_code_sends_per_day", callingCodeSendsPerDay),
            .init("limits.number_range_sends_per_day", numberRangeSendsPerDay),
            .init("limits.allowed_prefixes", allowedPrefixes), .init("limits.notices_per_day", noticesPerDay),
        ] + rates.flatMap { rate($0.0, $0.1) }
            + (sendHook.map { hook in
                [
                    .init("limits.send_hook.url", hook.url),
                    .init("limits.send_hook.if_unavailable", hook.ifUnavailable.rawValue),
                ]
            } ?? [])
    }
}

extension PasswordLoginConfig {
    fileprivate var audited: [AuditedSetting] {
        let counts = [
            ("min_length", policy.minLength), ("max_length", policy.maxLength), ("uppercase", policy.uppercase),
            ("lowercase", policy.lowercase), ("numbers", policy.numbers), ("symbols", policy.symbols),
        ]
        return [
            .init("login.password.enabled", enabled),
            .init("login.password.reject_common_passwords", rejectsCommonPasswords),
        ] + counts.map { .init("login.password.password_compliancy.\($0.0)", $0.1) }
    }
}

extension OTPLoginConfig {
    fileprivate var audited: [AuditedSetting] {
        let path = "login.otp.\(id)"
        return [
            .init("\(path).channel_type", channel.rawValue), .init("\(path).is_default", isDefault),
            .init("\(path).granted_scopes", grantedScopes), .init("\(path).code_size", codeSize),
        ] + (templateID.map { [.init("\(path).template_id", $0)] } ?? [])
            + (senderID.map { [.init("\(path).sender_id", $0)] } ?? [])
    }
}

extension StepUpConfig {
    fileprivate var audited: [AuditedSetting] {
        [
            .init("stepup.jwks_url", jwksURL ?? ""), .init("stepup.step_keys", stepKeys),
            .init("stepup.allowed_scopes", .array(rules.map(\.audited))),
        ]
    }
}

extension ScopeRule {
    fileprivate var audited: JSONValue {
        var members: [String: JSONValue] = ["scope": .string(scope)]
        switch mode {
        case .managed: members["mode"] = "managed"
        case .delegated(let hook):
            members["mode"] = "delegated"
            members["delegated"] = .object(["delegation_hook": .string(hook)])
        case .direct(let types, let decision):
            members["mode"] = "direct"
            let types = JSONValue.array(types.map { .string($0.rawValue) })
            members["direct"] = .object(decision.audited.merging(["identifier_types": types]) { first, _ in first })
        }
        return .object(members)
    }
}

extension StepUpDecision {
    fileprivate var audited: [String: JSONValue] {
        switch self {
        case .block: ["status": .string(StepUpStatus.block.rawValue)]
        case .grant(let terms): terms.audited(.continue)
        case .review(let terms, let steps):
            terms.audited(.review).merging(["steps": .array(steps.map(\.audited))]) { first, _ in first }
        }
    }
}

extension GrantTerms {
    fileprivate func audited(_ status: StepUpStatus) -> [String: JSONValue] {
        [
            "status": .string(status.rawValue), "granted_for": .int(Int64(grantedFor)),
            "grant_mode": .string(mode.rawValue),
        ]
    }
}

extension StepUpStep {
    fileprivate var audited: JSONValue {
        .object([
            "order": .int(Int64(order)), "key": .string(key), "expiration_duration": .int(Int64(expirationDuration)),
        ])
    }
}

extension ClaimsConfig {
    /// One setting for each claim, with its name as it is. A literal can be a secret, so nothing of it is shown.
    fileprivate var audited: [AuditedSetting] {
        mapping.map { name, source in
            if case .literal = source {
                return .init("claims.mapping.\(name)", source.json, shown: AuditedSettings.hidden)
            }
            return .init("claims.mapping.\(name)", source.json, shown: source.json)
        }
    }
}

extension MigrationConfig {
    fileprivate var audited: [AuditedSetting] {
        [.init("migration.session_validation_url", sessionValidationURL)]
    }
}

extension DeliveryConfig {
    /// One setting for each channel. Nothing of a secret is shown.
    fileprivate var audited: [AuditedSetting] {
        OTPLoginConfig.Channel.allCases.filter { !self[$0].isEmpty }.map { channel in
            AuditedSetting(
                "delivery.\(channel.rawValue)", .array(self[channel].map { $0.audited(secret: $0.sealedSecret) }),
                shown: AuditedSetting.redacted(
                    .array(self[channel].map { $0.audited(secret: $0.sealedSecret.map { _ in "(hidden)" }) })))
        }
    }
}

extension DeliveryConfig.Route {
    fileprivate func audited(secret: String?) -> JSONValue {
        var members: [RouteField: JSONValue] = [.kind: .string(settings.kind.rawValue)]
        members[.host] = settings.host.map(JSONValue.string)
        members[.port] = settings.port.map { .int(Int64($0)) }
        members[.tls] = settings.tls.map { .string($0.rawValue) }
        members[.authentication] = settings.authentication.map { .string($0.rawValue) }
        members[.username] = settings.username.map(JSONValue.string)
        members[.account] = settings.account.map(JSONValue.string)
        members[.url] = settings.url.map(JSONValue.string)
        members[.from] = settings.from.map(JSONValue.string)
        members[.secret] = secret.map(JSONValue.string)
        return .object(Dictionary(uniqueKeysWithValues: members.map { ($0.key.rawValue, $0.value) }))
    }
}

extension MessageSettings {
    fileprivate var audited: [AuditedSetting] {
        let texts = templates.flatMap { template in
            let path = "templates.\(template.channel.rawValue).\(template.purpose.rawValue).\(template.locale)"
            return [.init("\(path).text", template.text)]
                + (template.subject.map { [AuditedSetting("\(path).subject", $0)] } ?? [])
        }
        return [.init("templates.default_locale", defaultLocale.tag)]
            + (autofillHost.map { [.init("templates.autofill_host", $0)] } ?? [])
            + (androidAppHash.map { [.init("templates.android_app_hash", $0)] } ?? []) + texts
            + Notice.Kind.allCases.map { .init("notices.\($0.rawValue)", notices.isOn($0)) }
    }
}
