"""The tables of the top floor. One noun, one file."""

from sessions_app.models.agent_profile import AgentProfile
from sessions_app.models.claim import Claim
from sessions_app.models.frame import Frame
from sessions_app.models.message import Message, ToolOutput
from sessions_app.models.model_profile import ModelProfile
from sessions_app.models.request_log import PromptPart, RequestLog
from sessions_app.models.run import Run
from sessions_app.models.session import Session

__all__ = [
    "AgentProfile",
    "Claim",
    "Frame",
    "Message",
    "ModelProfile",
    "PromptPart",
    "RequestLog",
    "Run",
    "Session",
    "ToolOutput",
]
