// A stub for the parts of Apple's Foundation that the SDK calls and that Foundation on Linux does not have.
// scripts/check-apple imports it into every file, because on Apple systems they are in Foundation itself.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

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

// In Core Foundation, which Foundation exports. The callback is a C function there: it captures nothing.
public final class CFNotificationCenter {}

public struct CFNotificationName: Sendable {
    public init(_ rawValue: CFString) {}
}

public enum CFNotificationSuspensionBehavior: Sendable {
    case drop, coalesce, hold, deliverImmediately
}

public typealias CFNotificationCallback =
    @Sendable (
        CFNotificationCenter?, UnsafeMutableRawPointer?, CFNotificationName?, UnsafeRawPointer?, CFDictionary?
    ) -> Void

public func CFNotificationCenterGetDarwinNotifyCenter() -> CFNotificationCenter! { nil }

public func CFNotificationCenterPostNotification(
    _ center: CFNotificationCenter!, _ name: CFNotificationName!, _ object: UnsafeRawPointer!,
    _ userInfo: CFDictionary!,
    _ deliverImmediately: Bool
) {}

public func CFNotificationCenterAddObserver(
    _ center: CFNotificationCenter!, _ observer: UnsafeRawPointer!, _ callBack: CFNotificationCallback!,
    _ name: CFString!,
    _ object: UnsafeRawPointer!, _ suspensionBehavior: CFNotificationSuspensionBehavior
) {}

public func CFNotificationCenterRemoveEveryObserver(_ center: CFNotificationCenter!, _ observer: UnsafeRawPointer!) {}
