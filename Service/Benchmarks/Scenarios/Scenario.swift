import SessionWire

/// What the connections of a phase do.
enum Scenario: Sendable, Hashable {
    case refresh, otpLogin, passwordLogin, list, stepUp, verify, mixed, bound
    /// A refresh of another server.
    case peerRefresh
    /// Signs in the device of each connection.
    case signIn
    /// Signs in a new user of each connection, who then steps up.
    case signInForStepUp
    /// One call of the management API.
    case manage(ManagementCall)

    var server: ServerKind {
        switch self {
        case .bound: .bound
        case .verify: .verifier
        case .peerRefresh: .peer
        default: .service
        }
    }

    /// The phase that each connection needs before: a new access token, or a new user.
    var preparation: Scenario? {
        switch self {
        case .list, .verify: .refresh
        case .stepUp: .signInForStepUp
        default: nil
        }
    }

    func operation(_ client: LoadClient, wires: [ServerKind: WireRequest]) throws -> any Operation {
        guard let wire = wires[server] else { throw BenchmarkError("\(server) is not connected") }
        switch self {
        case .refresh: return Refresh(client.device)
        case .bound: return BoundCall(client.device, wire: wire)
        case .otpLogin: return OTPLogin(client.login, numbers: client.returning)
        case .passwordLogin: return PasswordLogin(client.login, email: PasswordLogin.email(client.index))
        case .list:
            return AuthorizedCall("list sessions", client.device, wire: wire, path: FrontendPath.sessions.rawValue)
        case .verify: return AuthorizedCall("verify only", client.device, wire: wire, path: VerifierCommand.path)
        case .stepUp: return StepUp(client.stepUp, number: client.stepUpNumber)
        case .mixed:
            return Mixed(
                refresh: Refresh(client.device), login: OTPLogin(client.login, numbers: client.returning),
                offset: client.index)
        case .signIn: return OTPLogin(client.device, numbers: client.returning)
        case .signInForStepUp: return OTPLogin(client.stepUp, numbers: NumberPool(client.newStepUpNumber()))
        case .peerRefresh: throw BenchmarkError("a peer has its own sessions")
        case .manage(let call): return ManagementOperation(call, wire: wire)
        }
    }
}
