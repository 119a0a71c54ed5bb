#if canImport(SwiftUI)
    internal import SwiftUI

    /// A box for each digit, below a text field without visible text. One text field keeps autofill, pasting and
    /// VoiceOver.
    struct DefaultCodeField: View {
        let field: SessionUICodeFieldConfiguration

        @Environment(\.dynamicTypeSize) private var size
        @ScaledMetric(relativeTo: .title2) private var height: CGFloat = 52

        var body: some View {
            #if os(tvOS) || os(watchOS)
                // These systems enter text on a screen of their own.
                field.field
            #else
                // Boxes with such large digits are wider than a phone.
                if size.isAccessibilitySize { plain } else { boxes }
            #endif
        }

        #if !os(tvOS) && !os(watchOS)
            private var plain: some View {
                field.field
                    .textFieldStyle(.plain)
                    .font(.title2.monospacedDigit())
                    .padding(12)
                    .overlay { border(isMarked: field.isFocused) }
            }

            private var boxes: some View {
                HStack(spacing: 8) {
                    ForEach(0..<field.length, id: \.self) { index in box(index) }
                }
                .accessibilityHidden(true)
                .contentShape(Rectangle())
                .onTapGesture(perform: field.focus)
                .overlay {
                    field.field
                        .textFieldStyle(.plain)
                        .foregroundStyle(Color.clear)
                        .tint(.clear)
                        .frame(maxWidth: .infinity, maxHeight: .infinity)
                }
                // Digits are written from left to right, also in Arabic and Hebrew.
                .environment(\.layoutDirection, .leftToRight)
                .frame(maxWidth: CGFloat(field.length) * 60)
                .opacity(field.isEditable ? 1 : 0.5)
            }

            private func box(_ index: Int) -> some View {
                let digits = Array(field.code)
                return Text(verbatim: index < digits.count ? String(digits[index]) : " ")
                    .font(.title2.monospacedDigit())
                    .frame(maxWidth: .infinity, minHeight: height)
                    .overlay { border(isMarked: field.isFocused && index == min(digits.count, field.length - 1)) }
            }

            private func border(isMarked: Bool) -> some View {
                let color: Color = field.isProblem ? .red : isMarked ? .accentColor : .secondary.opacity(0.5)
                return RoundedRectangle(cornerRadius: 10, style: .continuous)
                    .strokeBorder(color, lineWidth: isMarked || field.isProblem ? 2 : 1)
            }
        #endif
    }
#endif
