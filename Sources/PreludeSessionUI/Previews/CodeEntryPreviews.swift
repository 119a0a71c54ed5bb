#if DEBUG && canImport(SwiftUI)
    internal import PreludeSession
    internal import SwiftUI

    /// A code entry without a service. The code 111111 is right, 222222 has no connection, 333333 has expired.
    struct CodeEntryPreviews: PreviewProvider {
        static var previews: some View {
            PreviewVariants { CodeEntryView(model: model, sentTo: "ada@example.com") {} }
        }

        private static var model: CodeEntryModel {
            let model = CodeEntryModel(
                check: { code in
                    switch code {
                    case "111111": return
                    case "222222": throw PreludeSessionError.timeout
                    case "333333": throw PreludeSessionError.unauthorized("")
                    default: throw PreludeSessionError.invalidOTPCode("")
                    }
                }, resend: {})
            model.enter("123")
            return model
        }
    }
#endif
