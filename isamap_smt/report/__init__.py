"""The report: one self-contained HTML page about a plan (`page.html_report`), and the measurements it shows."""
