import Foundation

public struct Font: Hashable, Sendable {
    public enum TextStyle: CaseIterable, Sendable {
        case largeTitle, title, title2, title3, headline, subheadline, body, callout, footnote, caption, caption2
    }

    public static let headline = Font()
    public static let subheadline = Font()
    public static let title2 = Font()
    public static let title3 = Font()
    public static let callout = Font()
    public static let footnote = Font()
    public static let caption = Font()
    public static let caption2 = Font()
    public func bold() -> Font { self }
    public func monospaced() -> Font { self }
    public func monospacedDigit() -> Font { self }
}

@MainActor @preconcurrency
public protocol PrimitiveButtonStyle {}
public struct BorderedProminentButtonStyle: PrimitiveButtonStyle { nonisolated public init() {} }
public struct BorderedButtonStyle: PrimitiveButtonStyle { nonisolated public init() {} }

extension PrimitiveButtonStyle where Self == BorderedProminentButtonStyle {
    public static var borderedProminent: BorderedProminentButtonStyle { BorderedProminentButtonStyle() }
}

extension PrimitiveButtonStyle where Self == BorderedButtonStyle {
    public static var bordered: BorderedButtonStyle { BorderedButtonStyle() }
}

#if !os(tvOS)
    public struct BorderlessButtonStyle: PrimitiveButtonStyle { nonisolated public init() {} }

    extension PrimitiveButtonStyle where Self == BorderlessButtonStyle {
        public static var borderless: BorderlessButtonStyle { BorderlessButtonStyle() }
    }
#endif

public protocol TextFieldStyle {}
public struct PlainTextFieldStyle: TextFieldStyle {}

extension TextFieldStyle where Self == PlainTextFieldStyle {
    public static var plain: PlainTextFieldStyle { PlainTextFieldStyle() }
}

#if !os(tvOS) && !os(watchOS)
    public struct RoundedBorderTextFieldStyle: TextFieldStyle {}

    extension TextFieldStyle where Self == RoundedBorderTextFieldStyle {
        public static var roundedBorder: RoundedBorderTextFieldStyle { RoundedBorderTextFieldStyle() }
    }
#endif

public enum TextAlignment: Hashable, CaseIterable, Sendable { case leading, center, trailing }

public enum Edge: Sendable {
    case top, leading, bottom, trailing
    public struct Set: OptionSet, Sendable {
        public let rawValue: Int8
        public init(rawValue: Int8) { self.rawValue = rawValue }
        public static let all = Set(rawValue: 15)
        public static let horizontal = Set(rawValue: 10)
        public static let vertical = Set(rawValue: 5)
    }
}

@MainActor @preconcurrency
public protocol ViewModifier {
    associatedtype Body: View
    typealias Content = ModifierContent<Self>
    @ViewBuilder func body(content: Content) -> Body
}

public struct ModifierContent<Modifier: ViewModifier>: PrimitiveView {}

extension View {
    public func modifier<Modifier: ViewModifier>(_ modifier: Modifier) -> some View { self }
    public func font(_ font: Font?) -> some View { self }
    public func foregroundStyle<Style: ShapeStyle>(_ style: Style) -> some View { self }
    public func tint(_ color: Color?) -> some View { self }
    public func padding(_ edges: Edge.Set = .all, _ length: CGFloat? = nil) -> some View { self }
    public func padding(_ length: CGFloat) -> some View { self }
    public func frame(
        minWidth: CGFloat? = nil, idealWidth: CGFloat? = nil, maxWidth: CGFloat? = nil, minHeight: CGFloat? = nil,
        idealHeight: CGFloat? = nil, maxHeight: CGFloat? = nil, alignment: Alignment = .center
    ) -> some View { self }
    public func fixedSize(horizontal: Bool, vertical: Bool) -> some View { self }
    public func multilineTextAlignment(_ alignment: TextAlignment) -> some View { self }
    public func opacity(_ opacity: Double) -> some View { self }
    public func disabled(_ disabled: Bool) -> some View { self }
    public func onChange<Value: Equatable>(
        of value: Value, perform action: @escaping (_ newValue: Value) -> Void
    ) -> some View { self }
    public func privacySensitive(_ sensitive: Bool = true) -> some View { self }
    public func overlay<Content: View>(
        alignment: Alignment = .center, @ViewBuilder content: () -> Content
    ) -> some View { self }
    public func buttonStyle<Style: PrimitiveButtonStyle>(_ style: Style) -> some View { self }
    public func textFieldStyle<Style: TextFieldStyle>(_ style: Style) -> some View { self }
    public func autocorrectionDisabled(_ disable: Bool = true) -> some View { self }
    public func onSubmit(_ action: @escaping () -> Void) -> some View { self }
    public func task(
        priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: @escaping @isolated(any) @Sendable () async -> Void
    ) -> some View { self }
    public func task<ID: Equatable>(
        id value: ID, priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: @escaping @isolated(any) @Sendable () async -> Void
    ) -> some View { self }
    public func refreshable(action: @escaping @Sendable () async -> Void) -> some View { self }
}

// On tvOS only since 16.
#if !os(tvOS)
    extension View {
        public func onTapGesture(count: Int = 1, perform action: @escaping () -> Void) -> some View { self }
    }
#endif
