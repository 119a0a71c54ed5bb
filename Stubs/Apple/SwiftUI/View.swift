// A stub for the part of SwiftUI that views and listings use, so that they are type-checked on Linux. It has the isolation
// and the signatures of Apple's declarations and no behavior: every modifier returns its view. All declarations exist in
// iOS 15, macOS 12, tvOS 15 and watchOS 8, except those in Newer.

@_exported import Foundation

// Apple's Foundation contains all of it.
#if canImport(FoundationNetworking)
    @_exported import FoundationNetworking
#endif

@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public var body: Never { self }
}

extension Optional: View where Wrapped: View {}

/// A view without a body.
@MainActor @preconcurrency
public protocol PrimitiveView: View where Body == Never {}

extension PrimitiveView {
    public var body: Never { preconditionFailure("a stand-in is type-checked, never run") }
}

extension Optional: PrimitiveView where Wrapped: View {}

@resultBuilder
public enum ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<(repeat each Content)> { TupleView() }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(first: First) -> ConditionalContent<First, Second> {
        ConditionalContent()
    }
    public static func buildEither<First: View, Second: View>(second: Second) -> ConditionalContent<First, Second> {
        ConditionalContent()
    }
}

public struct EmptyView: PrimitiveView {
    nonisolated public init() {}
}

public struct TupleView<Content>: PrimitiveView {}

public struct AnyView: PrimitiveView {
    nonisolated public init<Content: View>(_ view: Content) {}
}

public struct ConditionalContent<First: View, Second: View>: PrimitiveView {}
