CREATE TRIGGER ledger_unchanged BEFORE UPDATE ON ledger
  WHEN new.owner IS NOT NULL OR (new.num, new.id, new.kind, new.micros, new.at, new.available_at) IS NOT
    (old.num, old.id, old.kind, old.micros, old.at, old.available_at)
    OR (new.sale_id, new.traces, new.day) IS NOT (old.sale_id, old.traces, old.day)
BEGIN
  SELECT raise(abort, 'an entry of the ledger cannot be changed');
END;
--> statement-breakpoint
CREATE TRIGGER ledger_kept BEFORE DELETE ON ledger
BEGIN
  SELECT raise(abort, 'an entry of the ledger cannot be deleted');
END;
