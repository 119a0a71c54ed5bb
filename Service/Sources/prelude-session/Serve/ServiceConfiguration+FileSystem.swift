import Foundation

extension ServiceConfiguration {
    /// Checks that the database is on a file system of this machine.
    ///
    /// - Parameter path: The path of the database, which need not exist. The file and its folder can be on different
    ///   mounts. SQLite writes its log beside the file that a symbolic link names.
    func checkFileSystem(ofDatabase path: String) throws {
        let file = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        for place in [file, file.deletingLastPathComponent()] {
            if let problem = Mount.containing(place.path)?.problem(ofDatabase: path) {
                throw settings.error(.database, problem)
            }
        }
    }
}
