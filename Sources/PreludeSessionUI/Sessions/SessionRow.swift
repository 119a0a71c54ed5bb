#if canImport(SwiftUI)
    internal import Foundation
    internal import PreludeSession
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

    /// A device with its name, when it was used, and the button that signs it out. Large text moves the button below.
    struct DefaultSessionRow: View {
        let session: SessionUISessionRowConfiguration

        @Environment(\.dynamicTypeSize) private var size

        var body: some View {
            if size.isAccessibilitySize || isNarrow {
                VStack(alignment: .leading, spacing: 8) {
                    texts
                    session.revoke
                }
                .padding(.vertical, 4)
            } else {
                HStack(spacing: 12) {
                    Image(systemName: session.item.session.deviceType.symbol)
                        .frame(minWidth: 28)
                        .foregroundStyle(.secondary)
                        .accessibilityHidden(true)
                    texts
                    Spacer(minLength: 8)
                    session.revoke
                }
                .padding(.vertical, 4)
            }
        }

        private var isNarrow: Bool {
            #if os(watchOS)
                true
            #else
                false
            #endif
        }

        private var texts: some View {
            VStack(alignment: .leading, spacing: 2) {
                session.title.font(.headline)
                if let detail = session.detail {
                    detail.font(.subheadline).foregroundStyle(.secondary)
                }
            }
            .fixedSize(horizontal: false, vertical: true)
            .accessibilityElement(children: .combine)
        }
    }

    extension PreludeDeviceType {
        /// A symbol of SF Symbols 3 for the type of device.
        fileprivate var symbol: String {
            switch self {
            case .desktop: "desktopcomputer"
            case .mobile: "iphone"
            case .tablet: "ipad"
            case .unknown: "questionmark.circle"
            }
        }
    }
#endif
