import CEmbeddedFiles
import SessionHTTP

/// The modules of the playground. Their paths contain hashes, so each import names the path of the imported module.
enum PlaygroundScripts {
    /// What the page loads.
    static let main: Asset = all[all.count - 1]

    /// Each module follows those that it imports.
    static let all: [Asset] = {
        let sources: [(name: String, bytes: [UInt8])] = [
            ("prelude-session.js", WebClientModule.bytes), ("tokens.js", [UInt8](cembedded_tokens_js())),
            ("members.js", [UInt8](cembedded_members_js())), ("fields.js", [UInt8](cembedded_fields_js())),
            ("calls.js", [UInt8](cembedded_calls_js())), ("playground.js", [UInt8](cembedded_playground_js())),
        ]
        var modules: [(name: String, asset: Asset)] = []
        for source in sources {
            let text = modules.reduce(String(decoding: source.bytes, as: UTF8.self)) { text, module in
                text.replacing("\"./\(module.name)\"", with: "\"./\(module.asset.fileName)\"")
            }
            modules.append((source.name, Asset("text/javascript; charset=utf-8", end: ".js", text)))
        }
        return modules.map(\.asset)
    }()
}
