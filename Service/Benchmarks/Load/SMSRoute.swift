/// How the service sends codes.
enum SMSRoute: String, CaseIterable, CustomStringConvertible {
    /// One of the built-in gateways. Its requests have a secret.
    case gateway
    /// The operator's own backend. Its requests have two RSA signatures.
    case webhook

    var description: String { rawValue }

    /// The settings of the route in the app.
    func settings(port: Int) -> String {
        switch self {
        case .gateway: #"{"type": "prelude", "url": "http://127.0.0.1:\#(port)", "secret": "of-the-benchmark"}"#
        case .webhook: #"{"type": "webhook", "url": "http://127.0.0.1:\#(port)/sms"}"#
        }
    }

    /// The member of a request that has the code.
    var codeMember: String {
        switch self {
        case .gateway: "custom_code"
        case .webhook: "code"
        }
    }

    /// The member of a request that has the phone number.
    var numberMember: String {
        switch self {
        case .gateway: "value"
        case .webhook: "to"
        }
    }
}
