import orjson
from hypothesis import given
from hypothesis import strategies as st

from agent.manifest import FRAME_LIMIT_BYTES, ContextManifest, SectionStat, ToolsStat


def manifest(memory_ids: tuple[int, ...] = (), label: str = "Persona") -> ContextManifest:
    sections = (SectionStat("persona", label, 7), SectionStat("messages", "Messages", 30, 2))
    return ContextManifest(sections, ToolsStat(5, 1), memory_ids, 1_000, 800)


def test_it_has_the_protocols_shape() -> None:
    assert manifest((3, 1)).with_request_id(9).as_dict() == {
        "sections": [
            {"key": "persona", "label": "Persona", "tokens": 7},
            {"key": "messages", "label": "Messages", "tokens": 30, "count": 2},
        ],
        "memoryIds": [3, 1],
        "estimatedWindowTokens": 1_000,
        "tools": {"tokens": 5, "count": 1},
        "compactAtTokens": 800,
        "requestId": 9,
    }


def test_estimated_is_sections_and_tools() -> None:
    assert manifest().estimated == 42


def test_mcp_servers_and_reconstruction_are_named_where_they_are() -> None:
    tools = ToolsStat(5, 2, (("files", 3), ("web", 2)))
    shape = ContextManifest((), tools, reconstructed=True).as_dict()
    assert (shape["tools"]["perServer"], shape["reconstructed"]) == ({"files": 3, "web": 2}, True)


def test_memory_ids_are_halved_until_the_frame_fits() -> None:
    shape = manifest(tuple(range(10**9, 10**9 + 1_024))).fit()
    assert shape is not None
    assert shape["memoryIds"] == list(range(10**9, 10**9 + 512))
    assert len(orjson.dumps(shape)) <= FRAME_LIMIT_BYTES


def test_a_manifest_that_cannot_fit_is_left_out() -> None:
    assert manifest((1, 2), label="x" * FRAME_LIMIT_BYTES).fit() is None


@given(st.lists(st.integers(0, 2**63), max_size=2_000), st.integers(1, 20_000))
def test_what_fits_is_under_the_limit_and_a_beginning_of_the_ids(
    ids: list[int], limit: int
) -> None:
    shape = manifest(tuple(ids)).fit(limit)
    if shape is not None:
        assert len(orjson.dumps(shape)) <= limit
        assert shape["memoryIds"] == ids[: len(shape["memoryIds"])]
