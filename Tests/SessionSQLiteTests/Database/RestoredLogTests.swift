internal import Foundation
internal import SessionDomain
internal import Synchronization
internal import Testing

@testable internal import SessionSQLite

@Suite("A deleted log that is written again while other threads open files")
struct RestoredLogTests {
    /// Files that threads create, look at and delete.
    private final class OtherFiles: Sendable {
        private let isDone = Atomic(false)
        private let exchanged = Atomic(0)

        var exchangedDescriptors: Int { exchanged.load(ordering: .relaxed) }

        func stop() { isDone.store(true, ordering: .relaxed) }

        func use(_ name: String) {
            while !isDone.load(ordering: .relaxed) {
                let file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
                let mine = FileIdentity(path: name)
                if (0..<20).contains(where: { _ in FileIdentity(descriptor: file) != mine }) {
                    exchanged.add(1, ordering: .relaxed)
                }
                unlink(name)
                close(file)
            }
        }
    }

    @Test("Descriptors of other files keep their meaning")
    func others() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store.sqlite")
        let store = try SQLiteStore.open(.file(path))
        let others = OtherFiles()
        for number in 0..<3 {
            let name = directory.path("other-\(number)")
            Thread.detachNewThread { others.use(name) }
        }
        for _ in 0..<200 {
            try FileManager.default.removeItem(atPath: path + "-wal")
            try await store.checkWriting()
        }
        others.stop()
        #expect(others.exchangedDescriptors == 0)
        try await store.close()
    }
}
