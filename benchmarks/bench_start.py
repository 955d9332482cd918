"""What a fresh process pays until it serves, against Django + Channels + tiktoken alone."""

import json
import os
import statistics
import subprocess
import sys
import tempfile

from benchmarks.figures import Figure, at_most, hand_over

ROUNDS = 7
REPORT = "\nimport json, sys, time; print(json.dumps([time.process_time(), sorted(sys.modules)]))"
PARTS = """
import django
from django.conf import settings
apps = ["admin", "auth", "contenttypes", "sessions", "messages", "staticfiles"]
settings.configure(
    SECRET_KEY="x",
    INSTALLED_APPS=["daphne", *(f"django.contrib.{app}" for app in apps), "channels"],
)
django.setup()
import channels.generic.websocket, channels.routing
from django.core.asgi import get_asgi_application
get_asgi_application()
"""  # a new project as the manuals of Django and Channels set it up
SERVER = "import config.asgi\n"
MIGRATED = """
import os
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
import django
from django.core.management import call_command
django.setup()
call_command("migrate", verbosity=0)
"""
REFERENCE_COUNTS = "import tiktoken\ntiktoken.get_encoding('o200k_base').encode_ordinary('x')\n"
COUNTS = "from agent.tokens import TokenEstimator\nTokenEstimator().text('x')\n"
HEAVY = {
    "anthropic",
    "litellm",
    "mcp",
    "openai",
    "pydantic",
    "tiktoken_ext.openai_public",
    "trafilatura",
}


def start(program: str, var: str) -> tuple[float, set[str]]:
    """CPU seconds of a process with this program, and the modules that it has loaded."""
    environment = {**os.environ, "VAR_DIR": var, "TIKTOKEN_CACHE_DIR": f"{var}/tiktoken"}
    command = [sys.executable, "-c", program + REPORT]
    output = subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True
    ).stdout
    seconds, modules = json.loads(output.splitlines()[-1])
    return seconds, set(modules)


def figures() -> list[Figure]:
    """With the tokenizer loaded on both sides; and that nothing heavy loads before its time."""
    with tempfile.TemporaryDirectory() as var:
        start(MIGRATED + COUNTS, var)  # makes what the first start makes
        pairs = [
            (start(SERVER + COUNTS, var)[0], start(PARTS + REFERENCE_COUNTS, var)[0])
            for _ in range(ROUNDS)
        ]
        early = start(SERVER, var)[1] & HEAVY
    ratio = statistics.median(ours / theirs for ours, theirs in pairs)
    what = "loaded before their first need: provider SDKs, MCP, vocabularies, pydantic"
    return [
        at_most("start, first count included, against django + channels + tiktoken", 1.3, ratio),
        Figure(what, "none", ", ".join(sorted(early)) or "none", not early),
    ]


if __name__ == "__main__":
    hand_over(figures())
