extension Schema {
    /// - `append` and `rx_publish` refuse ids that may not fit into the index `messages_by_id`. A row of the index has
    ///   at most 2 704 bytes. If the inbox contained a longer id, `sequence` would fail, and block the stream.
    /// - `rx_publish` refuses headers that are not an object of strings.
    static let second = """
        CREATE FUNCTION @.check_ids(s @.streams, ids text[]) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE
            longest integer;
        BEGIN
            SELECT max(octet_length(i)) INTO longest FROM unnest(ids) AS i;
            IF longest > 2048 THEN
                RAISE EXCEPTION 'stream % stores ids of at most 2048 bytes, and that of a message has %', s.name,
                    longest USING ERRCODE = 'RX002';
            END IF;
        END $$;

        CREATE FUNCTION @.check_headers(s @.streams, headers jsonb) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            IF jsonb_typeof(headers) = 'object' THEN
                IF NOT EXISTS (SELECT FROM jsonb_each(headers) AS h WHERE jsonb_typeof(h.value) <> 'string') THEN
                    RETURN;
                END IF;
            ELSIF headers IS NULL THEN
                RETURN;
            END IF;
            RAISE EXCEPTION 'stream % stores headers that are a JSON object of strings, and those of a message are %',
                s.name, left(headers::text, 200) USING ERRCODE = 'RX002';
        END $$;

        CREATE OR REPLACE FUNCTION @.append(
            in_name text, subjects text[], ids text[], all_headers text[], payloads bytea[]
        ) RETURNS TABLE (at_position bigint, is_duplicate boolean) LANGUAGE plpgsql AS $$
        DECLARE
            s @.streams := @.named(in_name);
        BEGIN
            PERFORM @.commit_to_disk();
            PERFORM @.lock_stream(s.id);
            -- The stream may have been changed or removed during the wait for the lock.
            s := @.named(in_name);
            PERFORM @.check_message(s, u.subject, u.payload) FROM unnest(subjects, payloads) AS u (subject, payload);
            PERFORM @.check_ids(s, ids);
            RETURN QUERY SELECT * FROM @.store(s, subjects, ids, all_headers::jsonb[], payloads);
        END $$;

        -- Publishes in the caller's transaction. The message gets its position after the commit.
        CREATE OR REPLACE FUNCTION @.rx_publish(
            stream text, payload bytea, subject text DEFAULT NULL, id text DEFAULT NULL, headers jsonb DEFAULT NULL
        ) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE
            s @.streams := @.named(stream);
        BEGIN
            PERFORM @.check_message(s, coalesce(subject, s.default_subject), payload);
            PERFORM @.check_ids(s, ARRAY[id]);
            PERFORM @.check_headers(s, headers);
            INSERT INTO @.inbox (stream, subject, id, headers, payload, slot)
                SELECT s.id, coalesce(subject, s.default_subject), nullif(id, ''), headers, payload, r.slot
                FROM @.rotation r WHERE r.kind = 'inbox';
        END $$;

        -- With their ids, these messages would block their streams.
        UPDATE @.inbox SET id = NULL WHERE octet_length(id) > 2048;

        """
}
