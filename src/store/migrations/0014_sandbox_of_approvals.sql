-- What a command that waits for an approval can reach, in the words of src/core/command-sandbox.ts; null: of an older
-- program, or not a command.
ALTER TABLE approvals ADD COLUMN sandbox TEXT;
