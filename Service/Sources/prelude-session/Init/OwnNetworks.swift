import SessionDomain
import SessionEgress

/// The private networks of the operator that a new service may call.
struct OwnNetworks {
    private(set) var texts: [String]

    /// Adds the network of a server that would be rejected, as the operator answers.
    ///
    /// - Parameters:
    ///   - flag: The flag that names the server.
    ///   - url: A URL with the host of the server.
    ///   - suggestion: The network for an empty line.
    /// - Throws: `ConfigurationError` without a terminal.
    mutating func allow(_ flag: String, _ url: String, suggestion: String?, asking interview: inout Interview) throws {
        while let problem = problem(with: url) {
            guard interview.isOnTerminal else { throw ConfigurationError(flag, problem) }
            let network = try interview.answer(
                "--egress-network", nil, "Its address is private. Network that the service may call",
                suggestion: suggestion
            ) { text in
                guard IPNetwork(text) != nil else {
                    throw ValidationProblem("must be an address or a network, such as 10.1.2.3 or 10.0.0.0/8")
                }
                return text
            }
            texts.append(network)
        }
    }

    private func problem(with url: String) -> String? {
        do {
            try EgressPolicy(allowedNetworks: texts.compactMap { IPNetwork($0) }).validate(url: url)
            return nil
        } catch {
            return Self.problem(error)
        }
    }

    /// What is wrong with a host or URL of the configuration, with the remedy.
    static func problem(_ error: EgressError) -> String {
        guard case .refusedAddress = error else { return error.summary }
        return error.summary + ". If the server is yours, allow its network with --egress-network (egressNetworks)"
    }
}
