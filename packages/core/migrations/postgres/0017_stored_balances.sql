ALTER TABLE "users" ADD COLUMN "unpaid" bigint;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "lifetime" bigint;--> statement-breakpoint
CREATE INDEX "ledger_pending" ON "ledger" USING btree ("owner","available_at") WHERE kind = 'sale';--> statement-breakpoint
CREATE INDEX "users_unpaid" ON "users" USING btree ("unpaid","num") WHERE unpaid is not null;--> statement-breakpoint
CREATE INDEX "users_lifetime" ON "users" USING btree ("lifetime","num") WHERE unpaid is not null;--> statement-breakpoint
CREATE FUNCTION "add_to_balances"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE "users" person SET unpaid = coalesce(person.unpaid, 0) + added.unpaid,
    lifetime = coalesce(person.lifetime, 0) + added.lifetime FROM
    (SELECT owner, sum(micros)::bigint AS unpaid,
      sum(CASE kind WHEN 'payout' THEN 0 ELSE micros END)::bigint AS lifetime
    FROM changed_rows WHERE owner IS NOT NULL GROUP BY owner) added
    WHERE person.num = added.owner;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "ledger_added" AFTER INSERT ON "ledger" REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION "add_to_balances"();
--> statement-breakpoint
UPDATE "users" person SET unpaid = sums.unpaid, lifetime = sums.lifetime FROM
  (SELECT owner, sum(micros)::bigint AS unpaid, sum(CASE kind WHEN 'payout' THEN 0 ELSE micros END)::bigint AS lifetime
  FROM "ledger" WHERE owner IS NOT NULL GROUP BY owner) sums
  WHERE person.num = sums.owner;
