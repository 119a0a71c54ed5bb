import Foundation

extension BackupFolder {
    /// Gives the backup to a shell command, as a tar archive on its standard input, and deletes it.
    ///
    /// - Throws: `ConfigurationError` if `tar` or the command fails. The directory stays then.
    func send(to command: String) throws {
        let url = URL(fileURLWithPath: path)
        let archive = Pipe()
        let tar = Self.process(
            "tar", ["--create", "--directory", url.deletingLastPathComponent().path, url.lastPathComponent])
        tar.standardOutput = archive
        let receiver = Self.process("sh", ["-c", command])
        receiver.standardInput = archive
        // Standard output has what this command prints.
        receiver.standardOutput = FileHandle.standardError
        do {
            try receiver.run()
            try tar.run()
        } catch {
            throw ConfigurationError("to", "\(error). The backup is in \(path)")
        }
        // Without these, the command waits for the end of an archive that this process keeps open.
        try? archive.fileHandleForWriting.close()
        try? archive.fileHandleForReading.close()
        tar.waitUntilExit()
        receiver.waitUntilExit()
        guard tar.terminationStatus == 0, receiver.terminationStatus == 0 else {
            throw ConfigurationError(
                "to",
                "the command failed (exit codes: tar \(tar.terminationStatus), command \(receiver.terminationStatus)). "
                    + "The backup is in \(path)")
        }
        try FileManager.default.removeItem(atPath: path)
    }

    private static func process(_ name: String, _ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [name] + arguments
        // Secrets of the service are not for other programs.
        process.environment = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix(EnvironmentVariables.prefix)
        }
        return process
    }
}
