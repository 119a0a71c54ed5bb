internal import Foundation
internal import SessionWire

/// The SDK's `User-Agent`. The service shows its device and system in the list of sessions.
enum UserAgent {
    static let version = ReleaseVersion.number

    static let current = "Prelude/\(version) (\(maker); \(system) \(systemVersion))"

    #if os(Linux)
        private static let maker = "Linux"
        private static let system = "Linux"
    #else
        private static let maker = "Apple"
        #if os(iOS)
            private static let system = "iOS"
        #elseif os(tvOS)
            private static let system = "tvOS"
        #elseif os(watchOS)
            private static let system = "watchOS"
        #elseif os(visionOS)
            private static let system = "visionOS"
        #else
            private static let system = "macOS"
        #endif
    #endif

    private static var systemVersion: String {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        return "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
    }
}
