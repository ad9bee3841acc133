extension Schema {
    /// Spans are in microseconds.
    ///
    /// - `messages` is append-only. A segment is a partition with a range of positions of one stream, and is dropped as
    ///   a whole. `total` is the number of payload bytes of the stream up to and including the message.
    /// - The last message of a stream is never deleted, so the next position, time and total follow from it. A counter
    ///   row would collect dead versions while another session holds a snapshot.
    /// - `advances` contains the cursors of groups. A cursor is the last examined position; only the highest cursor of
    ///   a group is in use. Rows are never updated; old ones are deleted.
    /// - `deliveries`, `advances` and `inbox` have one partition for each of two slots. New rows go to the slot that
    ///   `rotation` names. When that slot has become large, `rotate` empties the other slot with TRUNCATE, and new rows
    ///   then go there. So dead rows cost little, even while a snapshot of another session keeps vacuum from removing
    ///   them.
    /// - `deliveries` and `held` together have one row for each delivered, unsettled message. `due` is the time from
    ///   which the message may be delivered again.
    /// - `deliveries` has the first delivery of each recent position. Each search starts at `floor` or higher, so it
    ///   reads no dead rows below `floor`. There is no index on `due`, because a search in that index would read the
    ///   dead rows of settled messages.
    /// - `held` has the few other rows: messages that have been or will be delivered again, and stragglers. A straggler
    ///   is a message that is unsettled although many later messages were delivered. A row without a member stands for
    ///   a message to deliver again.
    /// - `floor` in `advances` is a position below which `deliveries` has no row. A pull raises it under the group's
    ///   lock, and moves the stragglers to `held`.
    /// - `longest` in `groups` is the longest deadline or pause that a member has used. If a row's `due` is further
    ///   ahead, the server's clock has been set back, and a pull changes `due` to `longest` from now.
    ///
    /// ## Positions
    ///
    /// 1. Only `store` assigns positions, and only while its transaction holds the stream's advisory lock.
    /// 2. The lock is held until that transaction has ended. The server releases locks after it has made the
    ///    transaction visible. So the positions of a stream become visible in order, without gaps.
    /// 3. `append` takes the lock in its own transaction, which runs no user code.
    /// 4. `rx_publish` runs in a user's transaction, which may be long. It only inserts into `inbox`, and takes no
    ///    lock. `sequence` moves committed messages from `inbox` to `messages`, in its own transaction.
    ///
    /// The schema's name is a part of each lock's hashed key, because all schemas of a database share its advisory
    /// locks. Locks are taken in the order schema, stream, group.
    static let first = tables + publishing + reading + groups + live

    private static let tables = """
        CREATE SCHEMA IF NOT EXISTS @;
        CREATE TABLE @.schema_version (version integer NOT NULL);
        INSERT INTO @.schema_version VALUES (0);
        CREATE TABLE @.streams (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            name text COLLATE "C" NOT NULL UNIQUE,
            subjects text[] NOT NULL,
            subject_pattern text NOT NULL,
            default_subject text NOT NULL,
            keeps_age bigint, keeps_count bigint, keeps_bytes bigint,
            remembers bigint NOT NULL
        );
        CREATE TABLE @.segments (
            stream bigint NOT NULL, first bigint NOT NULL, until bigint NOT NULL,
            PRIMARY KEY (stream, first)
        );
        CREATE TABLE @.messages (
            stream bigint NOT NULL, position bigint NOT NULL,
            time timestamptz NOT NULL,
            subject text COLLATE "C" NOT NULL,
            id text COLLATE "C",
            headers jsonb,
            payload bytea NOT NULL,
            total bigint NOT NULL,
            PRIMARY KEY (stream, position)
        ) PARTITION BY RANGE (stream, position);
        CREATE INDEX messages_by_time ON @.messages (stream, time, position);
        CREATE INDEX messages_by_id ON @.messages (stream, id, position) WHERE id IS NOT NULL;
        CREATE TABLE @.rotation (kind text COLLATE "C" PRIMARY KEY, slot smallint NOT NULL);
        INSERT INTO @.rotation VALUES ('deliveries', 0), ('inbox', 0);
        CREATE TABLE @.inbox (
            number bigint GENERATED ALWAYS AS IDENTITY,
            stream bigint NOT NULL,
            subject text COLLATE "C" NOT NULL, id text COLLATE "C", headers jsonb, payload bytea NOT NULL,
            slot smallint NOT NULL,
            PRIMARY KEY (number, slot)
        ) PARTITION BY LIST (slot);
        CREATE TABLE @.inbox_0 PARTITION OF @.inbox FOR VALUES IN (0);
        CREATE TABLE @.inbox_1 PARTITION OF @.inbox FOR VALUES IN (1);
        CREATE INDEX inbox_by_stream ON @.inbox (stream, number);
        CREATE TABLE @.groups (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            stream bigint NOT NULL,
            name text COLLATE "C" NOT NULL,
            filter text COLLATE "C",
            filter_pattern text,
            max_unsettled bigint NOT NULL,
            longest bigint NOT NULL,
            UNIQUE (stream, name)
        );
        CREATE TABLE @.advances (
            in_group bigint NOT NULL, cursor bigint NOT NULL, floor bigint NOT NULL, slot smallint NOT NULL,
            PRIMARY KEY (in_group, cursor, slot)
        ) PARTITION BY LIST (slot);
        CREATE TABLE @.advances_0 PARTITION OF @.advances FOR VALUES IN (0);
        CREATE TABLE @.advances_1 PARTITION OF @.advances FOR VALUES IN (1);
        CREATE TABLE @.deliveries (
            in_group bigint NOT NULL, position bigint NOT NULL,
            attempt integer NOT NULL,
            due timestamptz NOT NULL,
            member bigint NOT NULL, slot smallint NOT NULL,
            PRIMARY KEY (in_group, position, slot)
        ) PARTITION BY LIST (slot);
        CREATE TABLE @.deliveries_0 PARTITION OF @.deliveries FOR VALUES IN (0)
            WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, fillfactor = 90);
        CREATE TABLE @.deliveries_1 PARTITION OF @.deliveries FOR VALUES IN (1)
            WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, fillfactor = 90);
        CREATE TABLE @.held (
            in_group bigint NOT NULL, position bigint NOT NULL,
            attempt integer NOT NULL,
            due timestamptz NOT NULL,
            member bigint,
            PRIMARY KEY (in_group, position)
        ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
        CREATE INDEX held_by_due ON @.held (in_group, due, position);
        CREATE UNLOGGED TABLE @.live_messages (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            sender bigint NOT NULL, time timestamptz NOT NULL DEFAULT clock_timestamp(),
            subject text NOT NULL, id text, headers jsonb, payload bytea NOT NULL
        );
        CREATE TABLE @.cells (
            name text COLLATE "C" PRIMARY KEY, revision bigint NOT NULL, payload bytea NOT NULL
        );
        CREATE TYPE @.head AS (position bigint, time timestamptz, total bigint);

        -- The last message of a stream; position 0 without one.
        CREATE FUNCTION @.head_of(in_stream bigint) RETURNS @.head LANGUAGE plpgsql
        SET enable_seqscan = off SET plan_cache_mode = force_custom_plan AS $$
        DECLARE
            begins bigint;
            h @.head;
        BEGIN
            SELECT max(first) INTO begins FROM @.segments WHERE stream = in_stream;
            SELECT position, time, total INTO h FROM @.messages
                WHERE stream = in_stream AND position >= begins ORDER BY position DESC LIMIT 1;
            IF h.position IS NULL THEN h := (0, '-infinity', 0); END IF;
            RETURN h;
        END $$;

        -- The oldest position within the stream's retention; one after the last if there is none.
        CREATE FUNCTION @.oldest(s @.streams, h @.head) RETURNS bigint LANGUAGE plpgsql
        SET enable_seqscan = off SET plan_cache_mode = force_custom_plan AS $$
        DECLARE
            oldest bigint;
            found_at bigint;
            high bigint;
            middle bigint;
            sum_before bigint;
        BEGIN
            SELECT min(first) INTO oldest FROM @.segments WHERE stream = s.id;
            IF s.keeps_count IS NOT NULL THEN oldest := greatest(oldest, h.position - s.keeps_count + 1); END IF;
            IF s.keeps_age IS NOT NULL THEN
                SELECT position INTO found_at FROM @.messages
                    WHERE stream = s.id AND position >= oldest
                        AND time >= clock_timestamp() - s.keeps_age * interval '1 microsecond'
                    ORDER BY time, position LIMIT 1;
                oldest := coalesce(found_at, h.position + 1);
            END IF;
            IF s.keeps_bytes IS NOT NULL AND h.position > 0 THEN
                -- Bisection: the first position before which enough bytes have been stored.
                high := h.position + 1;
                WHILE oldest < high LOOP
                    middle := (oldest + high) / 2;
                    SELECT total - octet_length(payload) INTO sum_before FROM @.messages
                        WHERE stream = s.id AND position = middle;
                    IF sum_before < h.total - s.keeps_bytes THEN oldest := middle + 1; ELSE high := middle; END IF;
                END LOOP;
            END IF;
            RETURN oldest;
        END $$;

        CREATE FUNCTION @.named(in_name text) RETURNS @.streams LANGUAGE plpgsql AS $$
        DECLARE
            s @.streams;
        BEGIN
            SELECT * INTO s FROM @.streams WHERE name = in_name;
            IF s.id IS NULL THEN RAISE EXCEPTION 'stream %', in_name USING ERRCODE = 'RX001'; END IF;
            RETURN s;
        END $$;

        CREATE FUNCTION @.lock_stream(in_stream bigint) RETURNS void LANGUAGE sql AS $$
            SELECT pg_advisory_xact_lock(hashtextextended('@/stream/' || in_stream, 0))
        $$;

        CREATE FUNCTION @.add_segment(in_stream bigint, in_first bigint, in_until bigint) RETURNS void
        LANGUAGE plpgsql AS $$
        DECLARE
            name text := format('messages_%s_%s', in_stream, in_first);
        BEGIN
            -- Attaching does not lock out readers and writers of the other segments.
            EXECUTE format('CREATE TABLE @.%I (LIKE @.messages INCLUDING ALL)', name);
            EXECUTE format('ALTER TABLE @.messages ATTACH PARTITION @.%I FOR VALUES FROM (%s, %s) TO (%s, %s)',
                name, in_stream, in_first, in_stream, in_until);
            INSERT INTO @.segments (stream, first, until) VALUES (in_stream, in_first, in_until);
        END $$;

        """

    private static let publishing = """
        -- Stores messages after the last one. The caller holds the stream's lock.
        CREATE FUNCTION @.store(s @.streams, subjects text[], ids text[], all_headers jsonb[], payloads bytea[])
        RETURNS TABLE (at_position bigint, is_duplicate boolean) LANGUAGE plpgsql
        SET enable_seqscan = off SET plan_cache_mode = force_custom_plan AS $$
        DECLARE
            h @.head := @.head_of(s.id);
            now_time timestamptz := greatest(clock_timestamp(), h.time);
            since bigint;
            ends bigint;
            size bigint := least(greatest(coalesce(s.keeps_count / 4, 250000), 1000), 250000);
            positions bigint[];
            duplicates boolean[];
        BEGIN
            IF cardinality(array_remove(ids, NULL)) > 0 THEN
                SELECT position INTO since FROM @.messages
                    WHERE stream = s.id AND time > now_time - s.remembers * interval '1 microsecond'
                    ORDER BY time, position LIMIT 1;
                since := coalesce(since, h.position + 1);
                WITH input AS (
                    SELECT n, i FROM unnest(ids) WITH ORDINALITY AS u (i, n)
                ), looked_up AS (
                    SELECT n, i, CASE WHEN i IS NOT NULL THEN (
                        SELECT max(m.position) FROM @.messages m
                            WHERE m.stream = s.id AND m.id = i AND m.position >= since) END AS known,
                        CASE WHEN i IS NULL THEN n ELSE min(n) OVER (PARTITION BY i) END AS lead
                    FROM input
                ), numbered AS (
                    SELECT n, known, lead,
                        count(*) FILTER (WHERE known IS NULL AND lead = n) OVER (ORDER BY n) AS place
                    FROM looked_up
                )
                SELECT array_agg(coalesce(a.known, h.position + b.place) ORDER BY a.n),
                    array_agg(a.known IS NOT NULL OR a.lead <> a.n ORDER BY a.n)
                    INTO positions, duplicates FROM numbered a JOIN numbered b ON b.n = a.lead;
            ELSE
                SELECT array_agg(h.position + n), array_agg(false) INTO positions, duplicates
                    FROM generate_series(1, cardinality(payloads)) n;
            END IF;
            SELECT max(until) INTO ends FROM @.segments WHERE stream = s.id;
            WHILE ends <= (SELECT max(p) FROM unnest(positions) p) LOOP
                PERFORM @.add_segment(s.id, ends, ends + size);
                ends := ends + size;
            END LOOP;
            INSERT INTO @.messages (stream, position, time, subject, id, headers, payload, total)
                SELECT s.id, u.p, now_time, u.subject, u.i, u.h, u.payload,
                    h.total + sum(octet_length(u.payload)) OVER (ORDER BY u.p)
                FROM unnest(subjects, ids, all_headers, payloads, positions, duplicates)
                    AS u (subject, i, h, payload, p, is_known)
                WHERE NOT u.is_known;
            RETURN QUERY SELECT u.p, u.d FROM unnest(positions, duplicates) WITH ORDINALITY AS u (p, d, n) ORDER BY n;
        END $$;

        CREATE FUNCTION @.check_message(s @.streams, subject text, payload bytea) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            IF subject !~ s.subject_pattern THEN
                RAISE EXCEPTION '''%'' is not a subject of stream %', subject, s.name USING ERRCODE = 'RX002';
            END IF;
            IF octet_length(payload) > s.keeps_bytes THEN
                RAISE EXCEPTION 'stream % retains at most % bytes, and a message has %', s.name, s.keeps_bytes,
                    octet_length(payload) USING ERRCODE = 'RX002';
            END IF;
        END $$;

        -- Commits to the disk even if the role or the database has turned that off: a position that a reader has seen
        -- must not be given to another message after a crash.
        CREATE FUNCTION @.commit_to_disk() RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            IF current_setting('synchronous_commit') = 'off' THEN
                PERFORM set_config('synchronous_commit', 'local', true);
            END IF;
        END $$;

        CREATE FUNCTION @.append(in_name text, subjects text[], ids text[], all_headers text[], payloads bytea[])
        RETURNS TABLE (at_position bigint, is_duplicate boolean) LANGUAGE plpgsql AS $$
        DECLARE
            s @.streams := @.named(in_name);
        BEGIN
            PERFORM @.commit_to_disk();
            PERFORM @.lock_stream(s.id);
            -- The stream may have been changed or removed during the wait for the lock.
            s := @.named(in_name);
            PERFORM @.check_message(s, u.subject, u.payload) FROM unnest(subjects, payloads) AS u (subject, payload);
            RETURN QUERY SELECT * FROM @.store(s, subjects, ids, all_headers::jsonb[], payloads);
        END $$;

        -- Moves committed messages of rx_publish into the stream: at most 256 of at most 4 MiB of payload, or one. So
        -- large messages exceed neither the statement's time nor the size of an array. Returns their number.
        CREATE FUNCTION @.sequence(in_stream bigint) RETURNS bigint LANGUAGE plpgsql
        SET enable_seqscan = off SET plan_cache_mode = force_custom_plan AS $$
        DECLARE
            s @.streams;
            numbers bigint[];
            subjects text[];
            ids text[];
            all_headers jsonb[];
            payloads bytea[];
        BEGIN
            PERFORM @.commit_to_disk();
            PERFORM @.lock_stream(in_stream);
            SELECT * INTO s FROM @.streams WHERE id = in_stream;
            IF s.id IS NULL THEN RETURN 0; END IF;
            SELECT array_agg(i.number ORDER BY i.number), array_agg(i.subject ORDER BY i.number),
                array_agg(i.id ORDER BY i.number), array_agg(i.headers ORDER BY i.number),
                array_agg(i.payload ORDER BY i.number) INTO numbers, subjects, ids, all_headers, payloads
                FROM (
                    SELECT *, sum(octet_length(payload)) OVER w AS total, row_number() OVER w AS n
                    FROM (SELECT * FROM @.inbox WHERE stream = in_stream ORDER BY number LIMIT 256) waiting
                    WINDOW w AS (ORDER BY number)
                ) i WHERE i.total <= 4194304 OR i.n = 1;
            IF numbers IS NULL THEN RETURN 0; END IF;
            PERFORM count(*) FROM @.store(s, subjects, ids, all_headers, payloads);
            DELETE FROM @.inbox WHERE number = ANY (numbers);
            RETURN cardinality(numbers);
        END $$;

        -- Publishes in the caller's transaction. The message gets its position after the commit.
        CREATE FUNCTION @.rx_publish(
            stream text, payload bytea, subject text DEFAULT NULL, id text DEFAULT NULL, headers jsonb DEFAULT NULL
        ) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE
            s @.streams := @.named(stream);
        BEGIN
            PERFORM @.check_message(s, coalesce(subject, s.default_subject), payload);
            INSERT INTO @.inbox (stream, subject, id, headers, payload, slot)
                SELECT s.id, coalesce(subject, s.default_subject), nullif(id, ''), headers, payload, r.slot
                FROM @.rotation r WHERE r.kind = 'inbox';
        END $$;
        CREATE FUNCTION @.rx_publish(
            stream text, payload text, subject text DEFAULT NULL, id text DEFAULT NULL, headers jsonb DEFAULT NULL
        ) RETURNS void LANGUAGE sql AS $$
            SELECT @.rx_publish(stream, convert_to(payload, 'UTF8'), subject, id, headers)
        $$;
        CREATE FUNCTION @.rx_publish(
            stream text, payload jsonb, subject text DEFAULT NULL, id text DEFAULT NULL, headers jsonb DEFAULT NULL
        ) RETURNS void LANGUAGE sql AS $$
            SELECT @.rx_publish(stream, convert_to(payload::text, 'UTF8'), subject, id, headers)
        $$;

        """

    private static let reading = """
        -- Whether committed messages of rx_publish wait for a position.
        CREATE FUNCTION @.has_inbox(in_stream bigint) RETURNS boolean LANGUAGE sql AS $$
            SELECT EXISTS (SELECT FROM @.inbox WHERE stream = in_stream)
        $$;

        CREATE FUNCTION @.summary(
            in_name text, OUT stream bigint, OUT first bigint, OUT last bigint, OUT has_inbox boolean
        ) LANGUAGE plpgsql AS $$
        DECLARE
            s @.streams := @.named(in_name);
            h @.head := @.head_of(s.id);
        BEGIN
            stream := s.id;
            first := @.oldest(s, h);
            last := h.position;
            has_inbox := @.has_inbox(s.id);
        END $$;

        -- The position at which a group or a replay starts; it may lie after the last.
        CREATE FUNCTION @.start_of(s @.streams, kind text, number bigint) RETURNS bigint LANGUAGE plpgsql
        SET enable_seqscan = off SET plan_cache_mode = force_custom_plan AS $$
        DECLARE
            h @.head := @.head_of(s.id);
            oldest bigint := @.oldest(s, h);
            found_at bigint;
        BEGIN
            CASE kind
            WHEN 'beginning' THEN RETURN oldest;
            WHEN 'position' THEN RETURN greatest(number, oldest);
            WHEN 'end' THEN RETURN h.position + 1;
            WHEN 'time' THEN
                SELECT position INTO found_at FROM @.messages
                    WHERE stream = s.id AND position >= oldest
                        AND time >= timestamptz 'epoch' + number * interval '1 microsecond'
                    ORDER BY time, position LIMIT 1;
                RETURN coalesce(found_at, h.position + 1);
            END CASE;
        END $$;

        CREATE FUNCTION @.locate(in_name text, kind text, number bigint, OUT stream bigint, OUT start bigint)
        LANGUAGE plpgsql AS $$
        DECLARE
            s @.streams := @.named(in_name);
            h @.head := @.head_of(s.id);
        BEGIN
            stream := s.id;
            start := least(@.start_of(s, kind, number), h.position + 1);
        END $$;

        -- Messages from a position on, at most 4 MiB of payload or one message. A row without a position means that
        -- messages of rx_publish wait for a position.
        CREATE FUNCTION @.read(in_name text, identity bigint, begins bigint, most bigint)
        RETURNS TABLE (
            at_position bigint, at_time timestamptz, with_subject text, with_id text, with_headers text,
            with_payload bytea
        ) LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_custom_plan AS $$
        DECLARE
            s @.streams := @.named(in_name);
            h @.head := @.head_of(s.id);
            first bigint;
            enough bigint;
        BEGIN
            IF identity IS NOT NULL AND identity <> s.id THEN
                RAISE EXCEPTION 'stream %', in_name USING ERRCODE = 'RX001';
            END IF;
            first := greatest(begins, @.oldest(s, h));
            IF first <= h.position THEN
                SELECT total - octet_length(payload) + 4194304 INTO enough FROM @.messages
                    WHERE stream = s.id AND position = first;
                RETURN QUERY SELECT position, time, subject, id, headers::text, payload FROM @.messages
                    WHERE stream = s.id AND position >= first AND position <= least(h.position, first + most - 1)
                        AND (total <= enough OR position = first)
                    ORDER BY position;
            END IF;
            IF @.has_inbox(s.id) THEN
                RETURN QUERY SELECT NULL::bigint, NULL::timestamptz, NULL, NULL, NULL, NULL::bytea;
            END IF;
        END $$;

        -- Drops a segment that no stream needs. Returns whether it did. Gives up if readers hold the table for long.
        CREATE FUNCTION @.tidy() RETURNS boolean LANGUAGE plpgsql AS $$
        DECLARE
            g record;
            s @.streams;
            oldest bigint;
        BEGIN
            IF NOT pg_try_advisory_xact_lock(hashtextextended('@/tidy', 0)) THEN RETURN false; END IF;
            PERFORM set_config('lock_timeout', '100ms', true);
            DELETE FROM @.inbox i WHERE NOT EXISTS (SELECT FROM @.streams WHERE id = i.stream);
            FOR g IN SELECT stream, first, until,
                    EXISTS (SELECT FROM @.segments l WHERE l.stream = e.stream AND l.first > e.first) AS has_later
                FROM @.segments e ORDER BY stream, first
            LOOP
                SELECT * INTO s FROM @.streams WHERE id = g.stream;
                IF s.id IS NOT NULL THEN
                    CONTINUE WHEN NOT g.has_later;
                    oldest := @.oldest(s, @.head_of(s.id));
                    CONTINUE WHEN g.until > oldest;
                END IF;
                EXECUTE format('DROP TABLE IF EXISTS @.%I', format('messages_%s_%s', g.stream, g.first));
                DELETE FROM @.segments WHERE stream = g.stream AND first = g.first;
                RETURN true;
            END LOOP;
            RETURN false;
        END $$;

        """
}
