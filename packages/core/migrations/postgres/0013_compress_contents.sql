-- A server that was built without lz4, or is too old for the syntax, keeps its own compression.
DO $$ BEGIN
  EXECUTE 'ALTER TABLE "contents" ALTER COLUMN "messages" SET COMPRESSION lz4, ALTER COLUMN "tools" SET COMPRESSION lz4';
EXCEPTION WHEN feature_not_supported OR syntax_error THEN
  NULL;
END $$;
