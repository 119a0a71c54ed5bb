package import HTTPTypes
package import SessionDomain

extension SourceAddress {
    /// The address that a request comes from. Forwarding headers count only if the peer is a trusted proxy.
    ///
    /// - Parameter peerAddress: The address of the other end of the connection.
    package init(headers: HTTPFields, peerAddress: String, options: EdgeOptions) {
        let ip = Client.address(headers, peerAddress: peerAddress, options: options)
        self.init(ip: ip, isExempt: options.exemptsLoopback && IPNetwork.loopback(contains: ip))
    }
}
