import Foundation

public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

public struct EnvironmentValues {
    public init() {}
    public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
        get { Key.defaultValue }
        set { _ = newValue }
    }

    public var scenePhase: ScenePhase { .active }
    public var locale: Locale {
        get { .current }
        set { _ = newValue }
    }
    public var layoutDirection: LayoutDirection {
        get { .leftToRight }
        set { _ = newValue }
    }
    public var dynamicTypeSize: DynamicTypeSize {
        get { .large }
        set { _ = newValue }
    }
}

public enum LayoutDirection: Sendable { case leftToRight, rightToLeft }

public enum DynamicTypeSize: Hashable, Comparable, CaseIterable, Sendable {
    case xSmall, small, medium, large, xLarge, xxLarge, xxxLarge
    case accessibility1, accessibility2, accessibility3, accessibility4, accessibility5
    public var isAccessibilitySize: Bool { self >= .accessibility1 }
}

@propertyWrapper
public struct Environment<Value> {
    private let path: KeyPath<EnvironmentValues, Value>
    public init(_ path: KeyPath<EnvironmentValues, Value>) { self.path = path }
    public var wrappedValue: Value { EnvironmentValues()[keyPath: path] }
}

extension View {
    public func environment<Value>(
        _ path: WritableKeyPath<EnvironmentValues, Value>, _ value: Value
    ) -> some View { self }
}
