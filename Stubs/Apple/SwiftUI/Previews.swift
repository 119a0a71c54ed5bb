@MainActor @preconcurrency
public protocol PreviewProvider {
    associatedtype Previews: View
    @ViewBuilder static var previews: Previews { get }
}

public enum ColorScheme: CaseIterable, Sendable { case light, dark }

extension View {
    public func previewDisplayName(_ name: String?) -> some View { self }
    public func preferredColorScheme(_ scheme: ColorScheme?) -> some View { self }
}
