"""The report: one self-contained HTML page about a plan, with nothing in it that the plan does not hold."""

from isamap_smt.report.page import html_report as html_report

__all__ = ["html_report"]
