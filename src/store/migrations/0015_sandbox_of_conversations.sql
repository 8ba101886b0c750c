-- The sandbox setting that was last named for a conversation (src/config/sandbox-setting.ts); null: none.
ALTER TABLE conversations ADD COLUMN sandbox TEXT;
