-- What a tool says that it did: files with their hashes, commands, hosts; null: nothing of the kind.
ALTER TABLE tool_calls ADD COLUMN facts TEXT;
