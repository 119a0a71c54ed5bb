#if canImport(SwiftUI)
    internal import PreludeSession

    extension PreludeDeviceType {
        /// A symbol of SF Symbols 3 for the type of device.
        var symbol: String {
            switch self {
            case .desktop: "desktopcomputer"
            case .mobile: "iphone"
            case .tablet: "ipad"
            case .unknown: "questionmark.circle"
            }
        }
    }
#endif
