// Declarations of iOS 17, macOS 14, tvOS 17 and watchOS 10. The views of the package must not use them.

extension Scene {
    public func onChange<Value: Equatable>(
        of value: Value, _ action: @escaping (_ old: Value, _ new: Value) -> Void
    ) -> some Scene { self }
}

extension View {
    public func onChange<Value: Equatable>(
        of value: Value, _ action: @escaping (_ old: Value, _ new: Value) -> Void
    ) -> some View { self }
}
