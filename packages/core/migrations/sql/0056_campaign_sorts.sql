CREATE INDEX `campaigns_name` ON `campaigns` (`name`,`num`);--> statement-breakpoint
CREATE INDEX `campaigns_spent` ON `campaigns` (`spent`,`num`);