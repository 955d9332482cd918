import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.tools.decoding import decode, is_binary
from tests.agent.tools.fault_cases import fault_case


def test_the_bytes_of_fault_case_c20a_become_valid_text() -> None:
    decoded = [decode(bytes.fromhex(one)) for one in fault_case("C20a_unicode")["outputs_hex"]]
    assert decoded == ["AB", "ab", "\0\0\0\0", "�", "�"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_decides(encoding: str) -> None:
    assert decode("naïve 😀\r\n".encode(encoding)) == "naïve 😀\r\n"


def test_big_endian_marks_count_too() -> None:
    assert decode(b"\xfe\xff\x00A") == "A"
    assert decode(b"\x00\x00\xfe\xff\x00\x00\x00A") == "A"


@given(st.binary())
def test_any_bytes_become_valid_text(raw: bytes) -> None:
    decode(raw).encode()


def test_a_nul_near_the_beginning_is_binary() -> None:
    assert [is_binary("a\0"), is_binary("a" * 8_192 + "\0"), is_binary("")] == [True, False, False]
