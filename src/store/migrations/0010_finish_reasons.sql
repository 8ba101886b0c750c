-- How the last answer of a run ended, in the words of src/core/finish-reason.ts; null: of an older program.
ALTER TABLE runs ADD COLUMN finish_reason TEXT;
