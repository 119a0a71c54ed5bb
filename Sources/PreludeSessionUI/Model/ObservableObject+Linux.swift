#if !canImport(Combine)
    /// Stands in for Combine's protocol, so that the models compile and are tested on Linux.
    package protocol ObservableObject: AnyObject {}

    extension ObservableObject {
        /// Stands in for the publisher of changes. There are no views that observe them.
        var objectWillChange: UnobservedChanges { UnobservedChanges() }
    }

    struct UnobservedChanges {
        func send() {}
    }
#endif
