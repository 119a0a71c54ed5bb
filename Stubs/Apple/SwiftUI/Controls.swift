import Foundation

public struct Text: PrimitiveView, Equatable, Sendable {
    nonisolated public init(verbatim content: String) {}
    nonisolated public init(_ key: LocalizedStringKey) {}
    @_disfavoredOverload nonisolated public init<Content: StringProtocol>(_ content: Content) {}
    nonisolated public static func + (first: Text, second: Text) -> Text { first }
    nonisolated public func font(_ font: Font?) -> Text { self }
    nonisolated public func bold() -> Text { self }
}

public struct LocalizedStringKey: ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) {}
}

public struct TextField: PrimitiveView {
    public init(_ title: LocalizedStringKey, text: Binding<String>) {}
    @_disfavoredOverload public init<Title: StringProtocol>(_ title: Title, text: Binding<String>) {}
}

public struct SecureField: PrimitiveView {
    public init(_ title: LocalizedStringKey, text: Binding<String>) {}
    @_disfavoredOverload public init<Title: StringProtocol>(_ title: Title, text: Binding<String>) {}
}

public struct ButtonRole: Equatable, Sendable {
    public static let destructive = ButtonRole()
    public static let cancel = ButtonRole()
}

public struct Button<Label: View>: PrimitiveView {
    public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {}
    public init(role: ButtonRole?, action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {}
}

extension Button where Label == Text {
    public init(_ title: LocalizedStringKey, action: @escaping @MainActor () -> Void) {}
}

public struct Toggle<Label: View>: PrimitiveView {
    public init(isOn: Binding<Bool>, @ViewBuilder label: () -> Label) {}
}

public struct Image: PrimitiveView {
    public init(systemName: String) {}
}

public struct ProgressView: PrimitiveView {
    public init() {}
}

public struct Spacer: PrimitiveView {
    nonisolated public init(minLength: CGFloat? = nil) {}
}
