"""What makes two projects, or two memories, one: hashes, since a collation would fold them."""

import hashlib
import unicodedata


def sha256(text: str) -> str:
    """The hexadecimal digest of the text's UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


def project_hash(project_key: str) -> str:
    """A project key's identity: sha256, so that no collation makes two projects one.

    Empty for none.
    """
    return sha256(project_key) if project_key else ""


def normalised(content: str) -> str:
    """The content as it is compared: composed characters (NFC), each run of white space one space.

    Case stays: `Config.py` and `config.py` may be two facts.
    """
    return " ".join(unicodedata.normalize("NFC", content).split())


def dedup_hash(scope: str, project_key: str, content: str) -> str:
    """The identity of a memory among its owner's; the same for the same fact in the same place."""
    return sha256(f"{scope}|{project_hash(project_key)}|{normalised(content)}")
