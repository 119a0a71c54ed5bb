extension CopiedTable {
    /// Everything that a store keeps. A row comes after the rows to which it belongs.
    package static let all = [
        CopiedTable("apps", order: "id", texts: "id settings", integers: "created_at"),
        CopiedTable(
            "signing_keys", place: "sequence", order: "sequence app_id purpose key_id",
            texts: "app_id purpose key_id algorithm", integers: "created_at active_from retires_at remove_after",
            bytes: "sealed_private_key"),
        CopiedTable(
            "management_keys", order: "id", texts: "id hash name app_id role created_by",
            integers: "created_at expires_at last_used_at"),
        CopiedTable(
            "users", order: "app_id id", texts: "app_id id status external_id profile password_hash locale",
            integers: "login_epoch created_at updated_at"),
        CopiedTable("external_ids", order: "app_id external_id", texts: "app_id external_id user_id"),
        CopiedTable(
            "identifiers", order: "app_id type canonical", texts: "app_id type canonical value user_id",
            integers: "position held_until"),
        CopiedTable(
            "sessions", order: "app_id id",
            texts: """
                app_id id user_id key_thumbprint last_proof last_attempt earlier_attempts scopes device_id device_model \
                device_type os_version country_code
                """,
            integers: """
                generation created_at last_seen_at rotated_at settled_generation idle_expires_at absolute_expires_at \
                revoked_at purge_hour
                """, booleans: "demands_nonce"),
        CopiedTable("proofs", order: "app_id key", texts: "app_id", integers: "key expires_at"),
        CopiedTable("redemptions", order: "app_id id", texts: "app_id id kind", integers: "expires_at"),
        CopiedTable(
            "deleted_redemptions", order: "app_id kind expiry_hour", texts: "app_id kind",
            integers: "expiry_hour last_expiry"),
        CopiedTable(
            "verifications", order: "app_id token_hash",
            texts: """
                app_id token_hash type canonical value login_config_id code_challenge code_hash code_seed \
                previous_code_hash payers
                """, integers: "code_expires_at previous_code_expires_at checks sends last_sent_at created_at",
            booleans: "is_suppressed"),
        CopiedTable("counters", order: "app_id key", texts: "app_id key", integers: "count resets_at"),
        CopiedTable(
            "challenges", order: "app_id id",
            texts: "app_id id user_id session_id scope grant_mode steps new_identifier token_id",
            integers: "granted_for created_at steps_done wrong_codes expires_at completed_at redeemed_at"),
        CopiedTable(
            "grants", order: "app_id id", texts: "app_id id user_id session_id scope mode",
            integers: "generation expires_at"),
        CopiedTable(
            "events", place: "sequence", order: "sequence app_id id", texts: "app_id id name data user_id context",
            integers: "created_at"),
        CopiedTable(
            "webhooks", order: "app_id id", texts: "app_id id url events status verification_token",
            integers: "created_at updated_at"),
        CopiedTable(
            "webhook_deliveries", place: "sequence", order: "sequence app_id webhook_id event_id",
            texts: "app_id webhook_id event_id status last_error",
            integers: "attempts next_attempt_at last_status delivered_at"),
        CopiedTable(
            "messages", order: "app_id id",
            texts: "app_id id type canonical value content context status rejected_routes last_failure",
            integers: "created_at expires_at route attempts next_attempt_at", booleans: "has_code"),
    ]
}
