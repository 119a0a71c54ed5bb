/// Appends events that belong to no other write, such as a failed hook.
package struct AppendEvents: Intent {
    package let events: [Event]

    package init(_ events: [Event]) { self.events = events }

    package var facts: FactQuery { FactQuery(app: events.first?.appID) }

    package func decide(_ facts: Facts) -> Decision<Void> { Decision((), events.map { .append($0) }) }
}
