#if canImport(SwiftUI)
    public import PreludeSession
    public import SwiftUI

    /// Confirms the user for a scope, with a code for each step of the app's rules.
    public struct StepUpView: View {
        @StateObject private var model: StepUpModel
        private let onCancel: (@MainActor () -> Void)?

        @Environment(\.locale) private var locale

        /// Creates the view of a step-up. It starts when it appears.
        ///
        /// - Parameters:
        ///   - client: The client of the user's session.
        ///   - scope: The scope, such as `transfer:write`.
        ///   - metadata: What the app's rules need to know, see `requestStepUp(scope:metadata:)`.
        ///   - onComplete: Called when the access token carries the scope.
        ///   - onCancel: Called when the user cancels. Without it, there is no button.
        ///   - ownStep: Returns the proof of each step that is not a code. Without it, such a step fails.
        public init(
            client: PreludeSessionClient, scope: String, metadata: [String: String]? = nil,
            onComplete: @escaping @MainActor () -> Void = {}, onCancel: (@MainActor () -> Void)? = nil,
            ownStep: StepUpModel.OwnStep? = nil
        ) {
            self.init(
                model: StepUpModel(
                    client: client, scope: scope, metadata: metadata, onComplete: onComplete, ownStep: ownStep),
                onCancel: onCancel)
        }

        /// Creates the view of a model.
        ///
        /// - Parameters:
        ///   - model: The model. It is created once, and kept while the view exists.
        ///   - onCancel: Called when the user cancels. Without it, there is no button.
        public init(model: @autoclosure @escaping () -> StepUpModel, onCancel: (@MainActor () -> Void)? = nil) {
            _model = StateObject(wrappedValue: model())
            self.onCancel = onCancel
        }

        /// The view.
        public var body: some View {
            VStack(alignment: .leading, spacing: 16) {
                locale.text(.confirmIdentity)
                    .font(.title2.bold())
                    .fixedSize(horizontal: false, vertical: true)
                    .accessibilityAddTraits(.isHeader)
                step
                if let onCancel { ActionView(key: .cancel, perform: onCancel) }
            }
            .task { await model.start() }
        }

        @ViewBuilder private var step: some View {
            switch model.phase {
            case .waiting, .completed:
                ProgressView()
                    .frame(maxWidth: .infinity)
                    .accessibilityLabel(locale.text(.pleaseWait))
            case .code(let entry, let channel):
                CodeEntryForm(model: entry, hint: channel.text, onRestart: restart)
            case .denied:
                MessageView(text: SessionUIText(PreludeSessionMessage(.notAllowed)), isProblem: true)
            case .failed(let text):
                MessageView(text: text, isProblem: true)
                ActionView(key: .tryAgain, prominence: .primary, perform: restart)
            }
        }

        private func restart() { Task { await model.start() } }
    }
#endif
