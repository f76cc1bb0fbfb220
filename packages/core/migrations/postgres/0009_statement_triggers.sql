DROP TRIGGER "overlap_stored" ON "overlaps";--> statement-breakpoint
DROP TRIGGER "overlap_changed" ON "overlaps";--> statement-breakpoint
DROP TRIGGER "overlap_deleted" ON "overlaps";--> statement-breakpoint
DROP FUNCTION "count_copied_tokens"();--> statement-breakpoint
CREATE FUNCTION "count_copied_tokens"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE "traces" SET copied_tokens = counted.tokens FROM
    (SELECT changed.trace, (SELECT coalesce(sum(greatest(0, last - greatest(first, reached))), 0)::bigint FROM
      (SELECT (part.value ->> 0)::bigint AS first, (part.value ->> 1)::bigint AS last,
        coalesce(max((part.value ->> 1)::bigint) OVER (ORDER BY (part.value ->> 0)::bigint, (part.value ->> 1)::bigint
          ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS reached
      FROM "overlaps" pair, json_array_elements(pair.ranges::json) part(value)
      WHERE pair.trace = changed.trace AND pair.is_earlier = 1) ranges) AS tokens
    FROM (SELECT DISTINCT trace FROM changed_rows WHERE is_earlier = 1) changed) counted
  WHERE num = counted.trace AND copied_tokens <> counted.tokens;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "overlap_stored" AFTER INSERT ON "overlaps" REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION "count_copied_tokens"();--> statement-breakpoint
CREATE TRIGGER "overlap_changed" AFTER UPDATE ON "overlaps" REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION "count_copied_tokens"();--> statement-breakpoint
CREATE TRIGGER "overlap_deleted" AFTER DELETE ON "overlaps" REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION "count_copied_tokens"();--> statement-breakpoint
DROP TRIGGER "fingerprints_stored" ON "fingerprints";--> statement-breakpoint
DROP TRIGGER "fingerprints_deleted" ON "fingerprints";--> statement-breakpoint
DROP FUNCTION "index_fingerprints"();--> statement-breakpoint
DROP FUNCTION "remove_fingerprints"();--> statement-breakpoint
CREATE FUNCTION "index_fingerprints"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO "fingerprint_index" (hash, trace) SELECT added.hash, added.trace FROM
    (SELECT value::bigint AS hash, changed.trace, row_number() OVER (PARTITION BY value::bigint ORDER BY changed.trace) AS place
    FROM changed_rows changed, json_array_elements_text(changed.hashes::json) value) added
  WHERE place + (SELECT count(*) FROM (SELECT 1 FROM "fingerprint_index" same WHERE same.hash = added.hash LIMIT 64) kept) <= 64;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION "remove_fingerprints"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM "fingerprint_index" indexed USING changed_rows changed, json_array_elements_text(changed.hashes::json) value
    WHERE indexed.hash = value::bigint AND indexed.trace = changed.trace;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "fingerprints_stored" AFTER INSERT ON "fingerprints" REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION "index_fingerprints"();--> statement-breakpoint
CREATE TRIGGER "fingerprints_deleted" AFTER DELETE ON "fingerprints" REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION "remove_fingerprints"();--> statement-breakpoint
ALTER TABLE "blob_pieces" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;
