/// What operators read about a stage.
extension SendingFailure.Stage {
    /// The name of the stage in a report.
    package var label: String {
        switch self {
        case .nameResolution: "DNS"
        case .addressRules: "address"
        case .connection: "connect"
        case .tls: "TLS"
        case .authentication: "AUTH"
        case .sender: "sender"
        case .recipient: "recipient"
        case .content: "message"
        case .response: "answer"
        case .timeout: "time"
        }
    }

    /// What an operator can do about a failure at this stage, whatever the route is.
    package func remedy(host: String) -> String {
        switch self {
        case .nameResolution: "check the spelling of \(host) and the name servers of this machine"
        case .addressRules:
            "only public addresses are called. If the server is yours, allow its network with --egress-network"
        case .connection: "check that \(host) is running and that a firewall lets this machine connect to it"
        case .tls: "check that the certificate is valid for \(host); name your own authority with --egress-trust-roots"
        case .authentication: "check the account and the secret of the route"
        case .sender: "use a sender that the account may use"
        case .recipient: "check the recipient: the route will not deliver to it"
        case .content: "the provider rejects the text: check its templates and its filters"
        case .response: "retry later, and see the status page of the provider"
        case .timeout: "check the network between this machine and \(host), and retry"
        }
    }
}
