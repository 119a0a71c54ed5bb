// The keyboard and autofill differ between the systems.

#if os(macOS)
    import AppKit

    extension View {
        public func textContentType(_ type: NSTextContentType?) -> some View { self }
    }
#elseif !os(watchOS)
    import UIKit

    extension View {
        public func textContentType(_ type: UITextContentType?) -> some View { self }
        public func keyboardType(_ type: UIKeyboardType) -> some View { self }
    }
#endif

#if !os(macOS)
    public struct TextInputAutocapitalization: Sendable {
        public static var never: TextInputAutocapitalization { TextInputAutocapitalization() }
    }

    extension View {
        public func textInputAutocapitalization(_ value: TextInputAutocapitalization?) -> some View { self }
    }
#endif
