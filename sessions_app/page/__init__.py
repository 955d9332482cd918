"""What the pages show: rows of the database turned into presentation data, and that into HTML."""
