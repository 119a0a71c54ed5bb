import Foundation
import Testing

@testable import SessionDomain

@Suite("Mails in HTML")
struct HTMLMailTests {
    private static let tags: [String] = ["de", "en", "es", "fr", "ja"]

    private func mail(
        _ purpose: TemplatePurpose, _ tag: String, appName: String = "Example", code: String = "123456"
    ) throws -> RenderedMessage {
        var values = purpose.hasCode ? TemplateValues.code(code, lifetime: 600) : TemplateValues()
        if !purpose.hasCode {
            values.time = now
            values.device = .android
            values.identifier = "m***@example.com"
        }
        return MessageTemplates(appName: appName, settings: MessageSettings())
            .render(purpose, .email, in: try #require(MessageLocale(tag)), values: values)
    }

    /// What a reader sees of the body: without marks, in lines.
    private func visible(_ html: String) throws -> [String] {
        let body = try #require(html.range(of: "<body")).lowerBound
        var text = html[body...].replacingOccurrences(of: "</p>", with: "\n")
        text = text.replacingOccurrences(of: "<[^>]*>", with: "", options: .regularExpression)
        for (entity, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")] {
            text = text.replacingOccurrences(of: entity, with: character)
        }
        return lines(text)
    }

    private func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    @Test(
        "Text and HTML say the same",
        arguments: tags.flatMap { tag in TemplatePurpose.allCases.map { (tag, $0) } })
    func same(tag: String, purpose: TemplatePurpose) throws {
        let mail = try mail(purpose, tag, appName: "R&D <x> \"y\" 'z'")
        #expect(try visible(try #require(mail.html)) == lines(mail.text))
    }

    // Proves: M16
    @Test("Every value is escaped")
    func escaped() throws {
        let mail = try mail(.signIn, "en", appName: "<b>&\"'</b><img src=x>")
        let html = try #require(mail.html)
        #expect(!html.contains("<b>") && !html.contains("<img"))
        #expect(html.contains("&lt;b&gt;&amp;&quot;&#39;&lt;/b&gt;&lt;img src=x&gt;"))
        #expect(html.contains("<title>Your sign-in code for &lt;b&gt;"))
        // A sign with a combining mark is one character of Swift, and still a sign of HTML.
        #expect(try #require(try self.mail(.signIn, "en", appName: "<\u{301}b>").html).contains("&lt;\u{301}b&gt;"))
    }

    // Proves: M14
    @Test("A mail loads nothing and has no links, scripts or forms", arguments: TemplatePurpose.allCases)
    func resources(purpose: TemplatePurpose) throws {
        let html = try #require(try mail(purpose, "en").html).lowercased()
        for word in ["href", "src", "url(", "://", "@import", "<script", "<form", "<a ", "<img", "<link", "onload"] {
            #expect(!html.contains(word), "\(word)")
        }
    }

    @Test("The code is in a paragraph of its own, in large digits, and says its language")
    func code() throws {
        let html = try #require(try mail(.stepUp, "ja").html)
        #expect(html.contains(#"<html lang="ja" dir="ltr">"#))
        #expect(html.components(separatedBy: #"class="code""#).count == 2)
        #expect(html.contains(">123456</p>") && html.contains("font-size: 28px"))
        #expect(html.contains("prefers-color-scheme: dark") && html.contains(#"content="light dark""#))
        #expect(!(try #require(try mail(.passwordChanged, "ja").html)).contains(#"class="code""#))
    }

    @Test("Languages that are written from right to left are shown so")
    func rightToLeft() throws {
        let locale = try #require(MessageLocale("ar-EG"))
        let html = HTMLMail(locale: locale, subject: "x", text: "رمزك\n\n123456", code: "123456").html
        #expect(html.contains(#"<html lang="ar-EG" dir="rtl">"#) && html.contains(#"<p class="code" dir="ltr""#))
    }

    @Test("Paragraphs are separated by empty lines, and lines of one by breaks")
    func paragraphs() {
        let html = HTMLMail(locale: .english, subject: "x", text: "a\nb\n\n \n\nc", code: nil).html
        #expect(html.contains(">a<br>\nb</p>") && html.contains(">c</p>"))
        #expect(html.components(separatedBy: "<p ").count == 3)
    }
}
