/// A view that appears: its task, after it has reached the first suspension of its work.
///
/// The work and the test share the main actor, so no other code runs between the signal and that suspension.
@MainActor
func appear(_ work: @escaping @MainActor () async -> Void) async -> Task<Void, Never> {
    let (started, source) = AsyncStream.makeStream(of: Void.self)
    let task = Task { @MainActor in
        source.yield()
        await work()
    }
    for await _ in started { break }
    return task
}
