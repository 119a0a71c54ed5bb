--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: apps; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.apps (
    id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    settings text NOT NULL,
    CONSTRAINT apps_id_check CHECK ((length(id) = 7))
);


--
-- Name: challenges; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.challenges (
    app_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    session_id text NOT NULL COLLATE pg_catalog."C",
    scope text NOT NULL COLLATE pg_catalog."C",
    grant_mode text NOT NULL,
    granted_for bigint NOT NULL,
    steps text NOT NULL,
    new_identifier text,
    created_at bigint NOT NULL,
    token_id text NOT NULL,
    steps_done bigint NOT NULL,
    wrong_codes bigint NOT NULL,
    expires_at bigint NOT NULL,
    completed_at bigint,
    redeemed_at bigint,
    CONSTRAINT challenges_steps_done_check CHECK ((steps_done >= 0)),
    CONSTRAINT challenges_wrong_codes_check CHECK ((wrong_codes >= 0))
);


--
-- Name: copied_proofs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.copied_proofs (
    app_id text NOT NULL COLLATE pg_catalog."C",
    key bigint NOT NULL,
    expires_at bigint NOT NULL
);


--
-- Name: counters; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.counters (
    app_id text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    count bigint NOT NULL,
    resets_at bigint NOT NULL,
    CONSTRAINT counters_count_check CHECK ((count > 0))
)
WITH (fillfactor='70');


--
-- Name: deleted_redemptions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.deleted_redemptions (
    app_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    expiry_hour bigint NOT NULL,
    last_expiry bigint NOT NULL
);


--
-- Name: events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.events (
    app_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    sequence bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    data text NOT NULL,
    user_id text COLLATE pg_catalog."C",
    context text NOT NULL
);


--
-- Name: external_ids; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.external_ids (
    app_id text NOT NULL COLLATE pg_catalog."C",
    external_id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: grants; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.grants (
    app_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    session_id text NOT NULL COLLATE pg_catalog."C",
    scope text NOT NULL COLLATE pg_catalog."C",
    mode text NOT NULL,
    generation bigint NOT NULL,
    expires_at bigint NOT NULL,
    CONSTRAINT grants_mode_check CHECK ((mode = ANY (ARRAY['single-use'::text, 'session-bound'::text, 'profile-bound'::text])))
);


--
-- Name: identifiers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.identifiers (
    app_id text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL COLLATE pg_catalog."C",
    canonical text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL,
    user_id text NOT NULL COLLATE pg_catalog."C",
    "position" bigint NOT NULL,
    held_until bigint,
    CONSTRAINT identifiers_type_check CHECK ((type = ANY (ARRAY['phone_number'::text, 'email_address'::text])))
);


--
-- Name: management_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.management_keys (
    id text NOT NULL COLLATE pg_catalog."C",
    hash text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    app_id text COLLATE pg_catalog."C",
    role text NOT NULL,
    created_by text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    expires_at bigint,
    last_used_at bigint,
    CONSTRAINT management_keys_role_check CHECK ((role = ANY (ARRAY['read'::text, 'write'::text])))
);


--
-- Name: messages; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.messages (
    app_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL COLLATE pg_catalog."C",
    canonical text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL,
    content text NOT NULL,
    has_code boolean NOT NULL,
    context text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    status text NOT NULL,
    route bigint NOT NULL,
    rejected_routes text NOT NULL,
    attempts bigint NOT NULL,
    next_attempt_at bigint NOT NULL,
    last_failure text,
    CONSTRAINT messages_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'sent'::text, 'failed'::text, 'withheld'::text]))),
    CONSTRAINT messages_type_check CHECK ((type = ANY (ARRAY['phone_number'::text, 'email_address'::text])))
);


--
-- Name: prelude_session; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.prelude_session (
    id bigint NOT NULL,
    schema bigint NOT NULL,
    usable_from bigint
);


--
-- Name: proofs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.proofs (
    app_id text NOT NULL COLLATE pg_catalog."C",
    replay_key text NOT NULL COLLATE pg_catalog."C",
    expires_at bigint NOT NULL
);


--
-- Name: redemptions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.redemptions (
    app_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    expires_at bigint NOT NULL
);


--
-- Name: sessions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sessions (
    app_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    generation bigint NOT NULL,
    key_thumbprint text,
    last_proof text,
    last_attempt text,
    earlier_attempts text NOT NULL,
    demands_nonce boolean NOT NULL,
    scopes text NOT NULL,
    device_id text,
    device_model text NOT NULL,
    device_type text NOT NULL,
    os_version text NOT NULL,
    country_code text NOT NULL,
    created_at bigint NOT NULL,
    last_seen_at bigint NOT NULL,
    rotated_at bigint NOT NULL,
    settled_generation bigint NOT NULL,
    idle_expires_at bigint NOT NULL,
    absolute_expires_at bigint NOT NULL,
    revoked_at bigint,
    purge_hour bigint NOT NULL,
    CONSTRAINT sessions_generation_check CHECK ((generation >= 0))
)
WITH (fillfactor='70');


--
-- Name: settings_revision; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.settings_revision (
    id bigint NOT NULL,
    revision bigint NOT NULL
);


--
-- Name: signing_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.signing_keys (
    app_id text NOT NULL COLLATE pg_catalog."C",
    purpose text NOT NULL COLLATE pg_catalog."C",
    key_id text NOT NULL COLLATE pg_catalog."C",
    algorithm text NOT NULL,
    sealed_private_key bytea NOT NULL,
    created_at bigint NOT NULL,
    active_from bigint NOT NULL,
    retires_at bigint,
    remove_after bigint,
    sequence bigint NOT NULL,
    CONSTRAINT signing_keys_purpose_check CHECK ((purpose = ANY (ARRAY['access'::text, 'challenge'::text, 'hook'::text])))
);


--
-- Name: users; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.users (
    app_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    status text NOT NULL,
    external_id text COLLATE pg_catalog."C",
    profile text NOT NULL,
    password_hash text,
    login_epoch bigint DEFAULT 0 NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    locale text,
    CONSTRAINT users_status_check CHECK ((status = ANY (ARRAY['active'::text, 'inactive'::text, 'suspended'::text])))
);


--
-- Name: verifications; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.verifications (
    app_id text NOT NULL COLLATE pg_catalog."C",
    token_hash text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL COLLATE pg_catalog."C",
    canonical text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL,
    login_config_id text NOT NULL,
    code_challenge text,
    is_suppressed boolean NOT NULL,
    code_hash text NOT NULL,
    code_seed text,
    code_expires_at bigint NOT NULL,
    previous_code_hash text,
    previous_code_expires_at bigint,
    checks bigint NOT NULL,
    sends bigint NOT NULL,
    last_sent_at bigint NOT NULL,
    created_at bigint NOT NULL,
    payers text DEFAULT ''::text NOT NULL,
    CONSTRAINT verifications_checks_check CHECK ((checks >= 0)),
    CONSTRAINT verifications_sends_check CHECK ((sends >= 0))
);


--
-- Name: webhook_deliveries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhook_deliveries (
    app_id text NOT NULL COLLATE pg_catalog."C",
    webhook_id text NOT NULL COLLATE pg_catalog."C",
    event_id text NOT NULL COLLATE pg_catalog."C",
    sequence bigint NOT NULL,
    status text NOT NULL,
    attempts bigint NOT NULL,
    next_attempt_at bigint NOT NULL,
    last_status bigint,
    last_error text,
    delivered_at bigint,
    CONSTRAINT webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
);


--
-- Name: webhooks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhooks (
    app_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    url text NOT NULL,
    events text NOT NULL,
    status text NOT NULL,
    verification_token text NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    CONSTRAINT webhooks_status_check CHECK ((status = ANY (ARRAY['inactive'::text, 'active'::text])))
);


--
-- Data for Name: apps; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.apps VALUES ('devapp1', 1795932199336, '{"allowedOrigins":[],"blocks":[],"createdAt":1795932199336,"delivery":{"createdAt":1795932199491,"email":[{"sealedSecret":"cnR3TnRlSFe4bfDFqTnSY2Gaab000yBDATwczODfe_LIxXChDrDMX-NlbpMjdK0rJaY","settings":{"from":"a@example.com","host":"smtp.example.com","kind":"smtp","username":"login"}}],"sms":[],"updatedAt":1795932199491},"developmentTokens":true,"domains":[],"eventRetention":30,"id":"devapp1","messages":{"defaultLocale":"en","notices":{"identifierAdded":true,"identifierRemoved":true,"newDevice":false,"passwordChanged":true,"sessionsEnded":true},"templates":[]},"name":"Development","newIdentifierHold":259200,"otpLimits":{"allowedPrefixes":[],"appSendsPerDay":10000,"callingCodeSendsPerDay":2000,"checksPerCode":5,"codeLifetime":600,"consecutiveFailures":99,"deliveryTests":{"limit":10,"window":600},"failedChecks":{"limit":10,"window":3600},"failedChecksPerDay":19,"failuresPerAddress":{"limit":60,"window":600},"invalidCallsPerAddress":{"limit":60,"window":600},"migrationsPerAddress":{"limit":150,"window":600},"noticesPerDay":5,"numberRangeSendsPerDay":500,"resendDelay":30,"sendsPerDay":10,"sendsPerHour":5,"sendsPerVerification":5,"starts":{"limit":5,"window":600},"startsPerAddress":{"limit":150,"window":600},"stepUps":{"limit":30,"window":600}},"otpLogins":[{"channel":"sms","codeSize":6,"createdAt":1795932199320,"grantedScopes":[],"id":"lcfg_01m8jyd6d9e1ekqyvzbzn58xhn","isDefault":true,"updatedAt":1795932199320},{"channel":"email","codeSize":6,"createdAt":1795932199320,"grantedScopes":[],"id":"lcfg_01m8jyd6d9zfc4adtqwfx0zmn6","isDefault":true,"updatedAt":1795932199320},{"channel":"email","codeSize":6,"createdAt":1795932199320,"grantedScopes":["prld:pwd:write"],"id":"lcfg_reset","isDefault":false,"updatedAt":1795932199320}],"passwordChangeEndsOtherSessions":true,"passwordLogin":{"createdAt":1795932199320,"enabled":true,"identifierLimit":{"limit":10,"window":900},"ipLimit":{"limit":30,"window":600},"policy":{"lowercase":0,"maxLength":256,"minLength":8,"numbers":0,"symbols":0,"uppercase":0},"rejectsCommonPasswords":true,"updatedAt":1795932199320},"registerInOneStep":false,"scopes":["prld:pwd:write","transfer:write","reports:read"],"sessions":{"absoluteLifetime":31536000,"accessTokenBinding":"none","accessTokenLifetime":300,"deviceKey":"optional","idleLifetime":2592000,"maximumSessions":100,"noncePolicy":"when_needed","proofWindow":60,"unboundGrace":10},"signUp":true,"signingAlgorithm":"EdDSA","stepUp":{"createdAt":1795932199320,"rules":[{"mode":{"direct":{"_0":["email_address"],"_1":{"review":{"_0":{"grantedFor":300,"mode":"single-use"},"steps":[{"expirationDuration":600,"key":"verify_email","order":1}]}}}},"scope":"prld:pwd:write"},{"mode":{"direct":{"_0":["phone_number"],"_1":{"review":{"_0":{"grantedFor":300,"mode":"single-use"},"steps":[{"expirationDuration":600,"key":"verify_sms","order":1}]}}}},"scope":"prld:pwd:write"},{"mode":{"direct":{"_0":["email_address"],"_1":{"review":{"_0":{"grantedFor":300,"mode":"session-bound"},"steps":[{"expirationDuration":600,"key":"verify_email","order":1}]}}}},"scope":"transfer:write"},{"mode":{"direct":{"_0":["phone_number"],"_1":{"review":{"_0":{"grantedFor":300,"mode":"session-bound"},"steps":[{"expirationDuration":600,"key":"verify_sms","order":1}]}}}},"scope":"transfer:write"}],"stepKeys":[],"updatedAt":1795932199320}}');


--
-- Data for Name: challenges; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: copied_proofs; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: counters; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.counters VALUES ('devapp1', 'notice/password_changed/usr_01m8jyd6kwv4nd48c2x8xgp82a', 1, 1796018599752);
INSERT INTO public.counters VALUES ('devapp1', 'otp-start/email_address:ada@example.com', 2, 1795932799522);
INSERT INTO public.counters VALUES ('devapp1', 'sent-hour/email_address:ada@example.com', 2, 1795935799522);
INSERT INTO public.counters VALUES ('devapp1', 'sent-day/email_address:ada@example.com', 2, 1796018599522);
INSERT INTO public.counters VALUES ('devapp1', 'sends', 257200, 1796018599772);


--
-- Data for Name: deleted_redemptions; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: events; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.events VALUES ('devapp1', 'evt_01m8jyd6dappc101xqsva783ev', 1839034572145715203, 'management.app.created', 1795932199338, '{"settings":{"allowed_origins":[],"development_tokens":true,"domains":[],"event_retention":30,"id":"devapp1","limits.allowed_prefixes":[],"limits.app_sends_per_day":10000,"limits.calling_code_sends_per_day":2000,"limits.checks_per_code":5,"limits.code_lifetime":600,"limits.consecutive_failed_checks":99,"limits.delivery_tests.limit":10,"limits.delivery_tests.window":600,"limits.failed_checks.limit":10,"limits.failed_checks.window":3600,"limits.failed_checks_per_day":20,"limits.failures_per_address.limit":60,"limits.failures_per_address.window":600,"limits.invalid_calls_per_address.limit":60,"limits.invalid_calls_per_address.window":600,"limits.migrations_per_address.limit":150,"limits.migrations_per_address.window":600,"limits.notices_per_day":5,"limits.number_range_sends_per_day":500,"limits.resend_delay":30,"limits.sends_per_day":10,"limits.sends_per_hour":5,"limits.sends_per_verification":5,"limits.starts.limit":5,"limits.starts.window":600,"limits.starts_per_address.limit":150,"limits.starts_per_address.window":600,"limits.step_ups.limit":30,"limits.step_ups.window":600,"login.otp.lcfg_01m8jyd6d9e1ekqyvzbzn58xhn.channel_type":"sms","login.otp.lcfg_01m8jyd6d9e1ekqyvzbzn58xhn.code_size":6,"login.otp.lcfg_01m8jyd6d9e1ekqyvzbzn58xhn.granted_scopes":[],"login.otp.lcfg_01m8jyd6d9e1ekqyvzbzn58xhn.is_default":true,"login.otp.lcfg_01m8jyd6d9zfc4adtqwfx0zmn6.channel_type":"email","login.otp.lcfg_01m8jyd6d9zfc4adtqwfx0zmn6.code_size":6,"login.otp.lcfg_01m8jyd6d9zfc4adtqwfx0zmn6.granted_scopes":[],"login.otp.lcfg_01m8jyd6d9zfc4adtqwfx0zmn6.is_default":true,"login.otp.lcfg_reset.channel_type":"email","login.otp.lcfg_reset.code_size":6,"login.otp.lcfg_reset.granted_scopes":["prld:pwd:write"],"login.otp.lcfg_reset.is_default":false,"login.password.enabled":true,"login.password.password_compliancy.lowercase":0,"login.password.password_compliancy.max_length":256,"login.password.password_compliancy.min_length":8,"login.password.password_compliancy.numbers":0,"login.password.password_compliancy.symbols":0,"login.password.password_compliancy.uppercase":0,"login.password.reject_common_passwords":true,"name":"Development","new_identifier_hold":259200,"notices.identifier_added":true,"notices.identifier_removed":true,"notices.new_device":false,"notices.password_changed":true,"notices.sessions_ended":true,"password_change_ends_other_sessions":true,"register_in_one_step":false,"scopes":["prld:pwd:write","transfer:write"],"sessions.absolute_lifetime":31536000,"sessions.access_token_binding":"none","sessions.access_token_lifetime":300,"sessions.device_key":"optional","sessions.idle_lifetime":2592000,"sessions.maximum_sessions":100,"sessions.nonce_policy":"when_needed","sessions.proof_window":60,"sessions.unbound_grace":10,"sign_up":true,"signing_algorithm":"EdDSA","stepup.allowed_scopes":[{"direct":{"grant_mode":"single-use","granted_for":300,"identifier_types":["email_address"],"status":"review","steps":[{"expiration_duration":600,"key":"verify_email","order":1}]},"mode":"direct","scope":"prld:pwd:write"},{"direct":{"grant_mode":"single-use","granted_for":300,"identifier_types":["phone_number"],"status":"review","steps":[{"expiration_duration":600,"key":"verify_sms","order":1}]},"mode":"direct","scope":"prld:pwd:write"},{"direct":{"grant_mode":"session-bound","granted_for":300,"identifier_types":["email_address"],"status":"review","steps":[{"expiration_duration":600,"key":"verify_email","order":1}]},"mode":"direct","scope":"transfer:write"},{"direct":{"grant_mode":"session-bound","granted_for":300,"identifier_types":["phone_number"],"status":"review","steps":[{"expiration_duration":600,"key":"verify_sms","order":1}]},"mode":"direct","scope":"transfer:write"}],"stepup.jwks_url":"","stepup.step_keys":[],"templates.default_locale":"en"}}', NULL, '{"actor":{"type":"service"}}');
INSERT INTO public.events VALUES ('devapp1', 'evt_01m8jyd6hqr2jz9y6etqeynf5f', 1839034572268178433, 'management.app.updated', 1795932199479, '{"changes":{"limits.failed_checks_per_day":{"after":19,"before":20}}}', NULL, '{"actor":{"name":"configured","type":"configuration"},"ip":"127.0.0.1","request_id":"req_01m8jyd6hfvcsw2gaafh2f505p"}');
INSERT INTO public.events VALUES ('devapp1', 'evt_01m8jyd6j6a9b8et45kxrbm5v2', 1839034572283806721, 'management.app.updated', 1795932199494, '{"changes":{"delivery.email":{"after":[{"from":"a@example.com","host":"smtp.example.com","secret":"(hidden)","type":"smtp","username":"login"}],"before":null}}}', NULL, '{"actor":{"name":"configured","type":"configuration"},"ip":"127.0.0.1","request_id":"req_01m8jyd6hwfea52fpjww34w01b"}');
INSERT INTO public.events VALUES ('devapp1', 'evt_01m8jyd6jmrytgjsjjwdtbtzxx', 1839034572297821185, 'management.app.updated', 1795932199508, '{"changes":{"scopes":{"after":["prld:pwd:write","transfer:write","reports:read"],"before":["prld:pwd:write","transfer:write"]}}}', NULL, '{"actor":{"name":"configured","type":"configuration"},"ip":"127.0.0.1","request_id":"req_01m8jyd6jh0th026cx4516trv5"}');
INSERT INTO public.events VALUES ('devapp1', 'evt_01m8jyd6m36vqhbcr9myn5y4v8', 1839034572351462409, 'user.created', 1795932199555, '{"user_id":"usr_01m8jyd6kwv4nd48c2x8xgp82a"}', 'usr_01m8jyd6kwv4nd48c2x8xgp82a', '{"actor":{"type":"client"},"device":{"country_code":"","model":"","os_version":"","type":"unknown"},"ip":"127.0.0.1","request_id":"req_01m8jyd6kv6xr4a40gfcm0jxs4","user_agent":""}');
INSERT INTO public.events VALUES ('devapp1', 'evt_01m8jyd6mpqy05kt81fyqzph07', 1839034572371015683, 'user.session.created', 1795932199574, '{"method":"otp_email","session_id":"ses_01m8jyd62r9hcxafr0qx821jea","user_id":"usr_01m8jyd6kwv4nd48c2x8xgp82a"}', 'usr_01m8jyd6kwv4nd48c2x8xgp82a', '{"actor":{"type":"client"},"device":{"country_code":"","model":"","os_version":"","type":"unknown"},"ip":"127.0.0.1","request_id":"req_01m8jyd6mdyhr7rsfhef6b79pp","user_agent":""}');
INSERT INTO public.events VALUES ('devapp1', 'evt_01m8jyd6tgavbc49gzqvf2ke3e', 1839034572557563909, 'user.password.updated', 1795932199760, '{"user_id":"usr_01m8jyd6kwv4nd48c2x8xgp82a"}', 'usr_01m8jyd6kwv4nd48c2x8xgp82a', '{"actor":{"name":"configured","type":"configuration"},"ip":"127.0.0.1","request_id":"req_01m8jyd6p0y2qjs709c8d4z497"}');
INSERT INTO public.events VALUES ('devapp1', 'evt_01m8jyd6tgfhr5gqg9hhm07zjx', 1839034572558345224, 'user.session.revoked', 1795932199760, '{"reason":"password_changed","session_id":"ses_01m8jyd62r9hcxafr0qx821jea","user_id":"usr_01m8jyd6kwv4nd48c2x8xgp82a"}', 'usr_01m8jyd6kwv4nd48c2x8xgp82a', '{"actor":{"name":"configured","type":"configuration"},"ip":"127.0.0.1","request_id":"req_01m8jyd6p0y2qjs709c8d4z497"}');
INSERT INTO public.events VALUES ('devapp1', 'evt_01m8jyd6w3mmp7pwapwq2dmd8k', 1839034572609081347, 'user.session.created', 1795932199811, '{"method":"otp_email","session_id":"ses_01m8jyd62rzx2c0zrr90xtrpmx","user_id":"usr_01m8jyd6kwv4nd48c2x8xgp82a"}', 'usr_01m8jyd6kwv4nd48c2x8xgp82a', '{"actor":{"type":"client"},"device":{"country_code":"","model":"","os_version":"","type":"unknown"},"ip":"127.0.0.1","request_id":"req_01m8jyd6w1mnv9mm2jx5fjfmff","user_agent":""}');
INSERT INTO public.events VALUES ('devapp1', 'evt_01m8jyd6wffqvn2zq7e5c1kryt', 1839034572622431234, 'user.created', 1795932199823, '{"user_id":"usr_01m8jyd6wfp5yc032b25nc75zy"}', 'usr_01m8jyd6wfp5yc032b25nc75zy', '{"actor":{"name":"configured","type":"configuration"},"ip":"127.0.0.1","request_id":"req_01m8jyd6we58k95brznyx7abnm"}');
INSERT INTO public.events VALUES ('-', 'evt_01m8jyd730efbka4f3054f6363', 1839034572834574337, 'management.key.created', 1795932200032, '{"key_id":"mk_01m8jyd72jbg1h54hq8ayackqv","name":"backend","role":"write"}', NULL, '{"actor":{"type":"command_line"}}');


--
-- Data for Name: external_ids; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.external_ids VALUES ('devapp1', '4711', 'usr_01m8jyd6wfp5yc032b25nc75zy');


--
-- Data for Name: grants; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: identifiers; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.identifiers VALUES ('devapp1', 'email_address', 'ada@example.com', 'ada@example.com', 'usr_01m8jyd6kwv4nd48c2x8xgp82a', 1, NULL);
INSERT INTO public.identifiers VALUES ('devapp1', 'phone_number', '+33612345678', '+33612345678', 'usr_01m8jyd6wfp5yc032b25nc75zy', 1, NULL);


--
-- Data for Name: management_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.management_keys VALUES ('mk_01m8jyd72jbg1h54hq8ayackqv', '15vKe3F4deFWM7glhcEbHby6RtZK47l-hM3ic9So6dY', 'backend', NULL, 'write', 'command_line', 1795932200018, NULL, NULL);


--
-- Data for Name: messages; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.messages VALUES ('devapp1', 'msg_01m8jyd6tw0crvpnswg90z914c', 'email_address', 'ada@example.com', 'ada@example.com', '{"code":{"keyID":"rtwNteHW","number":"ZoC1Z1i7wPhhHMVwgeAWfQ","size":6,"verification":"7zEKjAFG8MyQiIVt-FuZSdVEB-eT1c4FmSxOBSXHfhs"},"locales":[],"purpose":"sign_in","sender":{},"userID":"usr_01m8jyd6kwv4nd48c2x8xgp82a","values":{}}', true, '{"actor":{"type":"client"},"device":{"country_code":"","model":"","os_version":"","type":"unknown"},"ip":"127.0.0.1","request_id":"req_01m8jyd6tvea7kf2v3bfnrc7b6","user_agent":""}', 1795932199772, 1795932799772, 'pending', 0, '[]', 1, 1795932201784, '{"mayBeSent":false,"reason":"the name cannot be resolved: smtp.example.com: Name or service not known","route":"smtp","stage":"name_resolution"}');
INSERT INTO public.messages VALUES ('devapp1', 'msg_01m8jyd6tg5zztawbgc8j092m0', 'email_address', 'ada@example.com', 'ada@example.com', '{"locales":[],"purpose":"notice","sender":{},"userID":"usr_01m8jyd6kwv4nd48c2x8xgp82a","values":{"notice":"password_changed","time":"1795932199752"}}', false, '{"actor":{"name":"configured","type":"configuration"},"ip":"127.0.0.1","request_id":"req_01m8jyd6p0y2qjs709c8d4z497"}', 1795932199752, 1796018599752, 'pending', 0, '[]', 1, 1795932201791, '{"mayBeSent":false,"reason":"the name cannot be resolved: smtp.example.com: Name or service not known","route":"smtp","stage":"name_resolution"}');


--
-- Data for Name: prelude_session; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.prelude_session VALUES (1, 16, 10);


--
-- Data for Name: proofs; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.proofs VALUES ('devapp1', 'uCxRErEt4FPTjBjRMR-Gcjp4-KDkq4UHQ7Cthh0BNh0', 1795933159566);
INSERT INTO public.proofs VALUES ('devapp1', 'Uz8GJ6AvLSglaiC4nRDh6Nv0wq-mUPVdoC4kk4ssNlA', 1795933159590);
INSERT INTO public.proofs VALUES ('devapp1', 'IH2C2SBhrbqvgHnQdI8PySxyxPzcZTNqHKGSBR_Tr2A', 1795933159809);


--
-- Data for Name: redemptions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.redemptions VALUES ('devapp1', 'chl_01m8jyd6ma7n3n4adhszq88p5a', 'login', 1795932499000);
INSERT INTO public.redemptions VALUES ('devapp1', 'chl_01m8jyd6vv6wj16khsgsm7vhsv', 'login', 1795932499000);


--
-- Data for Name: sessions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.sessions VALUES ('devapp1', 'ses_01m8jyd62r9hcxafr0qx821jea', 'usr_01m8jyd6kwv4nd48c2x8xgp82a', 1, 'S374_I6MXxlUfLoM1aevUDuG0cV4nGd5o33mh3OEARg', 'Uz8GJ6AvLSglaiC4nRDh6Nv0wq-mUPVdoC4kk4ssNlA', '8V2md7SdaegdXG9rr77GRxlGKukxjMahtIy8mNUYz9s', '', false, '', NULL, '', 'unknown', '', '', 1795932199566, 1795932199590, 1795932199590, 0, 1798524199590, 1827468199566, 1795932199752, 499591);
INSERT INTO public.sessions VALUES ('devapp1', 'ses_01m8jyd62rzx2c0zrr90xtrpmx', 'usr_01m8jyd6kwv4nd48c2x8xgp82a', 0, '65NBZyb1UJp3WmXxiEFjD-WIBu2K4FzBI7kolfUzvkY', NULL, NULL, '', false, '', NULL, '', 'unknown', '', '', 1795932199809, 1795932199809, 1795932199809, 0, 1798524199809, 1827468199809, NULL, 500311);


--
-- Data for Name: settings_revision; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.settings_revision VALUES (1, 4);


--
-- Data for Name: signing_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.signing_keys VALUES ('devapp1', 'access', 'eoe-SjmfGg0m537t0YDyqH0bJAQ8g8hWISI1VRo6chg', 'EdDSA', '\x7274774e746548571a8967a0803df9091393df6f16f7a88a37e01419d7f1baa9abfcdff2f53205eb82610a5a2b70bc0a954be68986b88c77acd0f58deb262a4e5d511219', 1795932199337, 1795932199337, NULL, NULL, 1839034572139785217);
INSERT INTO public.signing_keys VALUES ('devapp1', 'challenge', 'jEtS9j83veb9CX4vHHnpuSOXz9dfnTFMrBZE4qZppA8', 'EdDSA', '\x7274774e74654857f7bc7eca857341a36246cb5e93ff5de2be6ca1ef076bf6130258aac52957f960a9a9115f2d3d4bda5dbf024d09713d6828093ace61bd268883475957', 1795932199337, 1795932199337, NULL, NULL, 1839034572145570818);


--
-- Data for Name: users; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.users VALUES ('devapp1', 'usr_01m8jyd6kwv4nd48c2x8xgp82a', 'active', NULL, '{}', '$argon2id$v=19$m=19456,t=2,p=1$8y02tetTNKW7I7HcmMtINQ$SIKTTfJbvr8uOsV6ytwZHJruO/JenqWhsGNiIELmcIY', 1, 1795932199548, 1795932199752, NULL);
INSERT INTO public.users VALUES ('devapp1', 'usr_01m8jyd6wfp5yc032b25nc75zy', 'active', '4711', '{"plan":"gold"}', NULL, 0, 1795932199823, 1795932199823, NULL);


--
-- Data for Name: verifications; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: webhook_deliveries; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: webhooks; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Name: apps apps_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.apps
    ADD CONSTRAINT apps_pkey PRIMARY KEY (id);


--
-- Name: challenges challenges_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.challenges
    ADD CONSTRAINT challenges_pkey PRIMARY KEY (app_id, id);


--
-- Name: copied_proofs copied_proofs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.copied_proofs
    ADD CONSTRAINT copied_proofs_pkey PRIMARY KEY (app_id, key);


--
-- Name: counters counters_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.counters
    ADD CONSTRAINT counters_pkey PRIMARY KEY (app_id, key);


--
-- Name: deleted_redemptions deleted_redemptions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.deleted_redemptions
    ADD CONSTRAINT deleted_redemptions_pkey PRIMARY KEY (app_id, kind, expiry_hour);


--
-- Name: events events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (app_id, id);


--
-- Name: external_ids external_ids_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.external_ids
    ADD CONSTRAINT external_ids_pkey PRIMARY KEY (app_id, external_id);


--
-- Name: grants grants_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.grants
    ADD CONSTRAINT grants_pkey PRIMARY KEY (app_id, user_id, id);


--
-- Name: identifiers identifiers_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.identifiers
    ADD CONSTRAINT identifiers_pkey PRIMARY KEY (app_id, type, canonical);


--
-- Name: management_keys management_keys_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.management_keys
    ADD CONSTRAINT management_keys_hash_key UNIQUE (hash);


--
-- Name: management_keys management_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.management_keys
    ADD CONSTRAINT management_keys_pkey PRIMARY KEY (id);


--
-- Name: messages messages_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_pkey PRIMARY KEY (app_id, id);


--
-- Name: prelude_session prelude_session_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.prelude_session
    ADD CONSTRAINT prelude_session_pkey PRIMARY KEY (id);


--
-- Name: proofs proofs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.proofs
    ADD CONSTRAINT proofs_pkey PRIMARY KEY (app_id, replay_key);


--
-- Name: redemptions redemptions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.redemptions
    ADD CONSTRAINT redemptions_pkey PRIMARY KEY (app_id, id);


--
-- Name: sessions sessions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (app_id, id);


--
-- Name: settings_revision settings_revision_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.settings_revision
    ADD CONSTRAINT settings_revision_pkey PRIMARY KEY (id);


--
-- Name: signing_keys signing_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.signing_keys
    ADD CONSTRAINT signing_keys_pkey PRIMARY KEY (app_id, purpose, key_id);


--
-- Name: users users_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (app_id, id);


--
-- Name: verifications verifications_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.verifications
    ADD CONSTRAINT verifications_pkey PRIMARY KEY (app_id, token_hash);


--
-- Name: webhook_deliveries webhook_deliveries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (app_id, webhook_id, event_id);


--
-- Name: webhooks webhooks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (app_id, id);


--
-- Name: challenges_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX challenges_by_expiry ON public.challenges USING btree (expires_at);


--
-- Name: challenges_by_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX challenges_by_session ON public.challenges USING btree (app_id, session_id, created_at);


--
-- Name: challenges_by_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX challenges_by_user ON public.challenges USING btree (app_id, user_id);


--
-- Name: copied_proofs_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX copied_proofs_by_expiry ON public.copied_proofs USING btree (expires_at);


--
-- Name: counters_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX counters_by_expiry ON public.counters USING btree (resets_at);


--
-- Name: events_by_actor; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX events_by_actor ON public.events USING btree (app_id, "substring"(context, '^[{]"actor":[{]"id":"([A-Za-z0-9_]+)"'::text), created_at, sequence) WHERE ("substring"(context, '^[{]"actor":[{]"id":"([A-Za-z0-9_]+)"'::text) IS NOT NULL);


--
-- Name: events_by_name; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX events_by_name ON public.events USING btree (app_id, name, created_at, sequence);


--
-- Name: events_by_sequence; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX events_by_sequence ON public.events USING btree (sequence);


--
-- Name: events_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX events_by_time ON public.events USING btree (app_id, created_at, sequence);


--
-- Name: events_by_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX events_by_user ON public.events USING btree (app_id, user_id, created_at, sequence);


--
-- Name: external_ids_by_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX external_ids_by_user ON public.external_ids USING btree (app_id, user_id);


--
-- Name: grants_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX grants_by_expiry ON public.grants USING btree (expires_at);


--
-- Name: grants_by_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX grants_by_session ON public.grants USING btree (app_id, session_id);


--
-- Name: identifiers_by_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX identifiers_by_user ON public.identifiers USING btree (app_id, user_id, "position");


--
-- Name: messages_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX messages_by_expiry ON public.messages USING btree (expires_at) WHERE (status <> 'pending'::text);


--
-- Name: messages_by_recipient; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX messages_by_recipient ON public.messages USING btree (app_id, type, canonical);


--
-- Name: messages_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX messages_due ON public.messages USING btree (app_id, type, route, next_attempt_at, id) WHERE (status = 'pending'::text);


--
-- Name: proofs_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX proofs_by_expiry ON public.proofs USING btree (expires_at);


--
-- Name: redemptions_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX redemptions_by_expiry ON public.redemptions USING btree (expires_at, app_id, id);


--
-- Name: sessions_by_purge_hour; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX sessions_by_purge_hour ON public.sessions USING btree (purge_hour);


--
-- Name: sessions_by_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX sessions_by_user ON public.sessions USING btree (app_id, user_id);


--
-- Name: users_by_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX users_by_age ON public.users USING btree (app_id, created_at, id);


--
-- Name: verifications_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX verifications_by_expiry ON public.verifications USING btree (code_expires_at);


--
-- Name: verifications_by_identifier; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX verifications_by_identifier ON public.verifications USING btree (app_id, type, canonical);


--
-- Name: webhook_deliveries_by_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhook_deliveries_by_age ON public.webhook_deliveries USING btree (app_id, webhook_id, sequence);


--
-- Name: webhook_deliveries_by_event; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhook_deliveries_by_event ON public.webhook_deliveries USING btree (app_id, event_id);


--
-- Name: webhook_deliveries_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (app_id, webhook_id, next_attempt_at) WHERE (status = 'pending'::text);


--
-- Name: challenges challenges_app_id_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.challenges
    ADD CONSTRAINT challenges_app_id_session_id_fkey FOREIGN KEY (app_id, session_id) REFERENCES public.sessions(app_id, id) ON DELETE CASCADE;


--
-- Name: external_ids external_ids_app_id_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.external_ids
    ADD CONSTRAINT external_ids_app_id_user_id_fkey FOREIGN KEY (app_id, user_id) REFERENCES public.users(app_id, id) ON DELETE CASCADE;


--
-- Name: grants grants_app_id_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.grants
    ADD CONSTRAINT grants_app_id_session_id_fkey FOREIGN KEY (app_id, session_id) REFERENCES public.sessions(app_id, id) ON DELETE CASCADE;


--
-- Name: identifiers identifiers_app_id_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.identifiers
    ADD CONSTRAINT identifiers_app_id_user_id_fkey FOREIGN KEY (app_id, user_id) REFERENCES public.users(app_id, id) ON DELETE CASCADE;


--
-- Name: sessions sessions_app_id_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_app_id_user_id_fkey FOREIGN KEY (app_id, user_id) REFERENCES public.users(app_id, id) ON DELETE CASCADE;


--
-- Name: signing_keys signing_keys_app_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.signing_keys
    ADD CONSTRAINT signing_keys_app_id_fkey FOREIGN KEY (app_id) REFERENCES public.apps(id) ON DELETE CASCADE;


--
-- Name: webhook_deliveries webhook_deliveries_app_id_event_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_app_id_event_id_fkey FOREIGN KEY (app_id, event_id) REFERENCES public.events(app_id, id) ON DELETE CASCADE;


--
-- Name: webhook_deliveries webhook_deliveries_app_id_webhook_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_app_id_webhook_id_fkey FOREIGN KEY (app_id, webhook_id) REFERENCES public.webhooks(app_id, id) ON DELETE CASCADE;


--
-- Name: webhooks webhooks_app_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_app_id_fkey FOREIGN KEY (app_id) REFERENCES public.apps(id) ON DELETE CASCADE;


--
-- PostgreSQL database dump complete
--


