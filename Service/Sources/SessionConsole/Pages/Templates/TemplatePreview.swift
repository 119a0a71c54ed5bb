import SessionDomain

/// A message as a user would get it, with sample values.
enum TemplatePreview {
    /// - Parameters:
    ///   - isDraft: Whether the texts are not stored.
    ///   - frame: The address of the HTML part of a mail. `nil`: the texts are too long for an address.
    static func html(_ preview: MessagePreview, isDraft: Bool, frame: ConsolePath?) -> HTML {
        let message = preview.message
        return H.section(.class("card"), .id("preview")) {
            H.h2 { isDraft ? "Preview of what you entered" : "Preview" }
            if isDraft { H.p(.class("message warn"), .role("status")) { "This text is not saved yet." } }
            for warning in preview.warnings { H.p(.class("message warn")) { Show.sentence(warning) } }
            H.dl(.class("values")) {
                if let subject = message.subject { Show.pair("Subject", subject) }
                if let length = preview.length {
                    Show.pair("Length", "\(length.units) characters, \(Show.count(length.segments, "segment"))")
                    Show.pair("Alphabet", length.encoding == .gsm7 ? "GSM" : "Unicode")
                }
                H.dt { "Text" }
                H.dd { H.pre(.lang(message.locale.tag)) { H.bdi { message.text } } }
            }
            if message.html != nil {
                if let frame {
                    H.iframe(.class("mail"), .src(frame), .sandbox, .title("The mail with its layout")) {}
                } else {
                    H.p(.class("hint")) { "The text is too long to be shown with its layout before it is saved." }
                }
            }
        }
    }
}
