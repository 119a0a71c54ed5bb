import Foundation
import PreludeSessionTesting
import SessionDomain
import Testing

@testable import SessionConsole

@Suite("The explanations of events in the form of a webhook")
struct EventTextTests {
    @Test("Each event that a webhook can get has one, and no other event")
    func complete() {
        let names = (Webhook.standardEvents + Webhook.furtherEvents).map(\.rawValue)
        #expect(Set(names) == Set(EventText.sentences.keys))
        for sentence in EventText.sentences.values { #expect(sentence.hasSuffix(".") && sentence.count <= 90) }
    }

    @Test("The form shows it as the description of its checkbox")
    func form() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        let text = try await browser.get(ConsoleWorld.app + "/webhooks/new").text
        for (name, sentence) in EventText.sentences {
            let id = name.replacing(".", with: "-")
            #expect(text.contains("event-\(id)-hint\">\(sentence)</p>"), "\(name)")
        }
    }
}
