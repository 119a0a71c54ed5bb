@_exported import Combine

@propertyWrapper
public struct State<Value> {
    private let initial: Value
    public init(wrappedValue: Value) { initial = wrappedValue }
    public init(initialValue: Value) { initial = initialValue }
    public var wrappedValue: Value {
        get { initial }
        nonmutating set { _ = newValue }
    }
    public var projectedValue: Binding<Value> {
        Binding(get: { preconditionFailure("a stand-in is type-checked, never run") }, set: { _ in })
    }
}

extension State where Value: ExpressibleByNilLiteral {
    public init() { self.init(wrappedValue: nil) }
}

extension State: Sendable where Value: Sendable {}

@propertyWrapper @dynamicMemberLookup
public struct Binding<Value> {
    @preconcurrency public init(
        get: @escaping @isolated(any) @Sendable () -> Value, set: @escaping @isolated(any) @Sendable (Value) -> Void
    ) {}
    public var wrappedValue: Value {
        get { preconditionFailure("a stand-in is type-checked, never run") }
        nonmutating set { _ = newValue }
    }
    public var projectedValue: Binding<Value> { self }
    public subscript<Member>(dynamicMember path: WritableKeyPath<Value, Member>) -> Binding<Member> {
        preconditionFailure("a stand-in is type-checked, never run")
    }
}

@propertyWrapper
public struct StateObject<Object: ObservableObject> {
    private let make: () -> Object
    nonisolated public init(wrappedValue: @autoclosure @escaping () -> Object) { make = wrappedValue }
    @MainActor @preconcurrency public var wrappedValue: Object { make() }
    @MainActor @preconcurrency public var projectedValue: ObservedObject<Object>.Wrapper { .init() }
}

@MainActor @preconcurrency @propertyWrapper
public struct ObservedObject<Object: ObservableObject> {
    @MainActor @preconcurrency @dynamicMemberLookup
    public struct Wrapper {
        public subscript<Value>(dynamicMember path: ReferenceWritableKeyPath<Object, Value>) -> Binding<Value> {
            preconditionFailure("a stand-in is type-checked, never run")
        }
    }

    public var wrappedValue: Object
    public init(wrappedValue: Object) { self.wrappedValue = wrappedValue }
    public var projectedValue: Wrapper { Wrapper() }
}

@propertyWrapper
public struct FocusState<Value: Hashable> {
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
    public func focused(_ condition: FocusState<Bool>.Binding) -> some View { self }
}

@propertyWrapper
public struct ScaledMetric<Value: BinaryFloatingPoint> {
    public let wrappedValue: Value
    public init(wrappedValue: Value, relativeTo style: Font.TextStyle) { self.wrappedValue = wrappedValue }
}
