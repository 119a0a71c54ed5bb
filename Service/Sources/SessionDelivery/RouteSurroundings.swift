package import SessionDomain
package import SessionEgress

/// What all routes share: the ways out of the service, and the clocks.
package struct RouteSurroundings: Sendable {
    let egress: any Egress
    let pinning: HostPinning
    let workers: SMTPWorkers
    /// The path of a PEM file with authorities that are trusted in addition to the system's.
    let trustRoots: String?
    let now: @Sendable () -> Timestamp
    /// Milliseconds.
    let uptime: @Sendable () -> Int64

    package init(
        egress: any Egress, pinning: HostPinning, workers: SMTPWorkers? = nil, trustRoots: String?,
        environment: ServiceEnvironment
    ) {
        self.egress = egress
        self.pinning = pinning
        self.workers = workers ?? SMTPWorkers(sleep: environment.sleep)
        self.trustRoots = trustRoots
        now = environment.now
        uptime = environment.uptime
    }
}
