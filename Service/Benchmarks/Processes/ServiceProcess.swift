import Foundation

/// The service under test: its settings are the defaults, except the limits that one machine with all users would reach.
struct ServiceProcess {
    /// The app of development mode.
    static let app = "devapp1"

    let process: ChildProcess
    private let key: String
    private let backend: Int

    /// Starts the service in development mode, which allows plain HTTP on the loopback.
    ///
    /// - Parameters:
    ///   - folder: Gets the database and the log.
    ///   - backend: The port of the backend that sends SMS, and of the gateway.
    init(_ program: URL, folder: URL, port: Int, backend: Int, core: Int?) throws {
        self.backend = backend
        var generator = SystemRandomNumberGenerator()
        key = (0..<8).map { _ in String(UInt32.random(in: 0...UInt32.max, using: &generator), radix: 36) }.joined(
            separator: "-")
        process = try ChildProcess(
            "the service",
            [
                program.path, "serve", "--development", "--port", "\(port)", "--database",
                "sqlite:\(folder.appendingPathComponent("session.sqlite").path)", "--idle-timeout", "3600",
                // The first request of a connection comes when all servers have started.
                "--header-timeout", "600",
            ],
            core: core, log: folder.appendingPathComponent("service.log"),
            environment: [
                "PRELUDE_SESSION_MANAGEMENT_KEY": key, "PRELUDE_SESSION_SMS_ROUTE": "webhook",
                "PRELUDE_SESSION_SMS_URL": "http://127.0.0.1:\(backend)/sms",
            ])
    }

    /// The calls that raise limits, bind access tokens, add the rule for step-ups, and create users with passwords.
    func settings(passwordUsers: Int) -> [ManagementCall] {
        let rate = #"{"limit": 1000000, "window": 600}"#
        let passwordRate = #"{"ttl": 600000000000, "limit": 1000000}"#
        return [
            call(
                "PUT", "/config/limits",
                #"""
                {"starts": \#(rate), "failed_checks": \#(rate), "failed_checks_per_day": 1000000,
                "sends_per_hour": 1000000, "sends_per_day": 1000000, "app_sends_per_day": 100000000,
                "calling_code_sends_per_day": 100000000, "number_range_sends_per_day": 100000000}
                """#),
            call(
                "PUT", "/config/sessions",
                #"{"access_token_binding": "dpop", "access_token_lifetime": 900, "maximum_sessions": 1000}"#),
            call("POST", "/config/scopes", #"{"scope": "\#(StepUp.scope)"}"#),
            call(
                "PUT", "/config/stepup",
                #"""
                {"jwks_url": "", "step_keys": [], "allowed_scopes": [{"scope": "\#(StepUp.scope)", "mode": "direct",
                "direct": {"identifier_types": ["phone_number"], "status": "review", "granted_for": 300,
                "grant_mode": "single-use", "steps": [{"order": 1, "key": "verify_sms"}]}}]}
                """#),
            call(
                "PUT", "/config/login/password",
                #"{"rate_limit_login_ip": \#(passwordRate), "rate_limit_login_identifier": \#(passwordRate)}"#),
        ]
            + (0..<passwordUsers).map { index in
                call(
                    "POST", "/users",
                    #"""
                    {"identifiers": [{"type": "email_address", "value": "\#(PasswordLogin.email(index))"}],
                    "password": "\#(PasswordLogin.password)"}
                    """#)
            }
    }

    /// The call after which codes leave by a route.
    func use(_ route: SMSRoute) -> ManagementCall {
        call("PUT", "/config/delivery", #"{"sms": [\#(route.settings(port: backend))]}"#)
    }

    private func call(_ method: String, _ path: String, _ body: String) -> ManagementCall {
        ManagementCall(method: method, path: path, body: body, key: key)
    }
}
