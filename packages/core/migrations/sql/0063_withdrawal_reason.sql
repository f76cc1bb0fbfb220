ALTER TABLE `traces` ADD `withdrawal_reason` text;--> statement-breakpoint
UPDATE `traces` AS trace SET `withdrawal_reason` = json_extract(entry.state_after, '$.reason') FROM `audit` entry
  WHERE entry.action = 'trace.withdraw' AND entry.target = trace.id AND trace.owner IS NOT NULL;--> statement-breakpoint
DROP TRIGGER audit_unchanged;--> statement-breakpoint
UPDATE `audit` SET `state_after` = json_remove(`state_after`, '$.reason') WHERE `action` = 'trace.withdraw';--> statement-breakpoint
CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit
  WHEN (new.num, new.id, new.at, new.actor, new.action, new.request_id) IS NOT
    (old.num, old.id, old.at, old.actor, old.action, old.request_id)
    OR (new.state_before, new.state_after, new.address) IS NOT (old.state_before, old.state_after, old.address)
    OR NOT EXISTS (SELECT 1 FROM account_jobs
      WHERE id = substr(new.target, 8) AND 'erased-' || id = new.target AND kind = 'erasure' AND former_id = old.target)
BEGIN
  SELECT raise(abort, 'an entry of the audit cannot be changed');
END;
