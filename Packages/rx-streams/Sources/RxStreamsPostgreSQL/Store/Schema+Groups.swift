extension Schema {
    static let groups = """
        -- Creates a group, or gives an existing one with the same filter its new bound.
        CREATE FUNCTION @.ensure_group(
            in_stream text, in_name text, in_filter text, pattern text, most bigint, kind text, number bigint,
            OUT group_id bigint, OUT present_filter text
        ) LANGUAGE plpgsql AS $$
        DECLARE
            s @.streams := @.named(in_stream);
        BEGIN
            INSERT INTO @.groups AS g (stream, name, filter, filter_pattern, max_unsettled)
                VALUES (s.id, in_name, in_filter, pattern, most)
                ON CONFLICT (stream, name) DO NOTHING RETURNING g.id INTO group_id;
            IF group_id IS NOT NULL THEN
                INSERT INTO @.advances (in_group, cursor) VALUES (group_id, @.start_of(s, kind, number) - 1);
                present_filter := in_filter;
                RETURN;
            END IF;
            UPDATE @.groups g SET max_unsettled = most WHERE g.stream = s.id AND g.name = in_name
                AND g.filter IS NOT DISTINCT FROM in_filter AND g.max_unsettled <> most;
            SELECT g.id, g.filter INTO group_id, present_filter FROM @.groups g
                WHERE g.stream = s.id AND g.name = in_name;
        END $$;

        CREATE FUNCTION @.forget_group(in_group_id bigint) RETURNS void LANGUAGE sql AS $$
            DELETE FROM @.deliveries WHERE in_group = in_group_id;
            DELETE FROM @.advances WHERE in_group = in_group_id;
            DELETE FROM @.groups WHERE id = in_group_id;
        $$;

        CREATE FUNCTION @.remove_group(in_stream text, in_name text) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM @.forget_group(g.id) FROM @.groups g JOIN @.streams s ON s.id = g.stream
                WHERE s.name = in_stream AND g.name = in_name;
        END $$;

        CREATE FUNCTION @.remove_stream(in_name text) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE
            s @.streams;
        BEGIN
            SELECT * INTO s FROM @.streams WHERE name = in_name;
            IF s.id IS NULL THEN RETURN; END IF;
            PERFORM @.lock_stream(s.id);
            PERFORM @.forget_group(g.id) FROM @.groups g WHERE g.stream = s.id;
            DELETE FROM @.streams WHERE id = s.id;
        END $$;

        CREATE FUNCTION @.cursor_of(in_group_id bigint) RETURNS bigint LANGUAGE sql AS $$
            SELECT cursor FROM @.advances WHERE in_group = in_group_id ORDER BY cursor DESC LIMIT 1
        $$;

        -- Takes due messages: first those to deliver again, then new ones. The last row has no position. Its `state` is
        -- 1 if the group has examined further positions and found nothing, 2 if messages of rx_publish wait for a
        -- position, otherwise 0. Its `low` is a position below which nothing is unsettled. Its `wait` is the time until
        -- a delivery is due, in microseconds.
        --
        -- The commit is asynchronous: after a crash of the server, all effects of the last pulls are gone together, and
        -- their messages are delivered again.
        CREATE FUNCTION @.pull(
            in_group_id bigint, in_member bigint, room bigint, lease bigint, low_before bigint, due_since bigint
        ) RETURNS TABLE (
            at_position bigint, at_attempt integer, at_time timestamptz, with_subject text, with_id text,
            with_headers text, with_payload bytea, state integer, low bigint, wait bigint
        ) LANGUAGE plpgsql
        SET enable_seqscan = off SET plan_cache_mode = force_custom_plan AS $$
        DECLARE
            g @.groups;
            s @.streams;
            h @.head;
            oldest bigint;
            now_time timestamptz := clock_timestamp();
            until timestamptz := now_time + lease * interval '1 microsecond';
            since timestamptz := CASE WHEN due_since IS NULL THEN '-infinity'
                ELSE now_time - due_since * interval '1 microsecond' END;
            taken bigint := 0;
            gone bigint := 0;
            cursor_at bigint;
            cursor_new bigint;
            begins bigint;
            ends bigint;
            enough bigint;
            unsettled bigint := 0;
            lowest bigint;
            positions bigint[];
        BEGIN
            SELECT * INTO g FROM @.groups WHERE id = in_group_id;
            IF g.id IS NOT NULL THEN SELECT * INTO s FROM @.streams WHERE id = g.stream; END IF;
            IF s.id IS NULL THEN
                RAISE EXCEPTION 'such group: it has been removed' USING ERRCODE = 'RX001';
            END IF;
            PERFORM set_config('synchronous_commit', 'off', true);
            h := @.head_of(s.id);
            oldest := @.oldest(s, h);
            state := 0;

            IF EXISTS (SELECT FROM @.deliveries
                WHERE in_group = g.id AND due >= since AND due <= now_time ORDER BY due LIMIT 1) THEN
                RETURN QUERY WITH due_now AS (
                    SELECT d.position FROM @.deliveries d
                        WHERE d.in_group = g.id AND d.due >= since AND d.due <= now_time
                        ORDER BY d.due, d.position LIMIT room FOR UPDATE SKIP LOCKED
                ), again AS (
                    UPDATE @.deliveries d SET attempt = d.attempt + 1, due = until, member = in_member
                        FROM due_now WHERE d.in_group = g.id AND d.position = due_now.position
                            AND due_now.position >= oldest
                        RETURNING d.position, d.attempt
                )
                SELECT m.position, again.attempt, m.time, m.subject, m.id, m.headers::text, m.payload,
                    0, NULL::bigint, NULL::bigint
                    FROM again JOIN @.messages m ON m.stream = s.id AND m.position = again.position
                    ORDER BY m.position;
                GET DIAGNOSTICS taken = ROW_COUNT;
                -- The stream no longer retains these.
                DELETE FROM @.deliveries WHERE in_group = g.id AND due >= since AND due <= now_time
                    AND position < oldest;
                GET DIAGNOSTICS gone = ROW_COUNT;
                IF gone > 0 AND taken = 0 THEN state := 1; END IF;
            END IF;

            cursor_at := @.cursor_of(g.id);
            IF taken < room AND greatest(cursor_at + 1, oldest) <= h.position THEN
                PERFORM pg_advisory_xact_lock(hashtextextended('@/group/' || g.id, 0));
                cursor_at := @.cursor_of(g.id);
                IF cursor_at IS NULL THEN
                    RAISE EXCEPTION 'such group: it has been removed' USING ERRCODE = 'RX001';
                END IF;
                SELECT d.position INTO lowest FROM @.deliveries d
                    WHERE d.in_group = g.id AND d.position >= low_before ORDER BY d.position LIMIT 1;
                lowest := coalesce(lowest, cursor_at + 1);
                -- Counting reads dead rows too, so it is done only if the bound may be reached.
                IF cursor_at + 1 - lowest + room > g.max_unsettled THEN
                    SELECT count(*) INTO unsettled FROM @.deliveries d
                        WHERE d.in_group = g.id AND d.position >= low_before;
                END IF;
                room := least(room - taken, g.max_unsettled - unsettled);
                begins := greatest(cursor_at + 1, oldest);
                IF room > 0 AND begins <= h.position THEN
                    IF g.filter IS NULL THEN
                        ends := least(begins + room - 1, h.position);
                        SELECT m.total - octet_length(m.payload) + 4194304 INTO enough FROM @.messages m
                            WHERE m.stream = s.id AND m.position = begins;
                        SELECT array_agg(m.position ORDER BY m.position) INTO positions FROM @.messages m
                            WHERE m.stream = s.id AND m.position >= begins AND m.position <= ends
                                AND (m.total <= enough OR m.position = begins);
                        cursor_new := positions[cardinality(positions)];
                    ELSE
                        ends := least(begins + 9999, h.position);
                        SELECT array_agg(f.position ORDER BY f.position) INTO positions FROM (
                            SELECT m.position FROM @.messages m
                                WHERE m.stream = s.id AND m.position >= begins AND m.position <= ends
                                    AND m.subject ~ g.filter_pattern
                                ORDER BY m.position LIMIT room) f;
                        cursor_new := CASE WHEN cardinality(positions) = room THEN positions[room] ELSE ends END;
                        IF positions IS NULL AND taken = 0 THEN state := 1; END IF;
                    END IF;
                    INSERT INTO @.deliveries (in_group, position, attempt, due, member)
                        SELECT g.id, p, 1, until, in_member FROM unnest(positions) p;
                    INSERT INTO @.advances (in_group, cursor) VALUES (g.id, cursor_new);
                    -- Now and then, the old cursors are removed.
                    IF random() < 0.01 THEN
                        DELETE FROM @.advances WHERE in_group = g.id AND cursor < cursor_at;
                    END IF;
                    RETURN QUERY SELECT m.position, 1, m.time, m.subject, m.id, m.headers::text, m.payload,
                        0, NULL::bigint, NULL::bigint
                        FROM @.messages m
                        WHERE m.stream = s.id AND m.position = ANY (positions) ORDER BY m.position;
                    taken := taken + coalesce(cardinality(positions), 0);
                END IF;
            END IF;

            IF taken = 0 AND state = 0 THEN
                SELECT extract(epoch FROM d.due - clock_timestamp()) * 1000000 INTO wait FROM @.deliveries d
                    WHERE d.in_group = g.id AND d.due >= since ORDER BY d.due LIMIT 1;
                IF @.has_inbox(s.id) THEN state := 2; END IF;
            END IF;
            at_position := NULL;
            at_attempt := NULL;
            low := lowest;
            at_time := NULL;
            with_payload := NULL;
            RETURN NEXT;
        END $$;

        -- Applies verdicts of one member. A message that has been delivered again belongs to its new member: a late
        -- `done` is still applied, because the message has been handled; other late verdicts are ignored. Kinds: 0
        -- done, 1 again, 2 given up, 3 extended.
        CREATE FUNCTION @.settle(
            groups bigint[], positions bigint[], attempts bigint[], members bigint[], kinds bigint[], pauses bigint[],
            lease bigint
        ) RETURNS bigint LANGUAGE plpgsql SET enable_seqscan = off AS $$
        DECLARE
            removed bigint := 0;
            now_time timestamptz := clock_timestamp();
        BEGIN
            PERFORM set_config('synchronous_commit', 'off', true);
            IF 3 = ANY (kinds) THEN
                UPDATE @.deliveries d SET due = now_time + lease * interval '1 microsecond'
                    FROM unnest(groups, positions, attempts, members, kinds) AS v (g, p, a, m, k)
                    WHERE v.k = 3 AND d.in_group = v.g AND d.position = v.p AND d.attempt = v.a AND d.member = v.m;
            END IF;
            IF 1 = ANY (kinds) THEN
                UPDATE @.deliveries d SET due = now_time + v.pause * interval '1 microsecond', member = NULL
                    FROM unnest(groups, positions, attempts, members, kinds, pauses) AS v (g, p, a, m, k, pause)
                    WHERE v.k = 1 AND d.in_group = v.g AND d.position = v.p AND d.attempt = v.a AND d.member = v.m;
            END IF;
            IF 0 = ANY (kinds) OR 2 = ANY (kinds) THEN
                DELETE FROM @.deliveries d
                    USING unnest(groups, positions, attempts, members, kinds) AS v (g, p, a, m, k)
                    WHERE v.k IN (0, 2) AND d.in_group = v.g AND d.position = v.p
                        AND (v.k = 0 OR d.attempt = v.a AND d.member = v.m);
                GET DIAGNOSTICS removed = ROW_COUNT;
            END IF;
            RETURN removed;
        END $$;

        -- Acknowledges a delivery in the transaction of what its handler writes. Returns false if another member has
        -- the message, or if it has been acknowledged.
        CREATE FUNCTION @.acknowledge(in_group_id bigint, in_position bigint, in_member bigint) RETURNS boolean
        LANGUAGE plpgsql AS $$
        BEGIN
            DELETE FROM @.deliveries
                WHERE in_group = in_group_id AND position = in_position AND member = in_member;
            RETURN FOUND;
        END $$;

        CREATE FUNCTION @.hand_back(in_members bigint[]) RETURNS void LANGUAGE sql AS $$
            UPDATE @.deliveries SET due = clock_timestamp(), member = NULL WHERE member = ANY (in_members)
        $$;

        CREATE FUNCTION @.group_summary(
            in_stream text, in_name text, OUT waiting bigint, OUT unsettled bigint
        ) LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_custom_plan AS $$
        DECLARE
            s @.streams := @.named(in_stream);
            h @.head := @.head_of(s.id);
            oldest bigint := @.oldest(s, h);
            g @.groups;
            begins bigint;
        BEGIN
            SELECT * INTO g FROM @.groups WHERE stream = s.id AND name = in_name;
            IF g.id IS NULL THEN
                RAISE EXCEPTION 'group % of stream %', in_name, in_stream USING ERRCODE = 'RX001';
            END IF;
            begins := greatest(@.cursor_of(g.id) + 1, oldest);
            SELECT count(*) INTO unsettled FROM @.deliveries WHERE in_group = g.id AND position >= oldest;
            IF g.filter IS NULL OR begins > h.position THEN
                waiting := greatest(h.position - begins + 1, 0);
            ELSE
                SELECT count(*) INTO waiting FROM @.messages
                    WHERE stream = s.id AND position >= begins AND position <= h.position
                        AND subject ~ g.filter_pattern;
            END IF;
        END $$;

        """

    static let live = """
        CREATE FUNCTION @.send_live(
            in_sender bigint, subjects text[], ids text[], all_headers text[], payloads bytea[]
        ) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM set_config('synchronous_commit', 'off', true);
            -- The lock makes numbers visible in their order, so that readers miss none.
            PERFORM pg_advisory_xact_lock(hashtextextended('@/live', 0));
            IF random() < 0.05 THEN
                DELETE FROM @.live_messages WHERE time < clock_timestamp() - interval '10 seconds';
            END IF;
            INSERT INTO @.live_messages (sender, subject, id, headers, payload)
                SELECT in_sender, u.subject, u.i, u.h::jsonb, u.payload
                FROM unnest(subjects, ids, all_headers, payloads) WITH ORDINALITY AS u (subject, i, h, payload, n)
                ORDER BY u.n;
        END $$;

        CREATE FUNCTION @.store_cell(in_name text, in_payload bytea, expected bigint) RETURNS bigint
        LANGUAGE plpgsql AS $$
        DECLARE
            present bigint;
            stored bigint;
        BEGIN
            PERFORM pg_advisory_xact_lock(hashtextextended('@/cell/' || in_name, 0));
            SELECT revision INTO present FROM @.cells WHERE name = in_name;
            present := coalesce(present, 0);
            IF expected IS NOT NULL AND expected <> present THEN
                RAISE EXCEPTION 'the cell has the revision %', present USING ERRCODE = 'RX003';
            END IF;
            INSERT INTO @.cells AS c (name, revision, payload) VALUES (in_name, present + 1, in_payload)
                ON CONFLICT (name) DO UPDATE SET revision = excluded.revision, payload = excluded.payload
                RETURNING c.revision INTO stored;
            RETURN stored;
        END $$;

        """
}
