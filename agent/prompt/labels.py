"""Names of a request's parts, as people read them in the manifest; they head the sections too."""

from collections.abc import Iterator

from agent.prompt.templates import text_folder

SECTION_KEYS = (
    "persona",
    "experiences",
    "memories",
    "environment",
    "current_date",
    "tools_usage",
    "skills",
    "task_mgmt",
    "embed",
    "workspace_rules",
)

_LABELS = {
    "en": {
        "persona": "Persona",
        "experiences": "Best practices",
        "memories": "Long-term memory",
        "environment": "Environment",
        "current_date": "Current date",
        "tools_usage": "Using tools",
        "skills": "Skills",
        "task_mgmt": "Task management",
        "embed": "Embedded page",
        "workspace_rules": "Workspace rules (AGENTS.md)",
        "handoff": "Handoff summary",
        "messages": "Messages",
        "context_notes": "Notes to the model",
        "tools": "Tool definitions",
    },
    "zh-hans": {
        "persona": "Agent 人格",
        "experiences": "最佳实践经验",
        "memories": "长期记忆",
        "environment": "工作环境",
        "current_date": "当前日期",
        "tools_usage": "工具指引",
        "skills": "可用技能",
        "task_mgmt": "任务管理",
        "embed": "嵌入页面",
        "workspace_rules": "工作区规则（AGENTS.md）",
        "handoff": "交接摘要",
        "messages": "消息",
        "context_notes": "上下文提示",
        "tools": "工具定义",
    },
}
_HANDOFF_HEADINGS = {"en": "Session handoff", "zh-hans": "会话任务交接"}


def labels(language: str) -> dict[str, str]:
    """Label by key: all prompt sections, `handoff`, `messages`, `context_notes` and `tools`.

    Raises ValueError for a language that is not known.
    """
    text_folder(language)
    return dict(_LABELS[language])


def headings() -> Iterator[str]:
    """The text of every heading that a section or the handoff may begin with, in all languages."""
    for language, names in _LABELS.items():
        yield from (names[key] for key in SECTION_KEYS)
        yield _HANDOFF_HEADINGS[language]
