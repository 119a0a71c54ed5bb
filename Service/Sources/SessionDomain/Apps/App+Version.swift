internal import Crypto
internal import Foundation
internal import SessionTokens

extension App {
    /// Names the settings by their content. A page that was opened before another operator changed them names others.
    package var version: String {
        let content = (try? TokenJSON.encode(self)) ?? Data()
        return Base64URL.encode(Data(SHA256.hash(data: content)).prefix(12))
    }
}
