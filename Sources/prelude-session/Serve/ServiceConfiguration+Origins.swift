import SessionDomain
import SessionTokens

extension ServiceConfiguration {
    /// In development the loopback names are as good as the configured one: they are all this machine.
    func origins() throws -> PublicOrigins {
        let loopback = TargetURI.loopbackHosts.map { "http://\($0):\(port)" }
        return try PublicOrigins(publicURL: publicURL ?? loopback[0], aliases: isDevelopment ? loopback : [])
    }
}
