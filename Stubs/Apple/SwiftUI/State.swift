public protocol ObservableObject: AnyObject {}

@propertyWrapper
public struct Published<Value> {
    public var wrappedValue: Value
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

@propertyWrapper
public struct State<Value> {
    private let initial: Value
    public init(wrappedValue: Value) { initial = wrappedValue }
    public init(initialValue: Value) { initial = initialValue }
    public var wrappedValue: Value {
        get { initial }
        nonmutating set { _ = newValue }
    }
    public var projectedValue: Binding<Value> { Binding(get: { initial }, set: { _ in }) }
}

extension State: Sendable where Value: Sendable {}

@propertyWrapper
public struct Binding<Value> {
    private let read: () -> Value
    private let write: (Value) -> Void
    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {
        read = get
        write = set
    }
    public var wrappedValue: Value {
        get { read() }
        nonmutating set { write(newValue) }
    }
}

@propertyWrapper
public struct StateObject<Object: ObservableObject> {
    private let make: () -> Object
    public init(wrappedValue: @autoclosure @escaping () -> Object) { make = wrappedValue }
    @MainActor @preconcurrency public var wrappedValue: Object { make() }
}
