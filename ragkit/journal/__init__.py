"""What a run leaves on disk: an audit log that shows its edits, telemetry and verdicts.

All of them are JSON lines: one record a line, only ever added to.
"""

from ragkit.journal.audit import AuditLog
from ragkit.journal.chain import Report, verify
from ragkit.journal.lines import append_line, read_lines
from ragkit.journal.replay import Decision, replay

__all__ = ["AuditLog", "Decision", "Report", "append_line", "read_lines", "replay", "verify"]
