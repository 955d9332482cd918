"""The admin of the top floor. One table, one file."""

from django.contrib import admin

from sessions_app.admin.agent_profiles import AgentProfileAdmin
from sessions_app.admin.messages import MessageAdmin
from sessions_app.admin.models import ModelProfileAdmin
from sessions_app.admin.requests import RequestLogAdmin
from sessions_app.admin.runs import RunAdmin
from sessions_app.admin.sessions import SessionAdmin
from sessions_app.admin.users import UserAdmin

__all__ = [
    "AgentProfileAdmin",
    "MessageAdmin",
    "ModelProfileAdmin",
    "RequestLogAdmin",
    "RunAdmin",
    "SessionAdmin",
    "UserAdmin",
]

admin.site.site_header = admin.site.site_title = "Vitrine"
