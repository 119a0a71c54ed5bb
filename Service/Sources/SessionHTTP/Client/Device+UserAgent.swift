import Foundation
import SessionDomain

extension Device {
    /// Reads a `User-Agent` of our SDKs, such as `Prelude/1.0 (Apple; iOS 17.4.0)`, or of a common browser.
    ///
    /// Properties that the header does not show keep their defaults.
    init(userAgent: String) {
        self.init()
        let agent = Self.printable(userAgent)
        if agent.hasPrefix("Prelude/") {
            readSDK(agent)
        } else if agent.hasPrefix("okhttp/") {
            // The hosted product's client for Android leaves the header to its HTTP library.
            (model, type, osVersion) = ("Android", "mobile", "Android")
        } else {
            readBrowser(agent)
        }
    }

    /// The printable ASCII characters of the first 512.
    private static func printable(_ text: String) -> String {
        let printable: ClosedRange<UInt8> = 0x20...0x7E
        // Almost always. To copy the characters costs as much as the rest.
        if text.utf8.count <= 512, text.utf8.allSatisfy(printable.contains) { return text }
        let characters = text.unicodeScalars.prefix(512).compactMap { UInt8(exactly: $0.value) }
        return String(decoding: characters.filter(printable.contains), as: UTF8.self)
    }

    private mutating func readSDK(_ agent: String) {
        guard let open = agent.firstIndex(of: "("), let close = agent.lastIndex(of: ")"), open < close else { return }
        let parts = agent[agent.index(after: open)..<close].split(separator: ";").map { part in
            String(part.drop { $0 == " " }.prefix(64))
        }
        model = parts.first ?? ""
        osVersion = parts.count > 1 ? parts[1] : ""
        let system = osVersion.lowercased()
        if system.hasPrefix("ipados") {
            type = "tablet"
        } else if ["ios", "watchos", "android", "visionos"].contains(where: system.hasPrefix) {
            type = "mobile"
        } else if ["macos", "linux", "windows"].contains(where: system.hasPrefix) || model == "Linux" {
            type = "desktop"
        }
    }

    private mutating func readBrowser(_ agent: String) {
        let kinds = [
            ("iPad", "iPad", "tablet"), ("iPhone", "iPhone", "mobile"), ("Android", "Android", "mobile"),
            ("Macintosh", "Mac", "desktop"), ("Windows NT", "Windows PC", "desktop"), ("Linux", "Linux", "desktop"),
        ]
        guard let kind = kinds.first(where: { Self.rest(of: agent, after: $0.0) != nil }) else { return }
        model = kind.1
        type = kind.1 == "Android" && Self.rest(of: agent, after: "Mobile") == nil ? "tablet" : kind.2
        osVersion = Self.version(
            after: ["CPU iPhone OS ", "CPU OS ", "Android ", "Mac OS X ", "Windows NT "], in: agent)
    }

    /// Compares bytes, because each request comes here. `nil`: the agent does not contain the marker.
    private static func rest(of agent: String, after marker: String) -> Substring? {
        let bytes = agent.utf8
        let start = bytes.indices.first { bytes[$0...].starts(with: marker.utf8) }
        return start.map { agent[bytes.index($0, offsetBy: marker.utf8.count)...] }
    }

    private static func version(after markers: [String], in agent: String) -> String {
        for marker in markers {
            guard let rest = rest(of: agent, after: marker) else { continue }
            let digits = rest.prefix { $0.isNumber || $0 == "." || $0 == "_" }
            return String(digits.prefix(16).map { $0 == "_" ? "." : $0 })
        }
        return ""
    }

    /// The platform of an app, as hooks receive it: `ios`, `macos`, `android`, `linux`, `windows` or `unknown`.
    var platform: String {
        let system = osVersion.lowercased()
        let known = [
            ("ios", "ios"), ("ipados", "ios"), ("tvos", "ios"), ("watchos", "ios"), ("visionos", "ios"),
            ("macos", "macos"), ("android", "android"), ("linux", "linux"), ("windows", "windows"),
        ]
        return known.first { system.hasPrefix($0.0) }?.1 ?? (model == "Linux" ? "linux" : "unknown")
    }
}
