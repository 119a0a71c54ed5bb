internal import Crypto
internal import Foundation

/// A custom domain of an app, with an id that follows from both.
package struct CustomDomain: Sendable, Equatable {
    /// `dom_` and 26 characters. The same domain of the same app always has the same id.
    package let id: String
    package let name: String

    package init(_ name: String, of app: AppID) {
        let digest = Array(SHA256.hash(data: Data("\(app.rawValue) \(name)".utf8)))
        self.name = name
        id = "dom_" + ULID.text(of: Array(digest.prefix(16)))
    }
}

extension App {
    package var customDomains: [CustomDomain] { domains.map { CustomDomain($0, of: id) } }
}
