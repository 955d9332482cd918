"""The database's clock, the only one that all processes share."""

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BigIntegerField, Func
from django.db.models.sql.compiler import SQLCompiler


class DatabaseNow(Func):
    """Milliseconds since the epoch by the database's clock."""

    output_field = BigIntegerField()
    arity = 0

    def as_sqlite(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **extra: Any
    ) -> Any:
        """2440587.5 is the Julian day of the epoch."""
        template = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
        return self.as_sql(compiler, connection, template=template, **extra)

    def as_mysql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **extra: Any) -> Any:
        """NOW(3) has milliseconds."""
        template = "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)"
        return self.as_sql(compiler, connection, template=template, **extra)
