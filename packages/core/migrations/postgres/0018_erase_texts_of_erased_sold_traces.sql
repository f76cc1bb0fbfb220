UPDATE "traces" SET "model" = NULL, "hash" = ''::bytea, "details" = '{}', "replacements" = '{}' WHERE "owner" IS NULL;
