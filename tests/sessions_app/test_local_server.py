"""Where quickstart can listen, and what it says where it can't."""

import socket
from collections.abc import Iterator

import pytest

from sessions_app import local_server
from sessions_app.local_server import AddressUnusable


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


@pytest.mark.parametrize(
    ("host", "address"),
    [("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "0.0.0.0"), ("::1", "::1"), ("[::1]", "::1")],
)
def test_it_takes_addresses(host: str, address: str) -> None:
    assert local_server.resolve(host) == address


def test_it_refuses_what_is_no_address() -> None:
    too_long = "a" * 64 + ".example"  # refused before any name server is asked
    with pytest.raises(AddressUnusable, match=r"HOST='a+\.example' is no address of this machine"):
        local_server.resolve(too_long)


def test_it_names_a_port_that_is_taken(taken: int) -> None:
    with pytest.raises(AddressUnusable, match=f"PORT={taken} is taken on 127.0.0.1 by another"):
        local_server.require_free("127.0.0.1", taken)


def test_it_refuses_an_address_of_another_machine() -> None:
    with pytest.raises(AddressUnusable, match=r"HOST='192\.0\.2\.7' is no address of this"):
        local_server.require_free("192.0.2.7", 8000)


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("127.0.0.1", "http://127.0.0.1:80"),
        ("127.0.0.2", "http://127.0.0.2:80"),
        ("0.0.0.0", "http://127.0.0.1:80"),
        ("::", "http://[::1]:80"),
        ("::1", "http://[::1]:80"),
        ("192.0.2.7", None),
    ],
)
def test_it_knows_how_this_machine_reaches_it(address: str, origin: str | None) -> None:
    assert local_server.loopback_origin(address, 80) == origin
