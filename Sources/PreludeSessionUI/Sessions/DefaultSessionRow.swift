#if canImport(SwiftUI)
    internal import PreludeSession
    internal import SwiftUI

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
#endif
