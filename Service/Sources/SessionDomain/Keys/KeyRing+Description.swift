// The default descriptions show all members. A log line or an error that contains one of these values must not contain
// a key.

extension MasterKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "MasterKey(\(id))" }
    package var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

extension KeyRing: CustomStringConvertible, CustomReflectable {
    package var description: String { "KeyRing(\(ids.sorted().joined(separator: ", ")))" }
    package var customMirror: Mirror { Mirror(self, children: ["ids": ids.sorted()]) }
}
