#if DEBUG && canImport(SwiftUI)
    internal import Foundation
    internal import SwiftUI

    /// Shows a view as designers check it: light and dark, with long words, from right to left, and with large text.
    struct PreviewVariants<Content: View>: View {
        @ViewBuilder let content: () -> Content

        var body: some View {
            Group {
                content().previewDisplayName("Light")
                content().preferredColorScheme(.dark).previewDisplayName("Dark")
                content().environment(\.locale, Locale(identifier: "de")).previewDisplayName("German")
                content().environment(\.locale, Locale(identifier: "ja")).previewDisplayName("Japanese")
                content().environment(\.layoutDirection, .rightToLeft).previewDisplayName("Right to left")
                content().environment(\.dynamicTypeSize, .accessibility3).previewDisplayName("Large text")
            }
            .padding()
        }
    }
#endif
