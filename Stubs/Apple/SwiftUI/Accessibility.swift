public struct AccessibilityChildBehavior: Hashable, Sendable {
    public static let ignore = AccessibilityChildBehavior()
    public static let contain = AccessibilityChildBehavior()
    public static let combine = AccessibilityChildBehavior()
}

public struct AccessibilityTraits: SetAlgebraStub, Sendable {
    public static let isHeader = AccessibilityTraits()
}

/// Apple's type is a `SetAlgebra`. The views only pass its members on.
public protocol SetAlgebraStub {}

@propertyWrapper
public struct AccessibilityFocusState<Value: Hashable> {
    @propertyWrapper
    public struct Binding {
        public init() {}
        public var wrappedValue: Value {
            get { preconditionFailure("a stand-in is type-checked, never run") }
            nonmutating set { _ = newValue }
        }
    }

    public init() where Value == Bool {}
    public var wrappedValue: Value {
        get { preconditionFailure("a stand-in is type-checked, never run") }
        nonmutating set { _ = newValue }
    }
    public var projectedValue: Binding { Binding() }
}

extension View {
    public func accessibilityLabel(_ label: Text) -> some View { self }
    public func accessibilityValue(_ value: Text) -> some View { self }
    public func accessibilityHidden(_ hidden: Bool) -> some View { self }
    public func accessibilityAddTraits(_ traits: AccessibilityTraits) -> some View { self }
    public func accessibilityElement(children: AccessibilityChildBehavior = .ignore) -> some View { self }
    public func accessibilityFocused(_ condition: AccessibilityFocusState<Bool>.Binding) -> some View { self }
}
