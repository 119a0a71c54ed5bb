#if canImport(SwiftUI)
    public import PreludeSession
    public import SwiftUI

    extension View {
        /// Shows a sheet that confirms the user for a scope.
        ///
        /// The sheet closes when the access token carries the scope, or when the user cancels.
        ///
        /// - Parameters:
        ///   - isPresented: Whether the sheet is shown.
        ///   - client: The client of the user's session.
        ///   - scope: The scope, such as `transfer:write`.
        ///   - metadata: What the app's rules need to know, see `requestStepUp(scope:metadata:)`.
        ///   - ownStep: Returns the proof of each step that is not a code. Without it, such a step fails.
        ///   - onComplete: Called when the access token carries the scope, after the sheet was told to close.
        public func stepUpSheet(
            isPresented: Binding<Bool>, client: PreludeSessionClient, scope: String,
            metadata: [String: String]? = nil, ownStep: StepUpModel.OwnStep? = nil,
            onComplete: @escaping @MainActor () -> Void
        ) -> some View {
            modifier(
                StepUpSheet(
                    isPresented: isPresented, client: client, scope: scope, metadata: metadata, ownStep: ownStep,
                    onComplete: onComplete))
        }

        /// Shows the sheet of a presenter while its backend asks for a step-up.
        ///
        /// - Parameter presenter: Sends the requests. Keep it in a `@StateObject` of this view.
        public func stepUpSheet(_ presenter: StepUpPresenter) -> some View {
            modifier(PresentedStepUp(presenter: presenter))
        }
    }

    private struct StepUpSheet: ViewModifier {
        @Binding var isPresented: Bool
        let client: PreludeSessionClient
        let scope: String
        let metadata: [String: String]?
        let ownStep: StepUpModel.OwnStep?
        let onComplete: @MainActor () -> Void

        @Environment(\.sessionUIStyle) private var style

        func body(content: Content) -> some View {
            content.sheet(isPresented: $isPresented) {
                StepUpSheetContent(
                    style: style,
                    view: StepUpView(
                        client: client, scope: scope, metadata: metadata,
                        onComplete: {
                            isPresented = false
                            onComplete()
                        },
                        onCancel: { isPresented = false }, ownStep: ownStep))
            }
        }
    }

    private struct PresentedStepUp: ViewModifier {
        @ObservedObject var presenter: StepUpPresenter

        @Environment(\.sessionUIStyle) private var style

        func body(content: Content) -> some View {
            content.sheet(item: $presenter.sheet) { model in
                StepUpSheetContent(
                    style: style, view: StepUpView(model: model, onCancel: { presenter.dismiss() }))
            }
        }
    }

    extension StepUpModel: Identifiable {}

    /// A sheet has its own environment, so the style is passed on.
    private struct StepUpSheetContent: View {
        let style: any SessionUIStyle
        let view: StepUpView

        var body: some View {
            ScrollView {
                view
                    .padding()
                    .frame(maxWidth: 480)
            }
            .frame(minWidth: minimumWidth)
            .environment(\.sessionUIStyle, style)
        }

        /// A sheet of macOS is as wide as its content.
        private var minimumWidth: CGFloat? {
            #if os(macOS)
                360
            #else
                nil
            #endif
        }
    }
#endif
