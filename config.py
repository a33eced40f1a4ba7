"""Your settings: uncomment a line and change it.

Everything here can also be given in the environment or in `.env`, with the prefix `HEADTREE_`
(`HEADTREE_MAX_FIGURES=4`); the environment wins. `docs/configuration.md` describes every setting.
"""

# DOCUMENTS = "data/documents"   # folder of Markdown documents and their images
# INDEX = "data/index"           # folder of the index; safe to delete, it is built again

# HEADING_REPAIR = True          # let numbering decide depth and demote false headings
# NOISE_FILTER = True            # leave contents, references, glossaries and the like unindexed
# NOISE_TITLES = (r"our offices",)     # more section titles to leave out (regular expressions)
# KEEP_TITLES = (r"glossary",)         # titles to index whatever the noise filter says

# EMBEDDER = "local"             # "local" (bundled MiniLM), "none" (lexical only) or a folder with an ONNX model
# SECTIONS = 5                   # sections that are read to answer (k)
# MAX_FIGURES = 6                # most pictures in an answer

# CHATS = "data/chats"           # folder of the chat's conversations and feedback
# CHAT_UPLOADS = True            # whether visitors of the chat may add and remove documents
