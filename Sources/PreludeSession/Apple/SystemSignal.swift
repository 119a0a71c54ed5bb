internal import Crypto
internal import Foundation

#if canImport(Security)
    internal import Security
#endif

/// The system's signal between processes.
enum SystemSignal {
    /// - Parameter store: What all processes of the store know and no other store has. It is no secret, and is sent as a hash.
    /// - Returns: `nil` if the system has no signal.
    static func named(store: String, endpoint: String) -> (any ChangeSignal)? {
        #if canImport(Security)
            return DarwinSignal(name: name(store: store, endpoint: endpoint))
        #else
            return nil
        #endif
    }

    /// The name of the signal. Every process of the device can receive it, so the name contains neither the app nor the service.
    static func name(store: String, endpoint: String) -> String {
        let hash = SHA256.hash(data: Data((store + "\0" + endpoint).utf8))
        return "prelude-session." + hash.prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

#if canImport(Security)
    /// A Darwin notification. It reaches all processes of the device that run, and those that are suspended when they continue.
    private struct DarwinSignal: ChangeSignal {
        let name: String

        private static var center: CFNotificationCenter? { CFNotificationCenterGetDarwinNotifyCenter() }
        private static func notification(_ name: String) -> CFNotificationName {
            CFNotificationName(NSString(string: name) as CFString)
        }

        func post() {
            CFNotificationCenterPostNotification(Self.center, Self.notification(name), nil, nil, true)
        }

        func observe(_ heard: @escaping @Sendable () -> Void) -> AnyObject { Observation(name, heard) }

        /// The Darwin center calls a C function with the pointer of the observer, also when that has just been released. So the
        /// pointer is only a number, and the function posts it to the center of this process, which keeps the closures.
        private final class Observation {
            private var local: (any NSObjectProtocol)?

            init(_ name: String, _ heard: @escaping @Sendable () -> Void) {
                let number = Unmanaged.passUnretained(self).toOpaque()
                local = NotificationCenter.default.addObserver(
                    forName: Self.localName(number), object: nil, queue: nil
                ) { _ in heard() }
                CFNotificationCenterAddObserver(
                    DarwinSignal.center, number,
                    { _, number, _, _, _ in
                        guard let number else { return }
                        NotificationCenter.default.post(name: Observation.localName(number), object: nil)
                    }, NSString(string: name) as CFString, nil, .deliverImmediately)
            }

            deinit {
                CFNotificationCenterRemoveEveryObserver(DarwinSignal.center, Unmanaged.passUnretained(self).toOpaque())
                if let local { NotificationCenter.default.removeObserver(local) }
            }

            private static func localName(_ number: UnsafeMutableRawPointer) -> Notification.Name {
                Notification.Name("prelude-session.\(UInt(bitPattern: number))")
            }
        }
    }
#endif
