#if canImport(SwiftUI)
    internal import Foundation
    internal import SwiftUI

    extension Locale {
        /// The text of a key in this language.
        func text(_ key: SessionUIText.Key, _ argument: String? = nil) -> Text {
            text(argument.map { SessionUIText(key, .text($0)) } ?? SessionUIText(key))
        }

        func text(_ text: SessionUIText) -> Text { Text(verbatim: text.string(locale: self)) }
    }
#endif
