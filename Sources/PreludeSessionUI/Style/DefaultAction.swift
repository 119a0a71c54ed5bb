#if canImport(SwiftUI)
    internal import SwiftUI

    /// A button that keeps its size while its action runs.
    struct DefaultAction: View {
        let action: SessionUIActionConfiguration

        @ViewBuilder var body: some View {
            switch action.prominence {
            case .primary: button.buttonStyle(.borderedProminent)
            case .secondary: button.buttonStyle(.bordered)
            }
        }

        private var button: some View {
            Button(role: action.role, action: action.perform) {
                action.label
                    .multilineTextAlignment(.center)
                    // Long words wrap instead of being cut.
                    .fixedSize(horizontal: false, vertical: true)
                    .frame(maxWidth: action.prominence == .primary ? .infinity : nil, minHeight: 30)
                    .opacity(action.isRunning ? 0 : 1)
                    .overlay { if action.isRunning { ProgressView() } }
            }
            .disabled(action.isRunning)
        }
    }
#endif
