#if canImport(SwiftUI)
    public import PreludeSession
    public import SwiftUI

    /// Lists the devices on which the user is signed in, and signs them out.
    public struct SessionListView: View {
        @StateObject private var model: SessionListModel

        @Environment(\.locale) private var locale
        @State private var isAsking = false
        @State private var question: Question?

        /// Creates the list of the signed-in user.
        ///
        /// - Parameter client: The client of the user's session.
        public init(client: PreludeSessionClient) {
            _model = StateObject(wrappedValue: SessionListModel(client: client))
        }

        /// The view.
        public var body: some View {
            List {
                if model.message != nil { problem }
                if !model.items.isEmpty { sessions }
                if model.hasOthers { others }
            }
            .overlay {
                if model.phase == .loading { ProgressView().accessibilityLabel(locale.text(.pleaseWait)) }
            }
            .refreshable { [model] in await model.load() }
            .task { await model.load() }
            .confirmationDialog(
                question.map(title) ?? Text(verbatim: ""), isPresented: $isAsking, titleVisibility: .visible,
                presenting: question
            ) { question in
                Button(role: .destructive) {
                    answer(question)
                } label: {
                    locale.text(question.action)
                }
                Button(role: .cancel) {
                } label: {
                    locale.text(.cancel)
                }
            } message: { question in
                if !question.isCurrent { locale.text(.mustSignInAgain) }
            }
        }

        /// What the user must confirm.
        private enum Question: Hashable {
            case signOut(SessionListModel.Item)
            case signOutOthers

            var action: SessionUIText.Key { self == .signOutOthers ? .signOutOthers : .signOut }
            var isCurrent: Bool { if case .signOut(let item) = self { item.isCurrent } else { false } }
        }

        private var problem: some View {
            Section {
                MessageView(text: model.message, isProblem: true)
                ActionView(key: .tryAgain, isRunning: model.isBusy) { Task { await model.load() } }
            }
        }

        private var sessions: some View {
            Section {
                ForEach(model.items, id: \.id) { item in
                    SessionRow(item: item, isBusy: model.isBusy) { ask(.signOut(item)) }
                }
                if model.hasMore {
                    ActionView(key: .showMore, isRunning: model.isBusy) { Task { await model.loadMore() } }
                }
            } header: {
                locale.text(.devices)
            }
        }

        private var others: some View {
            Section {
                ActionView(key: .signOutOthers, role: .destructive) { ask(.signOutOthers) }
                    .disabled(model.isBusy)
            }
        }

        private func ask(_ question: Question) {
            self.question = question
            isAsking = true
        }

        private func title(_ question: Question) -> Text {
            switch question {
            case .signOut(let item):
                locale.text(.askSignOut, item.deviceName ?? SessionUIText(.unknownDevice).string(locale: locale))
            case .signOutOthers: locale.text(.askSignOutOthers)
            }
        }

        private func answer(_ question: Question) {
            Task {
                switch question {
                case .signOut(let item): await model.revoke(item.id)
                case .signOutOthers: await model.revokeOthers()
                }
            }
        }
    }
#endif
