#if canImport(SwiftUI)
    internal import SwiftUI

    /// A rule beside a symbol. The shape of the symbol differs as well as its color.
    struct DefaultRule: View {
        let rule: SessionUIPasswordRuleConfiguration

        var body: some View {
            HStack(alignment: .firstTextBaseline, spacing: 8) {
                Image(systemName: rule.isMet ? "checkmark.circle.fill" : "circle")
                    .foregroundStyle(rule.isMet ? Color.green : Color.secondary)
                    .accessibilityHidden(true)
                rule.text
                    .font(.footnote)
                    .foregroundStyle(rule.isMet ? Color.secondary : Color.primary)
                    .fixedSize(horizontal: false, vertical: true)
            }
        }
    }
#endif
