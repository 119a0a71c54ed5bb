import Foundation

public protocol Shape: View, Sendable {}

public protocol InsettableShape: Shape {}

public enum RoundedCornerStyle: Sendable { case circular, continuous }

public struct Rectangle: InsettableShape, PrimitiveView {
    nonisolated public init() {}
}

public struct Capsule: InsettableShape, PrimitiveView {
    nonisolated public init(style: RoundedCornerStyle = .circular) {}
}

public struct RoundedRectangle: InsettableShape, PrimitiveView {
    nonisolated public init(cornerRadius: CGFloat, style: RoundedCornerStyle = .circular) {}
}

extension InsettableShape {
    public func strokeBorder<Style: ShapeStyle>(
        _ content: Style, lineWidth: CGFloat = 1, antialiased: Bool = true
    ) -> some View { self }
}

extension View {
    public func contentShape<S: Shape>(_ shape: S, eoFill: Bool = false) -> some View { self }
    public func clipShape<S: Shape>(_ shape: S) -> some View { self }
}

public protocol ShapeStyle: Sendable {}

public struct Color: ShapeStyle, Hashable {
    public static let red = Color()
    public static let green = Color()
    public static let orange = Color()
    public static let indigo = Color()
    public static let clear = Color()
    public static let primary = Color()
    public static let secondary = Color()
    public static var accentColor: Color { Color() }
    public func opacity(_ opacity: Double) -> Color { self }
}

extension Color: View, PrimitiveView {}

public struct HierarchicalShapeStyle: ShapeStyle {
    public static let secondary = HierarchicalShapeStyle()
}

extension ShapeStyle where Self == Color {
    public static var red: Color { Color.red }
    public static var green: Color { Color.green }
    public static var orange: Color { Color.orange }
}

extension ShapeStyle where Self == HierarchicalShapeStyle {
    public static var secondary: HierarchicalShapeStyle { HierarchicalShapeStyle.secondary }
}
