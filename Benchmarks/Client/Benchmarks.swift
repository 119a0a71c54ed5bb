import PreludeSession

/// The benchmarks of the client SDK, one per file.
let benchmarks: @Sendable () -> Void = {
    proofCreation()
    warmRefresh()
    appCall(bound: false)
    appCall(bound: true)
    everybodyAtOnce()
    coldStart("refresh()") { try await $0.refresh() }
    coldStart("profile") { guard await $0.profile != nil else { throw Unexpected("nobody is signed in") } }
}

/// A benchmark did not execute the operation that it measures.
struct Unexpected: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
