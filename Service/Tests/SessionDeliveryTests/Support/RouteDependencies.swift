import SessionDomain
import SessionEgress

@testable import SessionDelivery

/// A resolver that knows one address for every name.
struct FixedResolver: HostResolver {
    let answer: [String]

    func addresses(of host: String) async throws -> [String] { answer }
}

/// The dependencies of a route at a time that stands still.
func dependencies(
    _ egress: any Egress = FakeEgress(.timedOut), addresses: [String] = ["127.0.0.1"], allowing networks: [String] = [],
    workers: SMTPWorkers? = nil
) -> RouteDependencies {
    let policy = EgressPolicy(allowedNetworks: networks.compactMap { IPNetwork($0) })
    let environment = ServiceEnvironment(
        now: { now }, randomBytes: { Array(repeating: 0, count: $0) }, sleep: { _ in })
    return RouteDependencies(
        egress: egress, pinning: HostPinning(policy: policy, resolver: FixedResolver(answer: addresses)),
        workers: workers, trustRoots: nil, environment: environment)
}
