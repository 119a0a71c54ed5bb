/// What the variables of a template stand for.
package struct TemplateValues: Sendable, Equatable {
    package var code: String?
    /// Minutes for which the code is valid.
    package var minutes: Int?
    package var time: Timestamp?
    package var device: DeviceKind?
    /// Masked.
    package var identifier: String?

    package init() {}

    /// The values of a message with a code.
    ///
    /// - Parameter lifetime: Seconds from the sending to the expiry. The message shows full minutes, at least 1.
    package static func code(_ code: String, lifetime: Int) -> TemplateValues {
        var values = TemplateValues()
        values.code = code
        values.minutes = max(1, lifetime / 60)
        return values
    }

}

extension TemplateValues {
    /// The values of a notice as its message stores them, by the name of the variable. A code is never stored.
    package var stored: [String: String] {
        let values: [TemplateVariable: String?] = [
            .time: time.map { String($0.milliseconds) }, .device: device?.rawValue, .identifier: identifier,
        ]
        return Dictionary(
            uniqueKeysWithValues: values.compactMap { variable, value in value.map { (variable.rawValue, $0) } })
    }

    package init(stored: [String: String]) {
        func value(_ variable: TemplateVariable) -> String? { stored[variable.rawValue] }
        time = value(.time).flatMap(Int64.init).map { Timestamp(milliseconds: $0) }
        device = value(.device).map { DeviceKind(rawValue: $0) ?? .unknown }
        identifier = value(.identifier)
    }
}

/// A device as messages name it.
///
/// Headers describe a device, and any client can send any text in them. So a message names only kinds that are listed here:
/// a stranger puts no words into a message to another person.
package enum DeviceKind: String, Sendable, Codable, CaseIterable {
    case iPhone = "iphone"
    case iPad = "ipad"
    case mac
    case watch = "apple_watch"
    case vision = "apple_vision_pro"
    case android
    case windows
    case linux
    case unknown

    package init(_ device: Device) {
        let system = device.osVersion.lowercased()
        let systems: [(String, DeviceKind)] = [
            ("ipados", .iPad), ("ios", .iPhone), ("macos", .mac), ("watchos", .watch), ("visionos", .vision),
            ("android", .android), ("windows", .windows), ("linux", .linux),
        ]
        let browsers: [String: DeviceKind] = [
            "iPhone": .iPhone, "iPad": .iPad, "Mac": .mac, "Android": .android, "Windows PC": .windows, "Linux": .linux,
        ]
        self = systems.first { system.hasPrefix($0.0) }?.1 ?? browsers[device.model] ?? .unknown
    }

    /// The name, which is the same in all languages. `nil` for an unknown device.
    var name: String? {
        switch self {
        case .iPhone: "iPhone"
        case .iPad: "iPad"
        case .mac: "Mac"
        case .watch: "Apple Watch"
        case .vision: "Apple Vision Pro"
        case .android: "Android"
        case .windows: "Windows"
        case .linux: "Linux"
        case .unknown: nil
        }
    }
}
