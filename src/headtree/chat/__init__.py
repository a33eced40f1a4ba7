"""What ``app.py`` draws with: safe text, pictures, history, jobs, sources, documents, export.

Modules named ``draw_*`` call Streamlit; all others know nothing of it and are tested without a browser.
"""
