#if canImport(SwiftUI)
    internal import SwiftUI

    /// A text beside a symbol. The text has the color of all text, because red text has too little contrast.
    struct DefaultMessage: View {
        let message: SessionUIMessageConfiguration

        var body: some View {
            HStack(alignment: .firstTextBaseline, spacing: 8) {
                Image(systemName: message.isProblem ? "exclamationmark.circle.fill" : "checkmark.circle.fill")
                    .foregroundStyle(message.isProblem ? Color.red : Color.green)
                    .accessibilityHidden(true)
                message.text
                    .font(.callout)
                    .fixedSize(horizontal: false, vertical: true)
            }
        }
    }
#endif
