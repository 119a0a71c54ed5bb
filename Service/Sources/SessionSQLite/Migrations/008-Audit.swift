extension Migration {
    /// Events with the user that they are about and the context that caused them. Each index serves one filter of the list,
    /// newest first; `events_by_time` also serves the deletion of old events.
    static let audit = Migration(
        number: 8, name: "audit",
        sql: """
            ALTER TABLE events ADD COLUMN user_id TEXT;
            ALTER TABLE events ADD COLUMN context TEXT NOT NULL DEFAULT '{}';
            UPDATE events SET user_id = json_extract(data, '$.user_id');
            DROP INDEX events_by_app;
            DROP INDEX events_by_age;
            CREATE INDEX events_by_time ON events (app_id, created_at);
            CREATE INDEX events_by_user ON events (app_id, user_id, created_at);
            CREATE INDEX events_by_name ON events (app_id, name, created_at);
            """)
}
