import Foundation

@testable import prelude_session

extension ConfigurationTableTests.Row {
    private static let valid = ConfigurationTableTests.valid

    private static func variables(_ variables: [String: String]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: variables.map { ("PRELUDE_SESSION_\($0.key)", $0.value) })
    }

    /// Settings of mail and SMS.
    static let delivery = [
        ConfigurationTableTests.Row(
            testDescription: "routes that are complete",
            file:
                "{\(valid), \"emailRoute\": \"smtp\", \"emailHost\": \"mail.example.com\", \"emailFrom\": \"a@example.com\"}",
            errors: []),
        ConfigurationTableTests.Row(
            testDescription: "further domains of senders",
            file: """
                {\(valid), "emailRoute": "smtp", "emailHost": "mail.example.com", "emailFrom": "a@example.com",
                "emailSenderDomains": ["shop.example", "bücher.example"]}
                """,
            errors: []),
        ConfigurationTableTests.Row(
            testDescription: "a sender with a link, and a domain that is an address",
            file: """
                {\(valid), "emailRoute": "smtp", "emailHost": "mail.example.com",
                "emailFrom": "evil.com <a@example.com>",
                "emailSenderDomains": ["shop.example", "a@b.example"]}
                """,
            errors: [
                "FILE:2: emailFrom: must not contain evil.com",
                "FILE:3: emailSenderDomains: must be domains of mail addresses, such as example.com: \"a@b.example\" is none",
            ]),
        ConfigurationTableTests.Row(
            testDescription: "further domains of senders without a mail server",
            file: """
                {\(valid), "emailRoute": "webhook", "emailUrl": "https://b.example",
                "emailSenderDomains": "shop.example"}
                """,
            errors: ["FILE:2: emailSenderDomains: is a setting of smtp routes only"]),
        ConfigurationTableTests.Row(
            testDescription: "everything about a mail server at once",
            file: """
                {\(valid),
                "emailRoute": "smtp",
                "emailHost": "127.0.0.1",
                "emailPort": 0,
                "emailTls": "ssl",
                "emailUsername": "shop",
                "smsUrl": "https://sms.example.com"}
                """,
            environment: variables(["SMS_FALLBACK_ROUTE": "fax"]),
            errors: [
                "FILE:4: emailPort: must be a number from 1 to 65535",
                "FILE:5: emailTls: must be one of starttls, implicit",
                "FILE:2: emailFrom: is required for a smtp route",
                "FILE:2: emailSecret: is required with username, here or in emailSecretFile",
                "FILE:7: smsUrl: needs smsRoute: the type of the route",
                "PRELUDE_SESSION_SMS_FALLBACK_ROUTE: needs PRELUDE_SESSION_SMS_ROUTE, which is tried first",
                "PRELUDE_SESSION_SMS_FALLBACK_ROUTE: must be one of smtp, webhook, twilio, vonage, prelude",
                "FILE:3: emailHost: ",
            ]),
        ConfigurationTableTests.Row(
            testDescription: "an invalid first route does not take the name of the second one",
            file: "{\(valid)}",
            environment: variables([
                "EMAIL_ROUTE": "smpt", "EMAIL_FALLBACK_ROUTE": "smtp", "EMAIL_FALLBACK_HOST": "10.0.0.1",
                "EMAIL_FALLBACK_FROM": "a@example.com", "EMAIL_FALLBACK_USERNAME": "a",
                "EMAIL_FALLBACK_SECRET_FILE": "/nowhere",
            ]),
            errors: [
                "PRELUDE_SESSION_EMAIL_ROUTE: must be one of", "PRELUDE_SESSION_EMAIL_FALLBACK_HOST: ",
                "PRELUDE_SESSION_EMAIL_FALLBACK_SECRET_FILE: /nowhere: the file with the secret cannot be read: No such file",
            ]),
        ConfigurationTableTests.Row(
            testDescription: "a file with a secret for a route that has none",
            file:
                "{\(valid), \"smsRoute\": \"webhook\", \"smsUrl\": \"https://b.example\",\n\"smsSecretFile\": \"/dev/null\"}",
            errors: ["FILE:2: smsSecretFile: is not a setting of a webhook route"]),
    ]

    /// A route whose secret is in the environment and in a file.
    static let overriddenSecret = [
        ConfigurationTableTests.Row(
            testDescription: "a secret of the environment overrides a file of the settings file",
            file: "{\(valid), \"smsRoute\": \"twilio\", \"smsSecretFile\": \"/nowhere\"}",
            environment: variables(["SMS_ACCOUNT": account, "SMS_FROM": "+15005550006", "SMS_SECRET": "s3cret"]),
            errors: []),
        ConfigurationTableTests.Row(
            testDescription: "a file of the environment overrides a secret of the settings file",
            file: "{\(valid), \"smsRoute\": \"twilio\", \"smsSecret\": \"s3cret\"}",
            environment: variables(["SMS_ACCOUNT": account, "SMS_FROM": "+15005550006", "SMS_SECRET_FILE": "/nowhere"]),
            errors: ["PRELUDE_SESSION_SMS_SECRET_FILE: /nowhere: the file with the secret cannot be read: No such file"]
        ),
        ConfigurationTableTests.Row(
            testDescription: "both in one source contradict each other",
            file: "{\(valid), \"smsRoute\": \"twilio\", \"smsSecret\": \"s3cret\",\n\"smsSecretFile\": \"/nowhere\"}",
            environment: variables(["SMS_ACCOUNT": account, "SMS_FROM": "+15005550006"]),
            errors: ["FILE:2: smsSecretFile: is set, and smsSecret, too. Remove one of them"]),
    ]

    private static let account = "AC" + String(repeating: "0", count: 32)

    /// Variables that Kubernetes sets for a Service.
    static let kubernetes = [
        ConfigurationTableTests.Row(
            testDescription: "a Service with the name prelude-session", file: "{\(valid)}",
            environment: variables([
                "SERVICE_HOST": "10.0.0.11", "SERVICE_PORT": "8080", "SERVICE_PORT_HTTP": "8080",
                "PORT": "tcp://10.0.0.11:8080", "PORT_8080_TCP": "tcp://10.0.0.11:8080", "PORT_8080_TCP_PROTO": "tcp",
                "PORT_8080_TCP_PORT": "8080", "PORT_8080_TCP_ADDR": "10.0.0.11", "TRUSTED_PROXY": "10.0.0.1",
            ]),
            errors: [
                "PRELUDE_SESSION_PORT and 7 more: Kubernetes sets these variables for a Service, and their names are those "
                    + "of settings. Set `enableServiceLinks: false` in the spec of the pod",
                "PRELUDE_SESSION_TRUSTED_PROXY: is not a setting",
            ]),
        ConfigurationTableTests.Row(
            testDescription: "a Service whose name begins with prelude-session", file: "{\(valid)}",
            environment: variables(["MANAGEMENT_PORT": "tcp://10.0.0.11:8081", "MANAGEMENT_SERVICE_HOST": "10.0.0.11"]),
            errors: ["PRELUDE_SESSION_MANAGEMENT_PORT and 1 more: Kubernetes sets these variables"]),
        ConfigurationTableTests.Row(
            testDescription: "a port that is a setting", file: "{\(valid)}", environment: variables(["PORT": "8081"]),
            errors: []),
    ]
}
