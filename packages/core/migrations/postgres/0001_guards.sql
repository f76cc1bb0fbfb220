CREATE FUNCTION "refuse_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '%', TG_ARGV[0];
END $$;
--> statement-breakpoint
CREATE FUNCTION "keep_ended_credential"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO "ended_credentials" (hash, owner, expires_at) VALUES (old.hash, old.owner, old.expires_at)
    ON CONFLICT (hash) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "credentials_ended" AFTER DELETE ON "credentials"
  FOR EACH ROW EXECUTE FUNCTION "keep_ended_credential"();
--> statement-breakpoint
CREATE TRIGGER "ledger_unchanged" BEFORE UPDATE ON "ledger" FOR EACH ROW
  WHEN (new.owner IS NOT NULL OR (new.num, new.id, new.kind, new.micros, new.at, new.available_at, new.sale_id,
      new.traces, new.day) IS DISTINCT FROM (old.num, old.id, old.kind, old.micros, old.at, old.available_at,
      old.sale_id, old.traces, old.day))
  EXECUTE FUNCTION "refuse_change"('an entry of the ledger cannot be changed');
--> statement-breakpoint
CREATE TRIGGER "ledger_kept" BEFORE DELETE ON "ledger" FOR EACH ROW
  EXECUTE FUNCTION "refuse_change"('an entry of the ledger cannot be deleted');
--> statement-breakpoint
CREATE FUNCTION "keep_audit"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM "account_jobs" WHERE id = substr(new.target, 8) AND 'erased-' || id = new.target
    AND kind = 'erasure' AND former_id = old.target)
  THEN
    RAISE EXCEPTION 'an entry of the audit cannot be changed';
  END IF;
  RETURN new;
END $$;
--> statement-breakpoint
CREATE TRIGGER "audit_unchanged" BEFORE UPDATE ON "audit" FOR EACH ROW
  WHEN ((new.num, new.id, new.at, new.actor, new.action, new.request_id, new.state_before, new.state_after,
      new.address) IS DISTINCT FROM (old.num, old.id, old.at, old.actor, old.action, old.request_id,
      old.state_before, old.state_after, old.address))
  EXECUTE FUNCTION "refuse_change"('an entry of the audit cannot be changed');
--> statement-breakpoint
CREATE TRIGGER "audit_target" BEFORE UPDATE ON "audit" FOR EACH ROW EXECUTE FUNCTION "keep_audit"();
--> statement-breakpoint
CREATE FUNCTION "keep_later_audit"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (SELECT FROM "audit" WHERE num < (SELECT max(num) FROM deleted)) THEN
    RAISE EXCEPTION 'only the oldest entry of the audit can be deleted';
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "audit_oldest_first" AFTER DELETE ON "audit" REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT EXECUTE FUNCTION "keep_later_audit"();
--> statement-breakpoint
CREATE FUNCTION "take_content_blob"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM "content_blobs" WHERE key = new.messages::json ->> 'blob' AND deleting = 0;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the blob of a content is not reserved';
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION "release_content_blob"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO "content_blobs" (key, due_at, deleting) VALUES (old.messages::json ->> 'blob', 0, 0)
    ON CONFLICT (key) DO UPDATE SET due_at = 0, deleting = 0;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "content_stored" AFTER INSERT ON "contents" FOR EACH ROW
  WHEN (left(new.messages, 17) = '{"blob":"content/') EXECUTE FUNCTION "take_content_blob"();
--> statement-breakpoint
CREATE TRIGGER "content_replaced" AFTER UPDATE OF messages ON "contents" FOR EACH ROW
  WHEN (new.messages <> old.messages AND left(new.messages, 17) = '{"blob":"content/')
  EXECUTE FUNCTION "take_content_blob"();
--> statement-breakpoint
CREATE TRIGGER "content_released" AFTER UPDATE OF messages ON "contents" FOR EACH ROW
  WHEN (new.messages <> old.messages AND left(old.messages, 17) = '{"blob":"content/')
  EXECUTE FUNCTION "release_content_blob"();
--> statement-breakpoint
CREATE TRIGGER "content_deleted" AFTER DELETE ON "contents" FOR EACH ROW
  WHEN (left(old.messages, 17) = '{"blob":"content/') EXECUTE FUNCTION "release_content_blob"();
