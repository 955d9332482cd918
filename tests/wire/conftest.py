"""The server's own tests use its fixture."""

from tests.wire.fixture import wire, wire_server  # noqa: F401 - fixtures
