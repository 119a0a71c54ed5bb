#if canImport(SwiftUI)
    internal import Foundation
    internal import SwiftUI

    /// Shows a session in the style.
    struct SessionRow: View {
        let item: SessionListModel.Item
        let isBusy: Bool
        let revoke: @MainActor () -> Void

        @Environment(\.locale) private var locale
        @Environment(\.sessionUIStyle) private var style

        var body: some View {
            style.sessionRow(
                SessionUISessionRowConfiguration(item: item, title: title, detail: detail, revoke: AnyView(button)))
        }

        private var title: Text {
            item.deviceName.map { Text(verbatim: $0) } ?? locale.text(.unknownDevice)
        }

        private var detail: Text? {
            if item.isCurrent { return locale.text(.thisDevice) }
            return item.lastSeenAt.map { date in
                locale.text(
                    .lastUsed, date.formatted(Date.FormatStyle(date: .abbreviated, time: .shortened, locale: locale)))
            }
        }

        private var button: some View {
            ActionView(
                key: .signOut, role: .destructive, isRunning: item.isRevoking, subject: title, perform: revoke
            )
            .disabled(isBusy)
        }
    }
#endif
