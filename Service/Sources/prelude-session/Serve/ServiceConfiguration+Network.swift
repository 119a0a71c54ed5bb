import Foundation
import SessionDelivery
import SessionDomain
import SessionEgress
import SessionTokens

extension ServiceConfiguration {
    /// The origins at which apps reach the service. In development mode, the names of the loopback are accepted, too.
    func origins() throws -> PublicOrigins {
        let loopback = TargetURI.loopbackHosts.map { "\(tls == nil ? "http" : "https")://\($0):\(port)" }
        do {
            return try PublicOrigins(publicURL: publicURL ?? loopback[0], aliases: isDevelopment ? loopback : [])
        } catch {
            guard case .invalidField(_, let problem) = error else { throw error }
            throw settings.error(.publicUrl, problem)
        }
    }

    /// Which hosts hooks and webhooks may call. Development mode allows http and the loopback, because hooks then
    /// usually run on the same machine without a certificate.
    var egressPolicy: EgressPolicy {
        EgressPolicy(
            allowsPlainHTTP: isDevelopment, allowedNetworks: egressNetworks + (isDevelopment ? IPNetwork.loopback : []),
            additionalTrustRoots: egressTrustRoots)
    }

    /// Returns a client for outbound calls with these settings.
    func makeEgressClient(observer: any ServiceObserver = NoObserver()) throws -> EgressClient {
        do {
            return try EgressClient(policy: egressPolicy, observer: observer)
        } catch .unreadableTrustRoots(let path) {
            throw settings.error(.egressTrustRoots, Self.problem(ofTrustRoots: path))
        }
    }

    /// Why the certificates of a file cannot be used.
    private static func problem(ofTrustRoots path: String) -> String {
        do {
            let content = try ReadableFile(path: path).read().content
            if content.isUTF16 { return "\(path) is UTF-16. Save it as ASCII or UTF-8" }
            let hasMark = content.withoutByteOrderMark.count < content.count
            return hasMark
                ? "\(path) begins with a byte order mark. Save it without"
                : "\(path) has no certificate in PEM format (-----BEGIN CERTIFICATE-----)"
        } catch {
            return error.problem(of: path, ifMissing: "Name a file in PEM format")
        }
    }

    /// Makes the routes for messages. Mail servers obey the same rules for addresses as hooks.
    func routeBuilder(egress: any Egress, environment: ServiceEnvironment) -> RouteBuilder {
        RouteBuilder(
            RouteSurroundings(
                egress: egress, pinning: HostPinning(policy: egressPolicy), trustRoots: egressTrustRoots,
                environment: environment))
    }
}
