"""What ingest and settle share: raw numbers to clean points, and what they say of themselves."""
