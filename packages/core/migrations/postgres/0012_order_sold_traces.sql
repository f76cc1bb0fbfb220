DROP INDEX "sale_items_buyer";--> statement-breakpoint
CREATE INDEX "sale_items_order" ON "sale_items" USING btree ("sale",substr(buyer_id, 1, 2));