/// The master keys after a restore.
package enum RestoredMasterKeys {
    /// Returns the existing keys and those of the backup, without repetition.
    ///
    /// The backup's keys open its signing keys. The existing ones are kept: devices that refreshed after the backup have
    /// tokens that were made with them.
    package static func merge(existing: [MasterKey], backup: [MasterKey]) -> [MasterKey] {
        existing + missing(in: existing, of: backup)
    }

    /// Returns the keys of the backup that do not exist.
    package static func missing(in existing: [MasterKey], of backup: [MasterKey]) -> [MasterKey] {
        backup.filter { !existing.contains($0) }
    }
}
