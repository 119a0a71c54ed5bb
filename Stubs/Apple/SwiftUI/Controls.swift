public struct Text: PrimitiveView {
    nonisolated public init(_ key: LocalizedStringKey) {}
    @_disfavoredOverload nonisolated public init<Content: StringProtocol>(_ content: Content) {}
}

public struct LocalizedStringKey: ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) {}
}

public struct TextField: PrimitiveView {
    public init(_ title: LocalizedStringKey, text: Binding<String>) {}
}

public struct SecureField: PrimitiveView {
    public init(_ title: LocalizedStringKey, text: Binding<String>) {}
}

public struct Button: PrimitiveView {
    public init(_ title: LocalizedStringKey, action: @escaping @MainActor () -> Void) {}
}

public struct Image: PrimitiveView {
    public init(systemName: String) {}
}

public struct ProgressView: PrimitiveView {
    public init() {}
}

public struct Spacer: PrimitiveView {
    nonisolated public init() {}
}
