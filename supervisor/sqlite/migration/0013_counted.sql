-- What a provider has counted of a request tells how long the next one is, also to a process that was not there: what is kept of the
-- request's messages is enough to know them again.
ALTER TABLE usage ADD COLUMN asked TEXT;  -- a digest of the messages of the request; NULL is not known
