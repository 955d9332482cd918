"""The core: sessions with tools whose context is visible. Plain Python, no Django, no database."""
