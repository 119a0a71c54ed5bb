import Testing

@testable import PreludeSession

@Suite("The directory of an app that names none")
struct DataDirectoryTests {
    private func path(_ environment: [String: String], home: String = "/users/ada", app: String = "notes") -> String? {
        DataDirectory.path(environment: environment, home: home, app: app)
    }

    @Test("Each app has its own folder")
    func apps() {
        #expect(path(["XDG_DATA_HOME": "/data"]) == "/data/prelude-session/notes")
        #expect(path(["XDG_DATA_HOME": "/data"], app: "com.example.app") == "/data/prelude-session/com.example.app")
        #expect(path(["XDG_DATA_HOME": "/data"], app: "a/b c") == "/data/prelude-session/a_b_c")
    }

    @Test("No name of an app leads to another folder", arguments: ["", ".", ".."])
    func strangeNames(app: String) throws {
        let folder = try #require(path(["XDG_DATA_HOME": "/data"], app: app)?.dropFirst("/data/prelude-session/".count))
        #expect(!folder.isEmpty && !folder.hasPrefix("."))
    }

    #if os(Linux)
        @Test(
            "Without an absolute home there is no directory, and XDG_DATA_HOME needs no home", arguments: ["", "home"])
        func noHome(home: String) {
            #expect(path([:], home: home) == nil)
            #expect(path(["HOME": home, "XDG_DATA_HOME": home], home: home) == nil)
            #expect(path(["HOME": "/other"], home: home) == "/other/.local/share/prelude-session/notes")
            #expect(path(["XDG_DATA_HOME": "/data"], home: home) == "/data/prelude-session/notes")
        }

        @Test("HOME counts, and a relative directory does not")
        func home() {
            #expect(path(["HOME": "/other"]) == "/other/.local/share/prelude-session/notes")
            #expect(path([:]) == "/users/ada/.local/share/prelude-session/notes")
            for relative in ["", "relative", "~/data"] {
                #expect(path(["HOME": relative]) == "/users/ada/.local/share/prelude-session/notes")
                #expect(
                    path(["HOME": "/other", "XDG_DATA_HOME": relative])
                        == "/other/.local/share/prelude-session/notes")
            }
        }
    #endif
}
