import Foundation
import PreludeSessionTesting
import Synchronization
import Testing

@testable import PreludeSession

@Suite("An app and its extension", .eachStore, .timeLimit(.minutes(5)))
struct AppGroupStory {
    /// The expiring activity of one process. The test ends its time.
    private final class Activity: ExpiringActivity {
        private let blocks = Mutex<[@Sendable (Bool) -> Void]>([])

        func perform(_ reason: String, _ block: @escaping @Sendable (_ isExpired: Bool) -> Void) {
            blocks.withLock { $0.append(block) }
            Thread.detachNewThread { block(false) }
        }

        func expire() {
            for block in blocks.withLock({ $0 }) { Thread.detachNewThread { block(true) } }
        }
    }

    /// The shared records with the locks of one process.
    private struct ProcessStore: PreludeCredentialStore {
        let records: PreludeInMemoryCredentialStore
        let lock: FileLock

        func read(_ name: String) async throws -> Data? { await records.read(name) }
        func write(_ data: Data, to name: String) async throws { await records.write(data, to: name) }
        func create(_ data: Data, at name: String) async throws -> Bool { try await records.create(data, at: name) }
        func delete(_ name: String) async throws { await records.delete(name) }

        func withLock<Answer: Sendable>(
            _ name: String, _ work: @Sendable () async throws -> Answer
        ) async throws -> Answer { try await lock.with(name, work) }
    }

    // Proves: R24, E3
    @Test(
        "An app that is suspended during a refresh releases the lock, and the refresh of its extension harms neither",
        arguments: [0, 1, 2])
    func suspendedDuringRefresh(refreshesOfExtension: Int) async throws {
        let directory = NSTemporaryDirectory() + "prelude-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let world = try await ServiceWorld()
        let (records, activity, faults) = (PreludeInMemoryCredentialStore(), Activity(), TestService.Faults())
        let app = try await world.signedIn(
            store: ProcessStore(records: records, lock: FileLock(directory: directory, activity: activity)),
            faults: faults)
        // Another spelling of the directory is another process for the locks within one process.
        let other = try world.client(
            store: ProcessStore(records: records, lock: FileLock(directory: directory + "/.", activity: Activity())))
        let id = try #require(await app.sessionID)
        world.clock.advance(seconds: 280)
        faults.interrupt(.refresh) {
            // The service has processed the request, and the response does not arrive before the app runs again.
            activity.expire()
            for _ in 0..<refreshesOfExtension {
                // Waits for the app's lock, without which it could not finish.
                let user = try await other.refresh()
                #expect(user.profile.sessionID == id)
                world.clock.advance(seconds: 280)
            }
        }
        #expect(try await app.refresh().profile.sessionID == id)
        for client in [other, app, other] {
            world.clock.advance(seconds: 280)
            #expect(try await client.refresh().profile.sessionID == id)
        }
        #expect(try await app.listSessions().total == 1)
    }
}
