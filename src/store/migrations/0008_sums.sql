-- CRC-32 of the text of a part, so that a repair can tell what was altered; null: of an older program.
ALTER TABLE parts ADD COLUMN sum INTEGER;
