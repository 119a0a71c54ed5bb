PRAGMA application_id = 1347634515;
PRAGMA user_version = 17;
BEGIN TRANSACTION;
CREATE TABLE apps (
    id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 7),
    created_at INTEGER NOT NULL,
    settings TEXT NOT NULL
) STRICT;
INSERT INTO "apps" VALUES('devapp1',1795932197152,'{"allowedOrigins":[],"blocks":[],"createdAt":1795932197152,"delivery":{"createdAt":1795932197278,"email":[{"sealedSecret":"djNmWWxMZXoZaD0LtKFBx0lde5v24mpx61xzqKlX8NoQFekB3XwSxnMgXJ8VQ30ZjiU","settings":{"from":"a@example.com","host":"smtp.example.com","kind":"smtp","username":"login"}}],"sms":[],"updatedAt":1795932197278},"developmentTokens":true,"domains":[],"eventRetention":30,"id":"devapp1","messages":{"defaultLocale":"en","notices":{"identifierAdded":true,"identifierRemoved":true,"newDevice":false,"passwordChanged":true,"sessionsEnded":true},"templates":[]},"name":"Development","newIdentifierHold":259200,"otpLimits":{"allowedPrefixes":[],"appSendsPerDay":10000,"callingCodeSendsPerDay":2000,"checksPerCode":5,"codeLifetime":600,"consecutiveFailures":99,"deliveryTests":{"limit":10,"window":600},"failedChecks":{"limit":10,"window":3600},"failedChecksPerDay":19,"failuresPerAddress":{"limit":60,"window":600},"invalidCallsPerAddress":{"limit":60,"window":600},"migrationsPerAddress":{"limit":150,"window":600},"noticesPerDay":5,"numberRangeSendsPerDay":500,"resendDelay":30,"sendsPerDay":10,"sendsPerHour":5,"sendsPerVerification":5,"starts":{"limit":5,"window":600},"startsPerAddress":{"limit":150,"window":600},"stepUps":{"limit":30,"window":600}},"otpLogins":[{"channel":"sms","codeSize":6,"createdAt":1795932197148,"grantedScopes":[],"id":"lcfg_01m8jyd491r5wtj8kpdsyk3d9b","isDefault":true,"updatedAt":1795932197148},{"channel":"email","codeSize":6,"createdAt":1795932197148,"grantedScopes":[],"id":"lcfg_01m8jyd491ehjbkpxy1h0jx9h5","isDefault":true,"updatedAt":1795932197148},{"channel":"email","codeSize":6,"createdAt":1795932197148,"grantedScopes":["prld:pwd:write"],"id":"lcfg_reset","isDefault":false,"updatedAt":1795932197148}],"passwordChangeEndsOtherSessions":true,"passwordLogin":{"createdAt":1795932197148,"enabled":true,"identifierLimit":{"limit":10,"window":900},"ipLimit":{"limit":30,"window":600},"policy":{"lowercase":0,"maxLength":256,"minLength":8,"numbers":0,"symbols":0,"uppercase":0},"rejectsCommonPasswords":true,"updatedAt":1795932197148},"registerInOneStep":false,"scopes":["prld:pwd:write","transfer:write","reports:read"],"sessions":{"absoluteLifetime":31536000,"accessTokenBinding":"none","accessTokenLifetime":300,"deviceKey":"optional","idleLifetime":2592000,"maximumSessions":100,"noncePolicy":"when_needed","proofWindow":60,"unboundGrace":10},"signUp":true,"signingAlgorithm":"EdDSA","stepUp":{"createdAt":1795932197148,"rules":[{"mode":{"direct":{"_0":["email_address"],"_1":{"review":{"_0":{"grantedFor":300,"mode":"single-use"},"steps":[{"expirationDuration":600,"key":"verify_email","order":1}]}}}},"scope":"prld:pwd:write"},{"mode":{"direct":{"_0":["phone_number"],"_1":{"review":{"_0":{"grantedFor":300,"mode":"single-use"},"steps":[{"expirationDuration":600,"key":"verify_sms","order":1}]}}}},"scope":"prld:pwd:write"},{"mode":{"direct":{"_0":["email_address"],"_1":{"review":{"_0":{"grantedFor":300,"mode":"session-bound"},"steps":[{"expirationDuration":600,"key":"verify_email","order":1}]}}}},"scope":"transfer:write"},{"mode":{"direct":{"_0":["phone_number"],"_1":{"review":{"_0":{"grantedFor":300,"mode":"session-bound"},"steps":[{"expirationDuration":600,"key":"verify_sms","order":1}]}}}},"scope":"transfer:write"}],"stepKeys":[],"updatedAt":1795932197148}}');
CREATE TABLE challenges (
    app_id TEXT NOT NULL,
    id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    scope TEXT NOT NULL,
    grant_mode TEXT NOT NULL,
    granted_for INTEGER NOT NULL,
    steps TEXT NOT NULL,
    new_identifier TEXT,
    created_at INTEGER NOT NULL,
    token_id TEXT NOT NULL,
    steps_done INTEGER NOT NULL CHECK (steps_done >= 0),
    wrong_codes INTEGER NOT NULL CHECK (wrong_codes >= 0),
    expires_at INTEGER NOT NULL,
    completed_at INTEGER,
    redeemed_at INTEGER,
    PRIMARY KEY (app_id, id),
    FOREIGN KEY (app_id, session_id) REFERENCES sessions (app_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE TABLE counters (
    app_id TEXT NOT NULL,
    key TEXT NOT NULL,
    count INTEGER NOT NULL CHECK (count > 0),
    resets_at INTEGER NOT NULL,
    PRIMARY KEY (app_id, key)
) STRICT, WITHOUT ROWID;
INSERT INTO "counters" VALUES('devapp1','notice/password_changed/usr_01m8jyd4epmv41mtmd4n1gznjd',1,1796018597380);
INSERT INTO "counters" VALUES('devapp1','otp-start/email_address:ada@example.com',2,1795932797291);
INSERT INTO "counters" VALUES('devapp1','sends',258448,1796018597385);
INSERT INTO "counters" VALUES('devapp1','sent-day/email_address:ada@example.com',2,1796018597291);
INSERT INTO "counters" VALUES('devapp1','sent-hour/email_address:ada@example.com',2,1795935797291);
CREATE TABLE deleted_redemptions (
    app_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    expiry_hour INTEGER NOT NULL,
    last_expiry INTEGER NOT NULL,
    PRIMARY KEY (app_id, kind, expiry_hour)
) STRICT, WITHOUT ROWID;
CREATE TABLE events (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    app_id TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    data TEXT NOT NULL, user_id TEXT, context TEXT NOT NULL DEFAULT '{}',
    UNIQUE (app_id, id)
) STRICT;
INSERT INTO "events" VALUES(1,'devapp1','evt_01m8jyd495s3mj7aam69yq0356','management.app.created',1795932197157,'{"settings":{"allowed_origins":[],"development_tokens":true,"domains":[],"event_retention":30,"id":"devapp1","limits.allowed_prefixes":[],"limits.app_sends_per_day":10000,"limits.calling_code_sends_per_day":2000,"limits.checks_per_code":5,"limits.code_lifetime":600,"limits.consecutive_failed_checks":99,"limits.delivery_tests.limit":10,"limits.delivery_tests.window":600,"limits.failed_checks.limit":10,"limits.failed_checks.window":3600,"limits.failed_checks_per_day":20,"limits.failures_per_address.limit":60,"limits.failures_per_address.window":600,"limits.invalid_calls_per_address.limit":60,"limits.invalid_calls_per_address.window":600,"limits.migrations_per_address.limit":150,"limits.migrations_per_address.window":600,"limits.notices_per_day":5,"limits.number_range_sends_per_day":500,"limits.resend_delay":30,"limits.sends_per_day":10,"limits.sends_per_hour":5,"limits.sends_per_verification":5,"limits.starts.limit":5,"limits.starts.window":600,"limits.starts_per_address.limit":150,"limits.starts_per_address.window":600,"limits.step_ups.limit":30,"limits.step_ups.window":600,"login.otp.lcfg_01m8jyd491ehjbkpxy1h0jx9h5.channel_type":"email","login.otp.lcfg_01m8jyd491ehjbkpxy1h0jx9h5.code_size":6,"login.otp.lcfg_01m8jyd491ehjbkpxy1h0jx9h5.granted_scopes":[],"login.otp.lcfg_01m8jyd491ehjbkpxy1h0jx9h5.is_default":true,"login.otp.lcfg_01m8jyd491r5wtj8kpdsyk3d9b.channel_type":"sms","login.otp.lcfg_01m8jyd491r5wtj8kpdsyk3d9b.code_size":6,"login.otp.lcfg_01m8jyd491r5wtj8kpdsyk3d9b.granted_scopes":[],"login.otp.lcfg_01m8jyd491r5wtj8kpdsyk3d9b.is_default":true,"login.otp.lcfg_reset.channel_type":"email","login.otp.lcfg_reset.code_size":6,"login.otp.lcfg_reset.granted_scopes":["prld:pwd:write"],"login.otp.lcfg_reset.is_default":false,"login.password.enabled":true,"login.password.password_compliancy.lowercase":0,"login.password.password_compliancy.max_length":256,"login.password.password_compliancy.min_length":8,"login.password.password_compliancy.numbers":0,"login.password.password_compliancy.symbols":0,"login.password.password_compliancy.uppercase":0,"login.password.reject_common_passwords":true,"name":"Development","new_identifier_hold":259200,"notices.identifier_added":true,"notices.identifier_removed":true,"notices.new_device":false,"notices.password_changed":true,"notices.sessions_ended":true,"password_change_ends_other_sessions":true,"register_in_one_step":false,"scopes":["prld:pwd:write","transfer:write"],"sessions.absolute_lifetime":31536000,"sessions.access_token_binding":"none","sessions.access_token_lifetime":300,"sessions.device_key":"optional","sessions.idle_lifetime":2592000,"sessions.maximum_sessions":100,"sessions.nonce_policy":"when_needed","sessions.proof_window":60,"sessions.unbound_grace":10,"sign_up":true,"signing_algorithm":"EdDSA","stepup.allowed_scopes":[{"direct":{"grant_mode":"single-use","granted_for":300,"identifier_types":["email_address"],"status":"review","steps":[{"expiration_duration":600,"key":"verify_email","order":1}]},"mode":"direct","scope":"prld:pwd:write"},{"direct":{"grant_mode":"single-use","granted_for":300,"identifier_types":["phone_number"],"status":"review","steps":[{"expiration_duration":600,"key":"verify_sms","order":1}]},"mode":"direct","scope":"prld:pwd:write"},{"direct":{"grant_mode":"session-bound","granted_for":300,"identifier_types":["email_address"],"status":"review","steps":[{"expiration_duration":600,"key":"verify_email","order":1}]},"mode":"direct","scope":"transfer:write"},{"direct":{"grant_mode":"session-bound","granted_for":300,"identifier_types":["phone_number"],"status":"review","steps":[{"expiration_duration":600,"key":"verify_sms","order":1}]},"mode":"direct","scope":"transfer:write"}],"stepup.jwks_url":"","stepup.step_keys":[],"templates.default_locale":"en"}}',NULL,'{"actor":{"type":"service"}}');
INSERT INTO "events" VALUES(2,'devapp1','evt_01m8jyd4cbsn5whckbq873y644','management.app.updated',1795932197259,'{"changes":{"limits.failed_checks_per_day":{"after":19,"before":20}}}',NULL,'{"actor":{"name":"configured","type":"configuration"},"ip":"127.0.0.1","request_id":"req_01m8jyd4c46xek1ke6nkh6jz2b"}');
INSERT INTO "events" VALUES(3,'devapp1','evt_01m8jyd4d0z4wt4fqp3zj9m0jd','management.app.updated',1795932197280,'{"changes":{"delivery.email":{"after":[{"from":"a@example.com","host":"smtp.example.com","secret":"(hidden)","type":"smtp","username":"login"}],"before":null}}}',NULL,'{"actor":{"name":"configured","type":"configuration"},"ip":"127.0.0.1","request_id":"req_01m8jyd4cqrd4dg27gthy2f9fy"}');
INSERT INTO "events" VALUES(4,'devapp1','evt_01m8jyd4d5pt7f092e44pade2q','management.app.updated',1795932197285,'{"changes":{"scopes":{"after":["prld:pwd:write","transfer:write","reports:read"],"before":["prld:pwd:write","transfer:write"]}}}',NULL,'{"actor":{"name":"configured","type":"configuration"},"ip":"127.0.0.1","request_id":"req_01m8jyd4d39xhxpzcpn9mq3hfs"}');
INSERT INTO "events" VALUES(5,'devapp1','evt_01m8jyd4eqd3gd5jgmmwj28a9b','user.created',1795932197335,'{"user_id":"usr_01m8jyd4epmv41mtmd4n1gznjd"}','usr_01m8jyd4epmv41mtmd4n1gznjd','{"actor":{"type":"client"},"device":{"country_code":"","model":"","os_version":"","type":"unknown"},"ip":"127.0.0.1","request_id":"req_01m8jyd4eprpjmb9xdh9r2c98y","user_agent":""}');
INSERT INTO "events" VALUES(6,'devapp1','evt_01m8jyd4ezc42fmn2t6yarx03t','user.session.created',1795932197343,'{"method":"otp_email","session_id":"ses_01m8jyd448fy7h61bdrswpqb1z","user_id":"usr_01m8jyd4epmv41mtmd4n1gznjd"}','usr_01m8jyd4epmv41mtmd4n1gznjd','{"actor":{"type":"client"},"device":{"country_code":"","model":"","os_version":"","type":"unknown"},"ip":"127.0.0.1","request_id":"req_01m8jyd4ex57eke34gjsjbga4q","user_agent":""}');
INSERT INTO "events" VALUES(7,'devapp1','evt_01m8jyd4g4ad3zmw4978gtnn5z','user.password.updated',1795932197380,'{"user_id":"usr_01m8jyd4epmv41mtmd4n1gznjd"}','usr_01m8jyd4epmv41mtmd4n1gznjd','{"actor":{"name":"configured","type":"configuration"},"ip":"127.0.0.1","request_id":"req_01m8jyd4fdcy38y7zchse10g9c"}');
INSERT INTO "events" VALUES(8,'devapp1','evt_01m8jyd4g4w0hnx853px6eqajs','user.session.revoked',1795932197380,'{"reason":"password_changed","session_id":"ses_01m8jyd448fy7h61bdrswpqb1z","user_id":"usr_01m8jyd4epmv41mtmd4n1gznjd"}','usr_01m8jyd4epmv41mtmd4n1gznjd','{"actor":{"name":"configured","type":"configuration"},"ip":"127.0.0.1","request_id":"req_01m8jyd4fdcy38y7zchse10g9c"}');
INSERT INTO "events" VALUES(9,'devapp1','evt_01m8jyd4h6mgngxwmq87qk0ga5','user.session.created',1795932197414,'{"method":"otp_email","session_id":"ses_01m8jyd448ypq0j3wa31fwrpnq","user_id":"usr_01m8jyd4epmv41mtmd4n1gznjd"}','usr_01m8jyd4epmv41mtmd4n1gznjd','{"actor":{"type":"client"},"device":{"country_code":"","model":"","os_version":"","type":"unknown"},"ip":"127.0.0.1","request_id":"req_01m8jyd4h5qvgr91kc2f0g7708","user_agent":""}');
INSERT INTO "events" VALUES(10,'devapp1','evt_01m8jyd4hctg6bdw2gez07tx1a','user.created',1795932197420,'{"user_id":"usr_01m8jyd4hc9thfw4wh95kvxfm9"}','usr_01m8jyd4hc9thfw4wh95kvxfm9','{"actor":{"name":"configured","type":"configuration"},"ip":"127.0.0.1","request_id":"req_01m8jyd4hbvmams9cc64vgw4t3"}');
INSERT INTO "events" VALUES(11,'-','evt_01m8jyd4phf04t58gys63szyhv','management.key.created',1795932197585,'{"key_id":"mk_01m8jyd4pgdjrpbaw7wbb4sx8e","name":"backend","role":"write"}',NULL,'{"actor":{"type":"command_line"}}');
CREATE TABLE grants (
    app_id TEXT NOT NULL,
    id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    scope TEXT NOT NULL,
    mode TEXT NOT NULL CHECK (mode IN ('single-use', 'session-bound', 'profile-bound')),
    generation INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (app_id, id),
    FOREIGN KEY (app_id, session_id) REFERENCES sessions (app_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE TABLE identifiers (
    app_id TEXT NOT NULL,
    type TEXT NOT NULL CHECK (type IN ('phone_number', 'email_address')),
    canonical TEXT NOT NULL,
    value TEXT NOT NULL,
    user_id TEXT NOT NULL,
    position INTEGER NOT NULL, held_until INTEGER,
    PRIMARY KEY (app_id, type, canonical),
    FOREIGN KEY (app_id, user_id) REFERENCES users (app_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO "identifiers" VALUES('devapp1','email_address','ada@example.com','ada@example.com','usr_01m8jyd4epmv41mtmd4n1gznjd',1,NULL);
INSERT INTO "identifiers" VALUES('devapp1','phone_number','+33612345678','+33612345678','usr_01m8jyd4hc9thfw4wh95kvxfm9',1,NULL);
CREATE TABLE management_keys (
    id TEXT NOT NULL PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    app_id TEXT,
    created_at INTEGER NOT NULL
, role TEXT NOT NULL DEFAULT 'write' CHECK (role IN ('read', 'write')), created_by TEXT, expires_at INTEGER, last_used_at INTEGER) STRICT;
INSERT INTO "management_keys" VALUES('mk_01m8jyd4pgdjrpbaw7wbb4sx8e','P_KpdAaUumKqW0VjyFzUA_RgodMVi_CmVJ_-eRIqkuE','backend',NULL,1795932197584,'write','command_line',NULL,NULL);
CREATE TABLE messages (
    sequence INTEGER PRIMARY KEY,
    app_id TEXT NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL CHECK (type IN ('phone_number', 'email_address')),
    canonical TEXT NOT NULL,
    value TEXT NOT NULL,
    content TEXT NOT NULL,
    context TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'sent', 'failed', 'withheld')),
    route INTEGER NOT NULL,
    rejected_routes TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    next_attempt_at INTEGER NOT NULL,
    last_failure TEXT,
    UNIQUE (app_id, id)
) STRICT;
INSERT INTO "messages" VALUES(1,'devapp1','msg_01m8jyd4g4cx0cfn5jktp967kz','email_address','ada@example.com','ada@example.com','{"locales":[],"purpose":"notice","sender":{},"userID":"usr_01m8jyd4epmv41mtmd4n1gznjd","values":{"notice":"password_changed","time":"1795932197380"}}','{"actor":{"name":"configured","type":"configuration"},"ip":"127.0.0.1","request_id":"req_01m8jyd4fdcy38y7zchse10g9c"}',1795932197380,1796018597380,'pending',0,'[]',1,1795932199407,'{"mayBeSent":false,"reason":"the name cannot be resolved: smtp.example.com: Name or service not known","route":"smtp","stage":"name_resolution"}');
INSERT INTO "messages" VALUES(2,'devapp1','msg_01m8jyd4g9jh3hgbntmp8f57tg','email_address','ada@example.com','ada@example.com','{"code":{"keyID":"v3fYlLez","number":"q9xgpcUpjRRiGJvbqwdEAA","size":6,"verification":"fW7MOybiXmgD33s5kE9H9C5T4Q5MEvGaQupyH2yCqq0"},"locales":[],"purpose":"sign_in","sender":{},"userID":"usr_01m8jyd4epmv41mtmd4n1gznjd","values":{}}','{"actor":{"type":"client"},"device":{"country_code":"","model":"","os_version":"","type":"unknown"},"ip":"127.0.0.1","request_id":"req_01m8jyd4g8bgqyr5hj4dr2drp1","user_agent":""}',1795932197385,1795932797385,'pending',0,'[]',1,1795932199406,'{"mayBeSent":false,"reason":"the name cannot be resolved: smtp.example.com: Name or service not known","route":"smtp","stage":"name_resolution"}');
CREATE TABLE "proofs" (
    key INTEGER NOT NULL,
    app_id TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (key, app_id)
) STRICT, WITHOUT ROWID;
INSERT INTO "proofs" VALUES(-7346211914068627966,'devapp1',1795933157414);
INSERT INTO "proofs" VALUES(-3983057776117974299,'devapp1',1795933157343);
INSERT INTO "proofs" VALUES(717822547325799714,'devapp1',1795933157350);
CREATE TABLE redeemed_challenges (
    app_id TEXT NOT NULL,
    challenge_id TEXT NOT NULL,
    expires_at INTEGER NOT NULL, kind TEXT NOT NULL DEFAULT 'login',
    PRIMARY KEY (app_id, challenge_id)
) STRICT, WITHOUT ROWID;
INSERT INTO "redeemed_challenges" VALUES('devapp1','chl_01m8jyd4erma88zrej97nr7s4m',1795932497000,'login');
INSERT INTO "redeemed_challenges" VALUES('devapp1','chl_01m8jyd4h3dv02wgccmxgt132a',1795932497000,'login');
CREATE TABLE sessions (
    app_id TEXT NOT NULL,
    id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    generation INTEGER NOT NULL CHECK (generation >= 0),
    key_thumbprint TEXT,
    last_proof TEXT,
    demands_nonce INTEGER NOT NULL CHECK (demands_nonce IN (0, 1)),
    scopes TEXT NOT NULL,
    device_id TEXT,
    device_model TEXT NOT NULL,
    device_type TEXT NOT NULL,
    os_version TEXT NOT NULL,
    country_code TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,
    rotated_at INTEGER NOT NULL,
    idle_expires_at INTEGER NOT NULL,
    absolute_expires_at INTEGER NOT NULL,
    revoked_at INTEGER,
    purge_hour INTEGER NOT NULL, last_attempt TEXT, earlier_attempts TEXT NOT NULL DEFAULT '', settled_generation INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (app_id, id),
    FOREIGN KEY (app_id, user_id) REFERENCES users (app_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO "sessions" VALUES('devapp1','ses_01m8jyd448fy7h61bdrswpqb1z','usr_01m8jyd4epmv41mtmd4n1gznjd',1,'Y_MbET11F42vt2Y7utq3BCP4-RkqQaoSSSP7jphjpQU','CfY3zbkezSJWWpF3Hw8cixat29v0obU0xcC5bzithOc',0,'',NULL,'','unknown','','',1795932197343,1795932197350,1795932197350,1798524197350,1827468197343,1795932197380,499591,'YrPLBamVkH6RSI0zjH9lnQQCQz3BHNAZdPxNfzPc6n4','',0);
INSERT INTO "sessions" VALUES('devapp1','ses_01m8jyd448ypq0j3wa31fwrpnq','usr_01m8jyd4epmv41mtmd4n1gznjd',0,'sRVw1ycABm966niU7CjQjAzo3jubCJTjzaK4EzgqvJM',NULL,0,'',NULL,'','unknown','','',1795932197414,1795932197414,1795932197414,1798524197414,1827468197414,NULL,500311,NULL,'',0);
CREATE TABLE "signing_keys" (
    sequence INTEGER PRIMARY KEY,
    app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    purpose TEXT NOT NULL CHECK (purpose IN ('access', 'challenge', 'hook')),
    key_id TEXT NOT NULL,
    algorithm TEXT NOT NULL,
    sealed_private_key BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    active_from INTEGER NOT NULL,
    retires_at INTEGER,
    remove_after INTEGER,
    UNIQUE (app_id, purpose, key_id)
) STRICT;
INSERT INTO "signing_keys" VALUES(1,'devapp1','access','Bw28xbwEXTx9GWTbXkp3ZHJuFnyNgF2jxmCjiL4K91Y','EdDSA',X'763366596C4C657ABA41144741D6DAD9D7ED7855C9AE5775B8B68B8F1E0FBDB2E76065D1A2C95DEAB49C909E17F3E1828F00B5AD28A86EABA4FB2FED668D84BD0DD4BDDF',1795932197153,1795932197153,NULL,NULL);
INSERT INTO "signing_keys" VALUES(2,'devapp1','challenge','J73Z4NQ0r60nVYTdC4zWcXLYVzz7DhRhd5lA6OP-qdI','EdDSA',X'763366596C4C657A85827B8A42C16FDEA0F705370C9842E505EBDE59A5CE2220829584F90CAC0167CB5232B45A6372E8F2FF19BE19FE5950379BEE2263200FBB71396811',1795932197153,1795932197153,NULL,NULL);
CREATE TABLE users (
    app_id TEXT NOT NULL,
    id TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'inactive', 'suspended')),
    external_id TEXT,
    profile TEXT NOT NULL,
    password_hash TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, login_epoch INTEGER NOT NULL DEFAULT 0, locale TEXT,
    PRIMARY KEY (app_id, id),
    UNIQUE (app_id, external_id)
) STRICT;
INSERT INTO "users" VALUES('devapp1','usr_01m8jyd4epmv41mtmd4n1gznjd','active',NULL,'{}','$argon2id$v=19$m=19456,t=2,p=1$MIoE1dPQsXQZO+mjALbzvw$rTZqkpe7FhVLRuT/0V77wgJMQ/Ie8mmiAGURimoN5cQ',1795932197334,1795932197380,1,NULL);
INSERT INTO "users" VALUES('devapp1','usr_01m8jyd4hc9thfw4wh95kvxfm9','active','4711','{"plan":"gold"}',NULL,1795932197420,1795932197420,0,NULL);
CREATE TABLE verifications (
    app_id TEXT NOT NULL,
    token_hash TEXT NOT NULL,
    type TEXT NOT NULL,
    canonical TEXT NOT NULL,
    value TEXT NOT NULL,
    login_config_id TEXT NOT NULL,
    code_challenge TEXT,
    is_suppressed INTEGER NOT NULL CHECK (is_suppressed IN (0, 1)),
    code_hash TEXT NOT NULL,
    code_expires_at INTEGER NOT NULL,
    checks INTEGER NOT NULL CHECK (checks >= 0),
    sends INTEGER NOT NULL CHECK (sends >= 0),
    last_sent_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL, code_seed TEXT, previous_code_hash TEXT, previous_code_expires_at INTEGER, payers TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (app_id, token_hash)
) STRICT, WITHOUT ROWID;
CREATE TABLE webhook_deliveries (
    sequence INTEGER PRIMARY KEY,
    app_id TEXT NOT NULL,
    webhook_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
    attempts INTEGER NOT NULL,
    next_attempt_at INTEGER NOT NULL,
    last_status INTEGER,
    last_error TEXT,
    delivered_at INTEGER,
    UNIQUE (app_id, webhook_id, event_id),
    FOREIGN KEY (app_id, webhook_id) REFERENCES webhooks (app_id, id) ON DELETE CASCADE,
    FOREIGN KEY (app_id, event_id) REFERENCES events (app_id, id) ON DELETE CASCADE
) STRICT;
CREATE TABLE webhooks (
    app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('inactive', 'active')),
    verification_token TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (app_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX users_by_age ON users (app_id, created_at, id);
CREATE INDEX identifiers_by_user ON identifiers (app_id, user_id, position);
CREATE INDEX sessions_by_user ON sessions (app_id, user_id);
CREATE INDEX sessions_by_purge_hour ON sessions (purge_hour);
CREATE INDEX redeemed_challenges_by_expiry ON redeemed_challenges (expires_at);
CREATE INDEX verifications_by_identifier ON verifications (app_id, type, canonical);
CREATE INDEX verifications_by_expiry ON verifications (code_expires_at);
CREATE INDEX counters_by_expiry ON counters (resets_at);
CREATE INDEX challenges_by_session ON challenges (app_id, session_id, created_at);
CREATE INDEX challenges_by_user ON challenges (app_id, user_id);
CREATE INDEX challenges_by_expiry ON challenges (expires_at);
CREATE INDEX grants_by_user ON grants (app_id, user_id);
CREATE INDEX grants_by_session ON grants (app_id, session_id);
CREATE INDEX grants_by_expiry ON grants (expires_at);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (app_id, webhook_id, next_attempt_at)
    WHERE status = 'pending';
CREATE INDEX webhook_deliveries_by_event ON webhook_deliveries (app_id, event_id);
CREATE INDEX events_by_time ON events (app_id, created_at);
CREATE INDEX events_by_user ON events (app_id, user_id, created_at);
CREATE INDEX events_by_name ON events (app_id, name, created_at);
CREATE INDEX messages_due ON messages (app_id, type, route, next_attempt_at, status)
    WHERE status = 'pending';
CREATE INDEX messages_by_expiry ON messages (expires_at) WHERE status <> 'pending';
CREATE INDEX events_by_actor ON events (
    app_id,
    CASE WHEN substr(context, 1, 16) = '{"actor":{"id":"'
        THEN substr(context, 17, instr(substr(context, 17), '"') - 1) END,
    created_at
) WHERE substr(context, 1, 16) = '{"actor":{"id":"';
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('events',11);
COMMIT;
