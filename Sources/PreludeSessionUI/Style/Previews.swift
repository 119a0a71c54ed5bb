#if DEBUG && canImport(SwiftUI)
    internal import Foundation
    internal import PreludeSession
    internal import SwiftUI

    /// The parts of the default style, in the states that need a service.
    struct StylePreviews: PreviewProvider {
        static var previews: some View {
            PreviewVariants {
                VStack(alignment: .leading, spacing: 16) {
                    MessageView(text: SessionUIText(PreludeSessionMessage(.noConnection)), isProblem: true)
                    MessageView(text: SessionUIText(.passwordChanged), isProblem: false)
                    Rules()
                    ActionView(key: .continue, prominence: .primary) {}
                    ActionView(key: .continue, prominence: .primary, isRunning: true) {}
                    ActionView(key: .savePassword, prominence: .primary) {}.disabled(true)
                    ActionView(key: .signOutOthers, role: .destructive) {}
                }
            }
        }

        private struct Rules: View {
            @Environment(\.locale) private var locale
            @Environment(\.sessionUIStyle) private var style

            var body: some View {
                rule(.minimumLength, isMet: true)
                rule(.minimumUppercase, isMet: false)
            }

            private func rule(_ key: SessionUIText.Key, isMet: Bool) -> some View {
                let text = locale.text(SessionUIText(key, .count(8)))
                return style.rule(SessionUIPasswordRuleConfiguration(text: text, isMet: isMet))
            }
        }
    }

    /// A code entry without a service. The code 111111 is right, 222222 has no connection, 333333 has expired.
    struct CodeEntryPreviews: PreviewProvider {
        static var previews: some View {
            PreviewVariants { CodeEntryView(model: model, sentTo: "ada@example.com") {} }
        }

        private static var model: CodeEntryModel {
            let model = CodeEntryModel(
                check: { code in
                    switch code {
                    case "111111": return
                    case "222222": throw PreludeSessionError.timeout
                    case "333333": throw PreludeSessionError.unauthorized("")
                    default: throw PreludeSessionError.invalidOTPCode("")
                    }
                }, resend: {})
            model.enter("123")
            return model
        }
    }

    /// Shows a view as designers check it: light and dark, with long words, from right to left, and with large text.
    private struct PreviewVariants<Content: View>: View {
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
