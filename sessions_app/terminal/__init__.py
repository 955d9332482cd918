"""What the commands `context`, `compact` and `chat` show in a terminal."""
