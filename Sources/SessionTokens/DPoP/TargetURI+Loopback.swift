extension TargetURI {
    /// The hosts that are this machine, as they stand in a URI. Other names and addresses may be it, too.
    package static let loopbackHosts = ["localhost", "127.0.0.1", "[::1]"]

    /// Whether the target is on this machine, so that http needs no TLS.
    package var isLoopback: Bool { Self.loopbackHosts.contains(host) }
}
