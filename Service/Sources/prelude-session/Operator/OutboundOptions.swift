import ArgumentParser

/// The option of commands that name a URL of the operator, which the service calls.
struct OutboundOptions: ParsableArguments {
    @Flag(help: "Allow http and the addresses of this machine in URLs, as development mode does.")
    var development = false

    var flags: [ServiceConfiguration.Key: String] { development ? [.development: "true"] : [:] }
}
