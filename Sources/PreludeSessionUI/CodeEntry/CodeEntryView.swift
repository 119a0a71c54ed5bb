#if canImport(SwiftUI)
    public import PreludeSession
    public import SwiftUI

    /// Lets a user enter the code of a login, and signs the user in after the last digit.
    ///
    /// The system offers the code from a message (iOS, iPadOS, macOS, tvOS, visionOS). Show the view after
    /// `startOTPLogin(_:)`.
    public struct CodeEntryView: View {
        @StateObject private var model: CodeEntryModel
        private let recipient: String?
        private let onRestart: (@MainActor () -> Void)?

        /// Creates the view of a login that this client has started.
        ///
        /// - Parameters:
        ///   - client: The client of the login.
        ///   - recipient: Where the code was sent, to show it; `nil` to not show it.
        ///   - length: The number of digits that the app is configured with.
        ///   - onSignIn: Called with the signed-in user.
        ///   - onRestart: Called when the login has expired and the user starts again. Without it, there is no button.
        public init(
            client: PreludeSessionClient, sentTo recipient: String? = nil, length: Int = 6,
            onSignIn: @escaping @MainActor (PreludeUser) -> Void = { _ in }, onRestart: (@MainActor () -> Void)? = nil
        ) {
            self.init(
                model: CodeEntryModel(client: client, length: length, onSignIn: onSignIn), sentTo: recipient,
                onRestart: onRestart)
        }

        /// Creates the view of a model.
        ///
        /// - Parameters:
        ///   - model: The model. It is created once, and kept while the view exists.
        ///   - recipient: Where the code was sent, to show it; `nil` to not show it.
        ///   - onRestart: Called when the user starts again. Without it, there is no button.
        public init(
            model: @autoclosure @escaping () -> CodeEntryModel, sentTo recipient: String? = nil,
            onRestart: (@MainActor () -> Void)? = nil
        ) {
            _model = StateObject(wrappedValue: model())
            self.recipient = recipient
            self.onRestart = onRestart
        }

        /// The view.
        public var body: some View {
            CodeEntryForm(
                model: model, hint: recipient.map { SessionUIText(.codeSentTo, .text($0)) }, onRestart: onRestart)
        }
    }
#endif
