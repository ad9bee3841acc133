extension Schema {
    static let groups = """
        -- Creates a group, or gives an existing one with the same filter its new bound.
        CREATE FUNCTION @.ensure_group(
            in_stream text, in_name text, in_filter text, pattern text, most bigint, kind text, number bigint,
            lease bigint, OUT group_id bigint, OUT present_filter text
        ) LANGUAGE plpgsql AS $$
        DECLARE
            s @.streams := @.named(in_stream);
        BEGIN
            PERFORM @.commit_to_disk();
            INSERT INTO @.groups AS g (stream, name, filter, filter_pattern, max_unsettled, longest)
                VALUES (s.id, in_name, in_filter, pattern, most, lease)
                ON CONFLICT (stream, name) DO NOTHING RETURNING g.id INTO group_id;
            IF group_id IS NOT NULL THEN
                INSERT INTO @.advances (in_group, cursor, floor, slot)
                    SELECT group_id, start - 1, start - 1, r.slot
                    FROM @.start_of(s, kind, number) AS start, @.rotation r WHERE r.kind = 'deliveries';
                present_filter := in_filter;
                RETURN;
            END IF;
            UPDATE @.groups g SET max_unsettled = most, longest = greatest(g.longest, lease)
                WHERE g.stream = s.id AND g.name = in_name AND g.filter IS NOT DISTINCT FROM in_filter
                    AND (g.max_unsettled <> most OR g.longest < lease);
            SELECT g.id, g.filter INTO group_id, present_filter FROM @.groups g
                WHERE g.stream = s.id AND g.name = in_name;
        END $$;

        CREATE FUNCTION @.forget_group(in_group_id bigint) RETURNS void LANGUAGE sql AS $$
            DELETE FROM @.deliveries WHERE in_group = in_group_id;
            DELETE FROM @.held WHERE in_group = in_group_id;
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

        CREATE FUNCTION @.advance_of(in_group_id bigint) RETURNS @.advances LANGUAGE sql AS $$
            SELECT * FROM @.advances WHERE in_group = in_group_id ORDER BY cursor DESC LIMIT 1
        $$;

        -- Moves stragglers below a position to `held`, and returns the new floor. The caller holds the group's lock.
        -- Reads each row of `deliveries` about twice in its life, whether or not its dead version can be removed.
        CREATE FUNCTION @.raise_floor(a @.advances, below bigint) RETURNS bigint LANGUAGE plpgsql
        SET enable_seqscan = off SET plan_cache_mode = force_custom_plan AS $$
        DECLARE
            left_over bigint;
        BEGIN
            -- Skips rows that a settlement in progress has locked: it may lock rows in another order.
            WITH found AS (
                SELECT d.position FROM @.deliveries d
                    WHERE d.in_group = a.in_group AND d.position >= a.floor AND d.position < below
                    ORDER BY d.position FOR UPDATE SKIP LOCKED
            ), gone AS (
                -- The bounds limit a scan that the planner may prefer.
                DELETE FROM @.deliveries d USING found
                    WHERE d.in_group = a.in_group AND d.position = found.position
                        AND d.position >= a.floor AND d.position < below
                    RETURNING d.position, d.attempt, d.due, d.member
            )
            -- Not due in the past, because searches of `held` start shortly before the current time.
            INSERT INTO @.held (in_group, position, attempt, due, member)
                SELECT a.in_group, gone.position, gone.attempt, greatest(gone.due, clock_timestamp()), gone.member
                FROM gone;
            SELECT d.position INTO left_over FROM @.deliveries d
                WHERE d.in_group = a.in_group AND d.position >= a.floor AND d.position < below
                ORDER BY d.position LIMIT 1;
            below := coalesce(left_over, below);
            DELETE FROM @.advances WHERE in_group = a.in_group AND cursor >= a.floor AND cursor < below;
            RETURN below;
        END $$;

        -- If the slot with the new rows has become large, rotation empties the other slot and makes it the slot for new
        -- rows. Returns the slot with the new rows; NULL if it is not large or another session rotates. Fails if a
        -- transaction uses the other slot for long.
        --
        -- The lock comes first. A statement locks its tables before it takes its snapshot. So the statements here see
        -- all rows of the slot, and a statement of another session that waits for the lock sees the rows in their new
        -- place. A session that has read the earlier slot may add to it later; the next rotation moves those rows.
        CREATE FUNCTION @.lock_slot(of_kind text, tables text[], large bigint) RETURNS smallint LANGUAGE plpgsql AS $$
        DECLARE
            present smallint;
            size bigint;
        BEGIN
            IF NOT pg_try_advisory_xact_lock(hashtextextended('@/rotate/' || of_kind, 0)) THEN RETURN NULL; END IF;
            SELECT slot INTO present FROM @.rotation WHERE kind = of_kind;
            SELECT sum(pg_table_size(format('@.%I', t || '_' || present)::regclass)) INTO size
                FROM unnest(tables) AS t;
            IF size < large THEN RETURN NULL; END IF;
            PERFORM set_config('lock_timeout', '100ms', true);
            EXECUTE 'LOCK TABLE ' || (SELECT string_agg(format('@.%I', t || '_' || 1 - present), ', ' ORDER BY t)
                FROM unnest(tables) AS t) || ' IN ACCESS EXCLUSIVE MODE';
            RETURN present;
        END $$;

        CREATE FUNCTION @.rotate(large bigint DEFAULT 4194304) RETURNS boolean LANGUAGE plpgsql
        SET plan_cache_mode = force_custom_plan AS $$
        DECLARE
            present smallint := @.lock_slot('deliveries', '{advances,deliveries}', large);
            other smallint := 1 - present;
        BEGIN
            IF present IS NULL THEN RETURN false; END IF;
            -- Not due in the past, because searches of `held` start shortly before the current time.
            INSERT INTO @.held (in_group, position, attempt, due, member)
                SELECT in_group, position, attempt, greatest(due, clock_timestamp()), member
                FROM @.deliveries WHERE slot = other;
            INSERT INTO @.advances (in_group, cursor, floor, slot)
                SELECT DISTINCT ON (in_group) in_group, cursor, floor, present
                FROM @.advances WHERE slot = other ORDER BY in_group, cursor DESC
                ON CONFLICT DO NOTHING;
            EXECUTE format('TRUNCATE @.advances_%s, @.deliveries_%s', other, other);
            UPDATE @.rotation SET slot = other WHERE kind = 'deliveries';
            RETURN true;
        END $$;

        -- Transactions that have published and are still open delay the rotation. A publication waits for the rotation
        -- only if it chose its slot before the last one. Statements that read the inbox wait.
        CREATE FUNCTION @.rotate_inbox(large bigint DEFAULT 262144) RETURNS boolean LANGUAGE plpgsql
        SET plan_cache_mode = force_custom_plan AS $$
        DECLARE
            present smallint := @.lock_slot('inbox', '{inbox}', large);
            other smallint := 1 - present;
            n bigint;
            bytes bigint;
        BEGIN
            IF present IS NULL THEN RETURN false; END IF;
            -- If nothing reads a stream, its rows stay. The rows are copied under the exclusive lock, so only a few are
            -- copied.
            SELECT count(*), coalesce(sum(octet_length(i.payload)), 0) INTO n, bytes
                FROM (SELECT payload FROM @.inbox WHERE slot = other LIMIT 10001) i;
            IF n > 10000 OR bytes > 16777216 THEN RETURN false; END IF;
            INSERT INTO @.inbox (number, stream, subject, id, headers, payload, slot) OVERRIDING SYSTEM VALUE
                SELECT number, stream, subject, id, headers, payload, present FROM @.inbox WHERE slot = other;
            EXECUTE format('TRUNCATE @.inbox_%s', other);
            UPDATE @.rotation SET slot = other WHERE kind = 'inbox';
            RETURN true;
        END $$;

        -- Fetches due deliveries until their messages have 4 MiB of payload. Fetching locks a row, so no row is locked
        -- that the caller does not take. A row of `c` is a position, whether it is due, and the size of its message.
        -- `bytes` is the sum of the sizes.
        CREATE FUNCTION @.fetch_due(c refcursor, INOUT bytes bigint, OUT due bigint[], OUT others bigint[])
        LANGUAGE plpgsql AS $$
        DECLARE
            p bigint;
            is_due boolean;
            size bigint;
        BEGIN
            due := '{}';
            others := '{}';
            WHILE bytes < 4194304 LOOP
                FETCH c INTO p, is_due, size;
                EXIT WHEN NOT FOUND;
                IF is_due THEN
                    due := due || p;
                    bytes := bytes + coalesce(size, 0);
                ELSE
                    others := others || p;
                END IF;
            END LOOP;
            CLOSE c;
        END $$;

        -- Takes due messages: first those to deliver again, then new ones. Takes no more when they have 4 MiB of
        -- payload. The last row has no position. Its `state` is 1 if the group has examined further positions and found
        -- nothing, 2 if messages of rx_publish wait for a position, 3 if a thorough look may find something, 4 if more
        -- messages may be due for another delivery, otherwise 0. Its `low` is a position below which `deliveries` has
        -- no row. Its `wait` is the time until a delivery is due, in microseconds.
        --
        -- `due_since` is the age of the time before which nothing in `held` was due. Only a thorough look finds first
        -- deliveries whose deadline has passed.
        --
        -- The commit is asynchronous: after a crash of the server, all effects of the last pulls are gone together, and
        -- their messages are delivered again.
        CREATE FUNCTION @.pull(
            in_group_id bigint, in_member bigint, room bigint, lease bigint, low_before bigint, due_since bigint,
            is_thorough boolean
        ) RETURNS TABLE (
            at_position bigint, at_attempt integer, at_time timestamptz, with_subject text, with_id text,
            with_headers text, with_payload bytea, state integer, low bigint, wait bigint
        ) LANGUAGE plpgsql
        SET enable_seqscan = off SET plan_cache_mode = force_custom_plan AS $$
        DECLARE
            g @.groups;
            s @.streams;
            h @.head;
            a @.advances;
            oldest bigint;
            now_time timestamptz := clock_timestamp();
            until timestamptz := now_time + lease * interval '1 microsecond';
            since timestamptz := CASE WHEN due_since IS NULL THEN '-infinity'
                ELSE now_time - due_since * interval '1 microsecond' END;
            taken bigint := 0;
            more bigint := 0;
            gone bigint := 0;
            cursor_new bigint;
            begins bigint;
            ends bigint;
            enough bigint;
            span bigint;
            unsettled bigint := 0;
            lowest bigint;
            positions bigint[];
            too_late bigint[];
            furthest timestamptz;
            c refcursor;
            bytes bigint := 0;
            found_count bigint;
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

            IF EXISTS (SELECT FROM @.held
                WHERE in_group = g.id AND due >= since AND due <= now_time ORDER BY due LIMIT 1) THEN
                OPEN c FOR SELECT d.position, true, (SELECT octet_length(m.payload) FROM @.messages m
                            WHERE m.stream = s.id AND m.position = d.position AND d.position >= oldest)
                        FROM @.held d
                        WHERE d.in_group = g.id AND d.due >= since AND d.due <= now_time
                        ORDER BY d.due, d.position LIMIT room FOR UPDATE SKIP LOCKED;
                SELECT f.bytes, f.due INTO bytes, positions FROM @.fetch_due(c, bytes) f;
                IF bytes >= 4194304 OR cardinality(positions) = room THEN state := 4; END IF;
                RETURN QUERY WITH again AS (
                    UPDATE @.held d SET attempt = d.attempt + 1, due = until, member = in_member
                        WHERE d.in_group = g.id AND d.position = ANY (positions) AND d.position >= oldest
                        RETURNING d.position, d.attempt
                )
                SELECT m.position, again.attempt, m.time, m.subject, m.id, m.headers::text, m.payload,
                    0, NULL::bigint, NULL::bigint
                    FROM again JOIN @.messages m ON m.stream = s.id AND m.position = again.position
                    ORDER BY m.position;
                GET DIAGNOSTICS taken = ROW_COUNT;
                -- The stream no longer retains these messages.
                DELETE FROM @.held WHERE in_group = g.id AND due >= since AND due <= now_time
                    AND position < oldest;
                GET DIAGNOSTICS gone = ROW_COUNT;
                IF gone > 0 AND taken = 0 AND state = 0 THEN state := 1; END IF;
            END IF;

            a := @.advance_of(g.id);
            IF is_thorough THEN
                -- Other sessions may have extended messages while this session waited for locks.
                furthest := clock_timestamp() + least(g.longest, 1000000000000000) * interval '1 microsecond';
                WITH late AS (
                    SELECT d.position FROM @.held d
                        WHERE d.in_group = g.id AND d.due > furthest + interval '1 second' FOR UPDATE SKIP LOCKED
                )
                UPDATE @.held d SET due = furthest FROM late WHERE d.in_group = g.id AND d.position = late.position;
            END IF;
            IF is_thorough AND state <> 4 THEN
                low_before := greatest(low_before, a.floor);
                DELETE FROM @.deliveries WHERE in_group = g.id AND position >= low_before AND position < oldest
                    AND due <= now_time;
                OPEN c FOR SELECT d.position, d.due <= now_time, (SELECT octet_length(m.payload) FROM @.messages m
                            WHERE m.stream = s.id AND m.position = d.position)
                        FROM @.deliveries d
                        WHERE d.in_group = g.id AND d.position >= low_before
                            AND (d.due <= now_time OR d.due > furthest + interval '1 second')
                        ORDER BY d.position LIMIT room - taken FOR UPDATE SKIP LOCKED;
                SELECT f.bytes, f.due, f.others INTO bytes, positions, too_late FROM @.fetch_due(c, bytes) f;
                IF bytes >= 4194304 THEN state := 4; END IF;
                UPDATE @.deliveries d SET due = furthest
                    WHERE d.in_group = g.id AND d.position = ANY (too_late) AND d.position >= low_before;
                RETURN QUERY WITH gone AS (
                    DELETE FROM @.deliveries d
                        WHERE d.in_group = g.id AND d.position = ANY (positions) AND d.position >= low_before
                        RETURNING d.position, d.attempt
                ), again AS (
                    INSERT INTO @.held AS d (in_group, position, attempt, due, member)
                        SELECT g.id, gone.position, gone.attempt + 1, until, in_member FROM gone
                        RETURNING d.position, d.attempt
                )
                SELECT m.position, again.attempt, m.time, m.subject, m.id, m.headers::text, m.payload,
                    0, NULL::bigint, NULL::bigint
                    FROM again JOIN @.messages m ON m.stream = s.id AND m.position = again.position
                    ORDER BY m.position;
                GET DIAGNOSTICS more = ROW_COUNT;
                taken := taken + more;
            END IF;

            IF taken < room AND state <> 4 AND greatest(a.cursor + 1, oldest) <= h.position THEN
                PERFORM pg_advisory_xact_lock(hashtextextended('@/group/' || g.id, 0));
                a := @.advance_of(g.id);
                IF a.cursor IS NULL THEN
                    RAISE EXCEPTION 'such group: it has been removed' USING ERRCODE = 'RX001';
                END IF;
                span := greatest(g.max_unsettled / 2, 500);
                IF a.cursor - a.floor > 2 * span THEN a.floor := @.raise_floor(a, a.cursor - span); END IF;
                SELECT d.position INTO lowest FROM @.deliveries d
                    WHERE d.in_group = g.id AND d.position >= greatest(low_before, a.floor)
                    ORDER BY d.position LIMIT 1;
                lowest := coalesce(lowest, a.cursor + 1);
                SELECT count(*) INTO unsettled FROM @.held d WHERE d.in_group = g.id AND d.due >= since;
                -- Counting reads dead rows too, so it is done only if the bound may be reached.
                IF unsettled + a.cursor + 1 - lowest + room > g.max_unsettled THEN
                    SELECT unsettled + count(*) INTO unsettled FROM @.deliveries d
                        WHERE d.in_group = g.id AND d.position >= lowest;
                END IF;
                room := least(room - taken, g.max_unsettled - unsettled);
                begins := greatest(a.cursor + 1, oldest);
                IF room > 0 AND begins <= h.position THEN
                    IF g.filter IS NULL THEN
                        ends := least(begins + room - 1, h.position);
                        SELECT m.total - octet_length(m.payload) + 4194304 - bytes INTO enough FROM @.messages m
                            WHERE m.stream = s.id AND m.position = begins;
                        SELECT array_agg(m.position ORDER BY m.position) INTO positions FROM @.messages m
                            WHERE m.stream = s.id AND m.position >= begins AND m.position <= ends
                                AND (m.total <= enough OR m.position = begins);
                        cursor_new := positions[cardinality(positions)];
                    ELSE
                        ends := least(begins + 9999, h.position);
                        SELECT array_agg(f.position ORDER BY f.position) FILTER (WHERE f.before < 4194304 - bytes),
                            count(*) INTO positions, found_count FROM (
                            SELECT t.position, sum(t.size) OVER (ORDER BY t.position) - t.size AS before FROM (
                                SELECT m.position, octet_length(m.payload) AS size FROM @.messages m
                                    WHERE m.stream = s.id AND m.position >= begins AND m.position <= ends
                                        AND m.subject ~ g.filter_pattern
                                    ORDER BY m.position LIMIT room) t) f;
                        cursor_new := CASE WHEN found_count = room OR found_count > cardinality(positions)
                            THEN positions[cardinality(positions)] ELSE ends END;
                        IF positions IS NULL AND taken = 0 THEN state := 1; END IF;
                    END IF;
                    SELECT r.slot INTO a.slot FROM @.rotation r WHERE r.kind = 'deliveries';
                    INSERT INTO @.deliveries (in_group, position, attempt, due, member, slot)
                        SELECT g.id, p, 1, until, in_member, a.slot FROM unnest(positions) p;
                    INSERT INTO @.advances (in_group, cursor, floor, slot)
                        VALUES (g.id, cursor_new, a.floor, a.slot);
                    RETURN QUERY SELECT m.position, 1, m.time, m.subject, m.id, m.headers::text, m.payload,
                        0, NULL::bigint, NULL::bigint
                        FROM @.messages m
                        WHERE m.stream = s.id AND m.position = ANY (positions) ORDER BY m.position;
                    taken := taken + coalesce(cardinality(positions), 0);
                END IF;
            END IF;

            IF taken = 0 AND state = 0 THEN
                IF @.has_inbox(s.id) THEN
                    state := 2;
                ELSIF NOT is_thorough THEN
                    state := 3;
                ELSE
                    SELECT extract(epoch FROM min(u.due) - clock_timestamp()) * 1000000 INTO wait FROM (
                        (SELECT d.due FROM @.held d WHERE d.in_group = g.id AND d.due >= since ORDER BY d.due LIMIT 1)
                        UNION ALL
                        SELECT min(d.due) FROM @.deliveries d
                            WHERE d.in_group = g.id AND d.position >= greatest(low_before, a.floor)
                    ) u;
                END IF;
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
        --
        -- One row at a time, by its key. With statistics of a table that has almost no live rows, the planner would scan
        -- the whole table to join it with the verdicts, and so read all dead rows.
        CREATE FUNCTION @.settle(
            groups bigint[], positions bigint[], attempts bigint[], members bigint[], kinds bigint[], pauses bigint[],
            lease bigint
        ) RETURNS bigint LANGUAGE plpgsql SET enable_seqscan = off AS $$
        DECLARE
            removed bigint := 0;
            g bigint;
            p bigint;
            a bigint;
            m bigint;
            k bigint;
            pause bigint;
            next_due timestamptz;
            now_time timestamptz := clock_timestamp();
        BEGIN
            PERFORM set_config('synchronous_commit', 'off', true);
            -- All settlements lock rows in this order, so they never wait for each other in a cycle.
            FOR g, pause IN
                SELECT u.in_group, max(u.pause) FROM unnest(groups, kinds, pauses) AS u (in_group, kind, pause)
                    WHERE u.kind = 1 GROUP BY u.in_group ORDER BY u.in_group
            LOOP
                UPDATE @.groups SET longest = pause WHERE id = g AND longest < pause;
            END LOOP;
            FOR g, p, a, m, k, pause IN
                SELECT u.in_group, u.position, u.attempt, u.member, u.kind, u.pause
                    FROM unnest(groups, positions, attempts, members, kinds, pauses) WITH ORDINALITY
                        AS u (in_group, position, attempt, member, kind, pause, n)
                    ORDER BY u.in_group, u.position, u.n
            LOOP
                -- Another session may move a row from `deliveries` to `held`, so `held` comes second.
                IF k = 0 THEN
                    DELETE FROM @.deliveries d WHERE d.in_group = g AND d.position = p;
                    IF NOT FOUND THEN
                        DELETE FROM @.held d WHERE d.in_group = g AND d.position = p;
                    END IF;
                ELSIF k = 1 THEN
                    next_due := now_time + pause * interval '1 microsecond';
                    DELETE FROM @.deliveries d
                        WHERE d.in_group = g AND d.position = p AND d.attempt = a AND d.member = m;
                    IF FOUND THEN
                        INSERT INTO @.held (in_group, position, attempt, due, member) VALUES (g, p, a, next_due, NULL);
                    ELSE
                        UPDATE @.held d SET due = next_due, member = NULL
                            WHERE d.in_group = g AND d.position = p AND d.attempt = a AND d.member = m;
                    END IF;
                ELSIF k = 2 THEN
                    DELETE FROM @.deliveries d
                        WHERE d.in_group = g AND d.position = p AND d.attempt = a AND d.member = m;
                    IF NOT FOUND THEN
                        DELETE FROM @.held d
                            WHERE d.in_group = g AND d.position = p AND d.attempt = a AND d.member = m;
                    END IF;
                ELSE
                    next_due := now_time + lease * interval '1 microsecond';
                    UPDATE @.deliveries d SET due = next_due
                        WHERE d.in_group = g AND d.position = p AND d.attempt = a AND d.member = m;
                    IF NOT FOUND THEN
                        UPDATE @.held d SET due = next_due
                            WHERE d.in_group = g AND d.position = p AND d.attempt = a AND d.member = m;
                    END IF;
                END IF;
                IF FOUND AND k IN (0, 2) THEN removed := removed + 1; END IF;
            END LOOP;
            RETURN removed;
        END $$;

        -- Acknowledges a delivery in the transaction in which its handler writes. Returns false if another member has
        -- the message, or if it has been acknowledged.
        CREATE FUNCTION @.acknowledge(in_group_id bigint, in_position bigint, in_member bigint) RETURNS boolean
        LANGUAGE plpgsql SET enable_seqscan = off AS $$
        BEGIN
            DELETE FROM @.deliveries
                WHERE in_group = in_group_id AND position = in_position AND member = in_member;
            IF NOT FOUND THEN
                DELETE FROM @.held WHERE in_group = in_group_id AND position = in_position AND member = in_member;
            END IF;
            RETURN FOUND;
        END $$;

        CREATE FUNCTION @.hand_back(in_members bigint[]) RETURNS void LANGUAGE sql AS $$
            WITH gone AS (
                DELETE FROM @.deliveries WHERE member = ANY (in_members) RETURNING in_group, position, attempt
            )
            INSERT INTO @.held (in_group, position, attempt, due, member)
                SELECT in_group, position, attempt, clock_timestamp(), NULL FROM gone;
            UPDATE @.held SET due = clock_timestamp(), member = NULL WHERE member = ANY (in_members);
        $$;

        CREATE FUNCTION @.group_summary(
            in_stream text, in_name text, OUT waiting bigint, OUT unsettled bigint
        ) LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_custom_plan AS $$
        DECLARE
            s @.streams := @.named(in_stream);
            h @.head := @.head_of(s.id);
            oldest bigint := @.oldest(s, h);
            g @.groups;
            a @.advances;
            begins bigint;
        BEGIN
            SELECT * INTO g FROM @.groups WHERE stream = s.id AND name = in_name;
            IF g.id IS NULL THEN
                RAISE EXCEPTION 'group % of stream %', in_name, in_stream USING ERRCODE = 'RX001';
            END IF;
            a := @.advance_of(g.id);
            begins := greatest(a.cursor + 1, oldest);
            SELECT count(*) INTO unsettled FROM (
                SELECT position FROM @.deliveries WHERE in_group = g.id AND position >= greatest(oldest, a.floor)
                UNION ALL SELECT position FROM @.held WHERE in_group = g.id AND position >= oldest
            ) u;
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
            PERFORM @.commit_to_disk();
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
