import SessionDomain

/// The platform that hooks are told.
enum Platform {
    static func name(of device: Device, isBrowser: Bool) -> String {
        if isBrowser { return "web" }
        let system = device.osVersion.lowercased()
        let known = [
            ("ios", "ios"), ("ipados", "ios"), ("tvos", "ios"), ("watchos", "ios"), ("visionos", "ios"),
            ("macos", "macos"), ("android", "android"), ("linux", "linux"), ("windows", "windows"),
        ]
        return known.first { system.hasPrefix($0.0) }?.1 ?? (device.model == "Linux" ? "linux" : "unknown")
    }
}
