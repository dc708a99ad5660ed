-- A version that states the date of the one before is valid from its filing. The date that it states is kept beside that.
ALTER TABLE artifact ADD COLUMN stated_at timestamptz;
