/// Where a login of an operator comes from.
package struct OperatorOrigin: Sendable {
    package let source: SourceAddress
    /// The token of a browser in which an operator has signed in before. An invalid one is ignored.
    package let deviceToken: String?

    package init(source: SourceAddress, deviceToken: String? = nil) {
        self.source = source
        self.deviceToken = deviceToken
    }
}
