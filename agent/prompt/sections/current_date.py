"""Today's date and weekday, fixed for the run."""

from agent.prompt.context import PromptContext
from agent.prompt.templates import render

_WEEKDAYS = {
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "zh-hans": ("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"),
}


class CurrentDate:
    """Always there. Names of weekdays are ours: the server's locale has no say in a prompt."""

    key = "current_date"

    def render(self, context: PromptContext) -> str:
        """ISO date and the weekday's name."""
        weekday = _WEEKDAYS[context.language][context.date.weekday()]
        date = context.date.isoformat()
        return render(context.language, "current_date", date=date, weekday=weekday)

    def count(self, context: PromptContext) -> None:
        """Nothing to count."""
