#if DEBUG && canImport(SwiftUI)
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
#endif
