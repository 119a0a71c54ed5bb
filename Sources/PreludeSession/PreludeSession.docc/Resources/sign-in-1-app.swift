import PreludeSession
import SwiftUI

@main
struct NotesApp: App {
    private let client: PreludeSessionClient

    init() {
        do {
            client = try PreludeSessionClient()
        } catch {
            preconditionFailure("The settings of the client cannot work: \(error)")
        }
    }

    var body: some Scene {
        WindowGroup {
            Text("You are signed out.")
        }
    }
}
