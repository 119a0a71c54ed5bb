#if canImport(SwiftUI)
    internal import SwiftUI

    #if os(macOS)
        internal import AppKit
    #elseif !os(watchOS)
        internal import UIKit
    #endif

    extension View {
        /// The keyboard of digits, and autofill of codes from messages.
        func oneTimeCode() -> some View {
            #if os(macOS)
                textContentType(.oneTimeCode)
            #elseif os(watchOS)
                self
            #else
                textContentType(.oneTimeCode).keyboardType(.numberPad)
            #endif
        }

        #if !os(watchOS)
            /// The border of a field for a password, and the offer of a strong one where the system has it.
            func newPassword() -> some View {
                #if os(macOS)
                    textFieldStyle(.roundedBorder)
                #elseif os(tvOS)
                    textContentType(.newPassword)
                #else
                    textFieldStyle(.roundedBorder).textContentType(.newPassword).textInputAutocapitalization(.never)
                #endif
            }
        #endif
    }
#endif
