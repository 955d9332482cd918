"""What the rehearsal model says, in its two languages."""

import re
from collections.abc import Iterable

from agent.prompt.labels import labels
from agent.request import ModelRequest

_TICKS = re.compile(r"`+")
_CJK = re.compile(r"[\u3400-\u9fff]")

ENGLISH = {
    "who": "I am the rehearsal model: no LLM, I only follow plain commands with the real tools.",
    "commands": "Commands, one a line:",
    "forms": (
        "read PATH...\nlist GLOB\nsearch PATTERN\nopen URL\nrun COMMAND\n"
        "write PATH: TEXT\nremember TEXT\ncompact [REASON]\ntour [GLOB]"
    ),
    "context": "My context now holds about {tokens} tokens{window}:",
    "of_window": " of {window}",
    "section": "{label}: {tokens}",
    "counted": "{label}: {tokens} ({count})",
    "tools": "Tool definitions: {tokens} ({count})",
    "read": "Reading {rest}.",
    "list": "Listing {rest}.",
    "search": "Searching for {rest}.",
    "open": "Opening {rest}.",
    "run": "Running: {rest}",
    "write": "Writing {rest}.",
    "remember": "Proposing a memory: {rest}",
    "compact": "Asking for a compaction.",
    "tour": "Looking for the files that match {rest}.",
    "touring": "Reading {path} ({number} of {total}).",
    "tour_cut": "{total} files match; this tour reads the first {most}.",
    "not_offered": "The tool {tool} is not offered here, so I skip: {command}",
    "done": "Done: {calls} tool calls, {failed} failed, {cut} with a cut result.",
    "done_one": "Done: {calls} tool call, {failed} failed, {cut} with a cut result.",
    "failed": "Failed:",
    "cut": "Cut:",
    "more": "and {count} more",
    "others": "Not understood:",
    "extract": "Extract by the rehearsal model.",
    "users": "User messages, verbatim:",
    "files": "Files touched: ",
    "so_far": "So far: {calls} tool calls, {failed} failed, {cut} cut.",
    "so_far_one": "So far: {calls} tool call, {failed} failed, {cut} cut.",
    "results": "Last results:",
    "pending": "Pending: ",
    "tour_state": " ({number} of {total} files read)",
    "left": "Left in {folder}: ",
    "left_out": "Left out for want of room: {count} lines.",
    "left_out_one": "Left out for want of room: {count} line.",
    "nothing": "Nothing is pending.",
}
CHINESE = {
    "who": "我是排练模型（rehearsal model）：不是大模型，只按简单指令调用真实的工具。",
    "commands": "指令每行一条：",
    "forms": (
        "读取 路径...\n列出 通配符\n搜索 模式\n打开 网址\n运行 命令\n"
        "写入 路径: 内容\n记住 内容\n整理 [原因]\n通读 [通配符]"
    ),
    "context": "当前上下文约 {tokens} 词元{window}：",
    "of_window": "（窗口 {window}）",
    "section": "{label}：{tokens}",
    "counted": "{label}：{tokens}（{count} 条）",
    "tools": "工具定义：{tokens}（{count} 个）",
    "read": "正在读取 {rest}。",
    "list": "正在列出 {rest}。",
    "search": "正在搜索 {rest}。",
    "open": "正在打开 {rest}。",
    "run": "正在运行：{rest}",
    "write": "正在写入 {rest}。",
    "remember": "提议一条记忆：{rest}",
    "compact": "请求整理上下文。",
    "tour": "正在查找匹配 {rest} 的文件。",
    "touring": "正在读取 {path}（第 {number} 个，共 {total} 个）。",
    "tour_cut": "共有 {total} 个文件匹配，这次只读前 {most} 个。",
    "not_offered": "这里没有提供工具 {tool}，跳过：{command}",
    "done": "完成：调用工具 {calls} 次，失败 {failed} 次，结果被截断 {cut} 次。",
    "failed": "失败：",
    "cut": "被截断：",
    "more": "另有 {count} 项",
    "others": "没有看懂：",
    "extract": "排练模型的摘录。",
    "users": "用户消息原文：",
    "files": "涉及文件：",
    "so_far": "至此：调用工具 {calls} 次，失败 {failed} 次，截断 {cut} 次。",
    "results": "最近结果：",
    "pending": "待办：",
    "tour_state": "（共 {total} 个文件，已读 {number} 个）",
    "left": "剩余 {folder}：",
    "left_out": "因篇幅省略 {count} 行。",
    "nothing": "没有待办。",
}
Words = dict[str, str]


def counting(words: Words, key: str, number: int) -> str:
    """The text that counts so many: where a language has another for one, `<key>_one`."""
    return words.get(f"{key}_one", words[key]) if number == 1 else words[key]


def code(text: str) -> str:
    """The text as Markdown code on one line: nothing in it is taken for markup."""
    line = " ".join(text.split())
    ticks = "`" * (1 + max(map(len, _TICKS.findall(line)), default=0))
    return f"{ticks} {line} {ticks}" if "`" in line else f"{ticks}{line}{ticks}"


def listed(head: str, items: Iterable[str]) -> str:
    """A Markdown list below a line."""
    return "\n".join([head, "", *(f"- {item}" for item in items)])


def labels_for(words: Words) -> dict[str, str]:
    """Names of a request's parts in the language of these words, by key."""
    return labels("zh-hans" if words is CHINESE else "en")


def words_for(request: ModelRequest) -> Words:
    """Chinese when the last user message or, by its labels, the session is; else English."""
    said = next((m.content for m in reversed(request.messages) if m.role == "user"), "")
    labels = "".join(section.label for section in request.manifest.sections)
    return CHINESE if _CJK.search(said + labels) else ENGLISH
