import Dispatch
import Foundation

/// Stops the servers when this process gets SIGINT or SIGTERM, so that none stays.
struct Interruption {
    private let sources: [any DispatchSourceSignal]

    /// - Parameter folder: It is removed.
    init(stopping processes: [ChildProcess], removing folder: URL) {
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                for process in processes { process.stop() }
                try? FileManager.default.removeItem(at: folder)
                exit(128 + number)
            }
            source.resume()
            return source
        }
    }

    func cancel() {
        for source in sources { source.cancel() }
    }
}
