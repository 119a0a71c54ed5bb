// A stub for the parts of Apple's Foundation that the SDK calls and that Foundation on Linux does not have.
// scripts/check-apple imports it into every file, because on Apple systems they are in Foundation itself.

public import Foundation
public import FoundationNetworking
public import Security

extension ProcessInfo {
    public func performExpiringActivity(
        withReason reason: String, using block: @escaping @Sendable (_ expired: Bool) -> Void
    ) {}
}

extension FileManager {
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? { nil }
}

extension URLProtectionSpace {
    public var serverTrust: SecTrust? { nil }
}

extension URLCredential {
    public convenience init(trust: SecTrust) { self.init(user: "", password: "", persistence: .none) }
}
